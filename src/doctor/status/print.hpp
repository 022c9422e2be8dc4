// The tree as text and as JSON.
#pragma once

#include <string>
#include <string_view>

#include "doctor/status/tree.hpp"

namespace dynamo::doctor::status {

struct TextOptions {
  bool color = false;
  // Conditions that are as expected and normal events, too; else only what reports trouble.
  bool shows_all = false;
};

// For people. No text of the cluster reaches a terminal as more than text, and each is bounded.
// Ages count from `now`. A model or checkpoint that several graphs share is whole below the first.
std::string text_of(const Tree& tree, TimePoint now, const TextOptions& options);

// One object in one line. The same for the same tree: it has times, no ages.
std::string json_of(const Tree& tree, std::string_view server, std::string_view namespace_name);

}  // namespace dynamo::doctor::status
