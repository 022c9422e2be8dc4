// Merges the labels and annotations of a desired object.
#pragma once

#include <algorithm>
#include <span>
#include <string_view>
#include <vector>

#include "render/component/labels.hpp"

namespace dynamo::render {

// Sets a label in a sorted list. It replaces an entry with the same key.
inline void set_label(std::vector<Label>& labels, const Label& label) {
  const auto at = std::ranges::lower_bound(labels, label.key, {}, &Label::key);
  if (at != labels.end() && at->key == label.key) {
    *at = label;
  } else {
    labels.insert(at, label);
  }
}

// Adds a label to a sorted list unless its key exists.
inline void add_label_if_absent(std::vector<Label>& labels, const Label& label) {
  const auto at = std::ranges::lower_bound(labels, label.key, {}, &Label::key);
  if (at == labels.end() || at->key != label.key) labels.insert(at, label);
}

inline std::vector<Label> list_of(std::span<const Label> labels) {
  return {labels.begin(), labels.end()};
}

}  // namespace dynamo::render
