// Texts that have to be rendered or decrypted before they are manifests: those of Helm, Jinja,
// envsubst, Flux, ytt and others, and those of SOPS.
#pragma once

#include <string_view>

#include "cli/formats/report.hpp"
#include "json/document.hpp"

namespace dynamo::cli {

// What to do with a line that only a template has, as a sentence; empty when it has nothing of one.
std::string_view template_advice(std::string_view line);

// True when a line begins with a statement of Helm, Jinja or ERB, as no line of YAML does.
bool has_template_statement(std::string_view text);

// The first variable as envsubst or Flux takes it, such as ${NAME} or ${NAME/a/b}; empty when there
// is none.
std::string_view find_variable(std::string_view text);

// What to do with a name or a value that has yet to be rendered, such as "{{ .Values.x }}" in
// quotes or ${NAME}; empty when it is none.
std::string_view expression_advice(std::string_view token);

// The same of a value that no shell, container or engine reads, where $NAME, $(NAME), ((name)),
// [[name]], @@NAME@@, #{NAME}, __NAME__ and <%= name %> are such expressions too.
std::string_view placeholder_advice(std::string_view text);

// The first value or name of an object that has yet to be rendered, outside of commands, arguments,
// variables, annotations and configurations of engines. One is enough: the object is a template.
struct TemplateValue {
  json::Value value = {};
  std::string_view advice = {};  // empty: there is none
};
TemplateValue find_template_value(json::Value object);

// What to do with a document that has comments of ytt (#@); empty when it has none.
std::string_view ytt_advice(std::string_view text);

// What to do with a document that is encrypted by SOPS; empty when it is not.
std::string_view encryption_advice(json::Value document);

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
