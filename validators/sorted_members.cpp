#include "validators/sorted_members.hpp"

#include <algorithm>

namespace dynamo::validators {

std::vector<json::Member> sorted_members(json::Value object) {
  std::vector<json::Member> members;
  members.reserve(object.size());
  for (const json::Member member : object.members()) members.push_back(member);
  if (!std::ranges::is_sorted(members, {}, &json::Member::name)) {
    std::ranges::stable_sort(members, {}, &json::Member::name);
  }
  // Of equal names the last one stays.
  const auto first = members.begin();
  auto kept = first;
  for (auto at = first; at != members.end(); ++at) {
    if (kept != first && (kept - 1)->name == at->name) --kept;
    *kept++ = *at;
  }
  members.erase(kept, members.end());
  return members;
}

json::Value find_member(const std::vector<json::Member>& members, std::string_view name) {
  const auto at = std::ranges::lower_bound(members, name, {}, &json::Member::name);
  return at != members.end() && at->name == name ? at->value : json::Value{};
}

}  // namespace dynamo::validators
