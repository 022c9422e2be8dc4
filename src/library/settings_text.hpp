// Reads the settings text of the library: the server's flags of the same names, as YAML.
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

// What a text without any setting means.
EvaluatorSettings default_settings();

// Fills `settings` and answers "", or one line saying where the text is wrong and what must hold.
// An empty text, or one of comments only, is all defaults. Pure; never throws for any text.
std::string read_settings(std::string_view text, EvaluatorSettings& settings);

}  // namespace dynamo::library
