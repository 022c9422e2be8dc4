#include "validators/texts.hpp"

#include <algorithm>

namespace dynamo::validators {

const RuleText* find_text(std::string_view id) {
  for (const std::span<const RuleText> group : text_groups()) {
    const auto at = std::ranges::find(group, id, &RuleText::id);
    if (at != group.end()) return &*at;
  }
  return nullptr;
}

}  // namespace dynamo::validators
