// Prints the tree as text and as JSON.
#pragma once

#include <string>
#include <string_view>

#include "cli/cluster/status/tree.hpp"

namespace dynamo::doctor::status {

struct TextOptions {
  bool color = false;
  // Also prints healthy conditions and normal events; otherwise only those that report trouble.
  bool shows_all = false;
};

// For users. Text from the cluster is escaped for terminals and limited in length. Ages count from
// `now`. A model or checkpoint that several graphs share is printed in full below the first one
// only.
std::string text_of(const StatusTree& tree, TimePoint now, const TextOptions& options);

// One object on one line. Deterministic for a tree: it contains times, not ages.
std::string json_of(const StatusTree& tree, std::string_view server,
                    std::string_view namespace_name);

}  // namespace dynamo::doctor::status
