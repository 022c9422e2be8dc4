#include "render/document/sorted_members.hpp"

#include <algorithm>

namespace dynamo::render {
namespace {

// Sorts by name and moves the last member of each name to the front. Returns their number.
std::size_t sort_and_thin(std::span<json::Member> members) {
  if (!std::ranges::is_sorted(members, {}, &json::Member::name)) {
    std::ranges::stable_sort(members, [](const json::Member& one, const json::Member& other) {
      json::count_step();
      return one.name < other.name;
    });
  }
  std::size_t kept = 0;
  for (const json::Member& member : members) {
    if (kept > 0 && members[kept - 1].name == member.name) --kept;
    members[kept++] = member;
  }
  return kept;
}

}  // namespace

std::vector<json::Member> sorted_members(json::Value object) {
  std::vector<json::Member> members;
  members.reserve(object.size());
  for (const json::Member member : object.members()) members.push_back(member);
  members.resize(sort_and_thin(members));
  return members;
}

std::span<const json::Member> sorted_members(json::Value object, Arena& arena) {
  ArenaList<json::Member> members(arena, object.is_object() ? object.size() : 0);
  for (const json::Member member : object.members()) members.push(member);
  return members.items().first(sort_and_thin(members.items()));
}

json::Value find_member(std::span<const json::Member> members, std::string_view name) {
  const auto at = std::ranges::lower_bound(members, name, {}, &json::Member::name);
  return at != members.end() && at->name == name ? at->value : json::Value{};
}

}  // namespace dynamo::render
