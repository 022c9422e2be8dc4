// Labels and annotations of a child, put together.
#pragma once

#include <algorithm>
#include <span>
#include <string_view>
#include <vector>

#include "render/labels.hpp"

namespace dynamo::render {

// Sorted by key; of equal keys the later one wins.
inline void lay_over(std::vector<Label>& labels, const Label& label) {
  const auto at = std::ranges::lower_bound(labels, label.key, {}, &Label::key);
  if (at != labels.end() && at->key == label.key) {
    *at = label;
  } else {
    labels.insert(at, label);
  }
}

// The earlier one wins.
inline void lay_under(std::vector<Label>& labels, const Label& label) {
  const auto at = std::ranges::lower_bound(labels, label.key, {}, &Label::key);
  if (at == labels.end() || at->key != label.key) labels.insert(at, label);
}

inline std::vector<Label> list_of(std::span<const Label> labels) {
  return {labels.begin(), labels.end()};
}

}  // namespace dynamo::render
