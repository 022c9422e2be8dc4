// Helpers of all fuzz targets: properties that hold for every input, and an abort with an
// explanation if one does not.
#pragma once

#include <cstdint>
#include <cstdio>
#include <cstdlib>
#include <string>
#include <string_view>
#include <vector>

#include "json/document.hpp"
#include "json/parser.hpp"
#include "json/writer.hpp"

namespace dynamo::fuzz {

// Aborts if the property does not hold, in release builds too.
inline void require(bool holds, const char* property) {
  if (holds) return;
  std::fprintf(stderr, "does not hold: %s\n", property);
  std::abort();
}

// Checks that the tape of the value is consistent: counts and spans agree at every level. Returns
// the depth.
inline std::size_t check_tape(json::Value root) {
  struct OpenContainer {
    const json::Node* end;
    std::size_t values_left;
    bool is_object;
    std::uint64_t lacks;
  };
  const json::Node* at = root.node();
  const json::Node* const last = at + at->span;
  std::vector<OpenContainer> open;
  std::size_t depth = 0;
  while (at != last) {
    const bool is_name = !open.empty() && open.back().is_object && open.back().values_left % 2 == 0;
    require(!is_name || static_cast<json::Type>(at->type) == json::Type::kString,
            "every other node of an object is a name");
    require(!is_name || (open.back().lacks & json::name_class({at->text, at->length})) == 0,
            "an object does not lack a name that it has");
    if (!open.empty()) {
      require(open.back().values_left > 0, "a container holds as many values as it says");
      --open.back().values_left;
    }
    const json::Value value{at};
    if (value.is_array() || value.is_object()) {
      require(at->span >= 1 && at + at->span <= last, "a container ends within its document");
      const bool wide = value.is_object() && !json::is_narrow_object(*at);
      open.push_back({at + at->span, value.size() * (value.is_object() ? 2 : 1), value.is_object(),
                      wide ? 0 : at->lacks});
      depth = open.size() > depth ? open.size() : depth;
    } else {
      require(at->span == 1, "a scalar is one node");
    }
    ++at;
    while (!open.empty() && open.back().end == at) {
      require(open.back().values_left == 0, "a container holds as many values as it says");
      open.pop_back();
    }
    require(open.empty() || at < open.back().end, "a value ends within its container");
  }
  require(open.empty(), "every container ends");
  return depth;
}

// Checks that the text of the value is JSON, means the same value, and is written the same way
// again.
inline void check_round_trip(json::Value value) {
  const std::string text = json::to_text(value);
  const auto again = json::parse_copy(text, {.max_depth = 1000});
  require(!again->error, "what is written is JSON");
  require(json::equal(value, again->root()), "what is written means the same");
  require(json::equal(again->root(), value), "equality goes both ways");
  // Numbers may become shorter once (1.0, 1), but not twice.
  const std::string second = json::to_text(again->root());
  const auto third = json::parse_copy(second, {.max_depth = 1000});
  require(!third->error && json::to_text(third->root()) == second, "writing settles");
}

inline std::string_view as_text(const unsigned char* data, std::size_t size) {
  return {reinterpret_cast<const char*>(data), size};
}

}  // namespace dynamo::fuzz
