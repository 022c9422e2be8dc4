// Texts that have to be rendered before they are manifests: those of Helm, Jinja and envsubst.
#pragma once

#include <string_view>

#include "cli/formats/report.hpp"

namespace dynamo::cli {

// What to do with a line that only a template has, as a sentence; empty when it has nothing of one.
std::string_view template_advice(std::string_view line);

// True when a line begins with a statement of Helm or Jinja, as no line of YAML does.
bool has_template_statement(std::string_view text);

// The first variable as envsubst takes it, such as ${NAME}; empty when there is none.
std::string_view find_variable(std::string_view text);

// The first error that is about a variable which envsubst has not replaced; null: none. Where one
// stands in a text that may hold anything, such as a command of a shell, no rule finds fault with
// it.
const Finding* find_variable_in(const ObjectReport& report);

// What to do with a variable that stands where a value must.
inline constexpr std::string_view kEnvsubstAdvice =
    "this is a template, not yet a manifest; render it first: envsubst < FILE | kubectl dynamo "
    "validate -f -";

}  // namespace dynamo::cli
