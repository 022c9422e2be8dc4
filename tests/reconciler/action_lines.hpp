// Actions as lines, to compare a whole plan at once.
#pragma once

#include <span>
#include <string>
#include <string_view>
#include <utility>
#include <variant>
#include <vector>

#include "desired/action.hpp"

namespace dynamo::test {

// "apply DynamoModel/a status {...}", "event Normal Scaled on DynamoModel/a: ...", "POST http://...
// {...}". Omits the notes of events, unless `with_notes` is set.
inline std::vector<std::string> lines_of(std::span<const reconciler::Action> actions,
                                         bool with_notes = false) {
  std::vector<std::string> lines;
  const auto with_space = [](std::string_view text) {
    return text.empty() ? std::string() : " " + std::string(text);
  };
  for (const reconciler::Action& each : actions) {
    std::string line;
    if (const auto* const call = std::get_if<reconciler::HttpCall>(&each)) {
      line = call->method + " " + call->url + with_space(call->body);
      lines.push_back(std::move(line));
      continue;
    }
    const reconciler::Target& target = *target_of(each);
    const std::string object = std::string(target.resource.kind) + "/" + target.name;
    if (const auto* const event = std::get_if<reconciler::EmitEvent>(&each)) {
      line = event->is_warning ? "Warning " : "Normal ";
      line += event->reason + " on " + object;
      if (with_notes) line += ": " + event->note;
    } else {
      line = std::string(reconciler::to_string(action_kind_of(each))) + " " + object;
      line += with_space(subresource_of(each)) + with_space(body_of(each));
    }
    lines.push_back(std::move(line));
  }
  return lines;
}

}  // namespace dynamo::test
