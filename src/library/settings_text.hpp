// Reads the library's settings: YAML with the names of the server's flags.
#pragma once

#include <string>
#include <string_view>

#include "admission/answer.hpp"
#include "api/context.hpp"

namespace dynamo::library {

struct EvaluatorSettings {
  api::Settings settings;
  admission::Enforcement enforcement = admission::Enforcement::kDeny;
};

// The settings for an empty text.
EvaluatorSettings default_settings();

// Fills `settings` and returns "", or one line with the location of the fault and what must hold.
// An empty text, or one of comments only, means all defaults. Pure; never throws for any text.
std::string read_settings(std::string_view text, EvaluatorSettings& settings);

}  // namespace dynamo::library
