// Detects texts that must be rendered or decrypted before they are manifests: templates of Helm,
// Jinja, envsubst, Flux, ytt and others, and SOPS files.
#pragma once

#include <string_view>

#include "cli/report/report.hpp"
#include "json/document.hpp"

namespace dynamo::cli {

// What to do about a line that only templates have, as a sentence; empty for any other line.
std::string_view template_advice(std::string_view line);

// True if a line begins with a statement of Helm, Jinja or ERB, which is impossible in YAML.
bool has_template_statement(std::string_view text);

// The first variable of envsubst or Flux, such as ${NAME} or ${NAME/a/b}; empty if there is none.
std::string_view find_variable(std::string_view text);

// What to do about a name or value that must still be rendered, such as "{{ .Values.x }}" in quotes
// or ${NAME}; empty for any other text.
std::string_view expression_advice(std::string_view token);

// Likewise for a value that no shell, container or engine reads: there $NAME, $(NAME), ((name)),
// [[name]], @@NAME@@, #{NAME}, __NAME__ and <%= name %> are expressions too.
std::string_view placeholder_advice(std::string_view text);

// The first value or name of an object that must still be rendered, outside commands, arguments,
// variables, annotations and engine configurations. One is enough: the object is a template.
struct TemplateValue {
  json::Value value = {};
  std::string_view advice = {};  // empty: none
};
TemplateValue find_template_value(json::Value object);

// What to do about a document with ytt comments (#@); empty if it has none.
std::string_view ytt_advice(std::string_view text);

// What to do about a document encrypted by SOPS; empty if it is not. A block `sops` without an
// encrypted value elsewhere does not count.
std::string_view encryption_advice(json::Value document);

// Whether the spec has an encrypted value. Without one the object can be validated as it is.
bool has_encrypted_spec(json::Value document);

// Whether the group or the kind is unknown because SOPS has encrypted it.
bool has_encrypted_kind(json::Value document);

// Likewise for the text that a place marks.
std::string_view expression_advice(const Place& place);

// The first error about such an expression. Rules accept expressions in free text, such as a shell
// command.
struct TemplateFinding {
  const Finding* finding = nullptr;  // of the report; null: none
  std::string_view advice;
};
TemplateFinding find_expression_in(const ObjectReport& report);

}  // namespace dynamo::cli
