// Actions as lines, to compare a whole plan at once.
#pragma once

#include <span>
#include <string>
#include <vector>

#include "desired/action.hpp"

namespace dynamo::test {

// "apply DynamoModel/a status {...}", "event Normal Scaled on DynamoModel/a: ...", "POST http://...
// {...}". Omits the notes of events, unless `with_notes` is set.
inline std::vector<std::string> lines_of(std::span<const reconciler::Action> actions,
                                         bool with_notes = false) {
  using reconciler::Verb;
  std::vector<std::string> lines;
  for (const reconciler::Action& each : actions) {
    const std::string object = std::string(each.resource.kind) + "/" + each.name;
    std::string line(reconciler::to_string(each.verb));
    if (each.verb == Verb::kEvent) {
      line = each.is_warning ? "Warning " : "Normal ";
      line += each.reason + " on " + object;
      if (with_notes) line += ": " + each.note;
    } else if (each.verb == Verb::kHttp) {
      line = each.method + " " + each.url + (each.body.empty() ? "" : " " + each.body);
    } else {
      line += " " + object + (each.subresource.empty() ? "" : " " + each.subresource);
      line += each.body.empty() ? "" : " " + each.body;
    }
    lines.push_back(std::move(line));
  }
  return lines;
}

}  // namespace dynamo::test
