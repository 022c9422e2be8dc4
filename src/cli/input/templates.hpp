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

// What to do with a name or a value that has yet to be rendered, such as "{{ .Values.x }}" in
// quotes or ${NAME}; empty when it is none.
std::string_view expression_advice(std::string_view token);

// The same of what a place points at.
std::string_view expression_advice(const Place& place);

// The first error that is about such an expression. Where one stands in a text that may hold
// anything, such as a command of a shell, no rule finds fault with it.
struct TemplateFinding {
  const Finding* finding = nullptr;  // of the report; null: there is none
  std::string_view advice;
};
TemplateFinding find_expression_in(const ObjectReport& report);

}  // namespace dynamo::cli
