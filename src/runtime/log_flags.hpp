// The values of --log-level and --log-format, shared by all our programs.
#pragma once

#include <array>

#include "runtime/flag_forms.hpp"
#include "runtime/log.hpp"

namespace dynamo::runtime {

inline constexpr std::array<Choice<Level>, 4> kLogLevels{{{"debug", Level::kDebug},
                                                          {"info", Level::kInfo},
                                                          {"warning", Level::kWarning},
                                                          {"error", Level::kError}}};
inline constexpr std::array<Choice<LogFormat>, 2> kLogFormats{
    {{"json", LogFormat::kJson}, {"text", LogFormat::kText}}};

}  // namespace dynamo::runtime
