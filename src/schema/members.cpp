#include "schema/members.hpp"

#include <algorithm>

#include "json/sorted_members.hpp"

namespace dynamo::schema {
namespace {

// Stable sort, so that the last one of duplicates stays last.
std::vector<json::Member> all_sorted(json::Value object) {
  std::vector<json::Member> members;
  members.reserve(object.size());
  for (const json::Member member : object.members()) members.push_back(member);
  if (!std::ranges::is_sorted(members, {}, &json::Member::name)) {
    std::ranges::stable_sort(members, [](const json::Member& one, const json::Member& other) {
      json::count_step();
      return one.name < other.name;
    });
  }
  return members;
}

bool is_ascending(json::Value object) {
  std::string_view before;
  bool first = true;
  for (const json::Member member : object.members()) {
    if (!first && before >= member.name) return false;
    before = member.name;
    first = false;
  }
  return true;
}

bool all_pairs_differ(json::Value object) {
  const json::Members members = object.members();
  for (auto right = members.begin(); right != members.end(); ++right) {
    for (auto left = members.begin(); left != right; ++left) {
      if ((*left).name == (*right).name) return false;
    }
  }
  return true;
}

}  // namespace

bool has_unique_names(json::Value object) {
  constexpr std::size_t kFew = 16;  // below that, comparing all pairs is cheaper than sorting
  if (is_ascending(object)) return true;
  if (object.size() <= kFew) return all_pairs_differ(object);
  return json::sorted_members(object).size() == object.size();
}

std::vector<std::string_view> repeated_names(json::Value object) {
  std::vector<std::string_view> names;
  const std::vector<json::Member> members = all_sorted(object);
  for (std::size_t at = 1; at < members.size(); ++at) {
    const std::string_view name = members[at].name;
    if (name != members[at - 1].name || (!names.empty() && names.back() == name)) continue;
    names.push_back(name);
  }
  return names;
}

std::vector<json::Member> members_that_count(json::Value object) {
  std::vector<json::Member> members = json::sorted_members(object);
  std::ranges::sort(members, {}, [](const json::Member& member) { return member.value.node(); });
  return members;
}

}  // namespace dynamo::schema
