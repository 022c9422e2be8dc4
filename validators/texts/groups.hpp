// The groups of texts, one per file of this folder. To add a text, add an entry to the table of its
// file; to add a file, declare it here and list it in texts.cpp.
#pragma once

#include <span>
#include <string_view>

#include "validators/texts.hpp"

namespace dynamo::validators::texts {

// The lines of a raw literal that begins with a line break.
constexpr std::string_view block(std::string_view literal) {
  return literal.substr(1);
}

std::span<const RuleText> checkpoint();
std::span<const RuleText> component();
std::span<const RuleText> endpoint_picker();
std::span<const RuleText> graph();
std::span<const RuleText> graph_restart();
std::span<const RuleText> graph_update();
std::span<const RuleText> lookup();
std::span<const RuleText> model();
std::span<const RuleText> multinode();
std::span<const RuleText> naming();
std::span<const RuleText> network();
std::span<const RuleText> pod_command();
std::span<const RuleText> pod_container();
std::span<const RuleText> pod_template();
std::span<const RuleText> policy();
std::span<const RuleText> preflight_advice();
std::span<const RuleText> preflight_checkpoint();
std::span<const RuleText> preflight_model();
std::span<const RuleText> preflight_request();
std::span<const RuleText> request();
std::span<const RuleText> resources();
std::span<const RuleText> scaling();
std::span<const RuleText> scaling_adapter();
std::span<const RuleText> service();
std::span<const RuleText> storage();
std::span<const RuleText> topology();
std::span<const RuleText> topology_components();
std::span<const RuleText> type();

}  // namespace dynamo::validators::texts
