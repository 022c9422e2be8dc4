#include "json/sorted_members.hpp"

#include <algorithm>
#include <cassert>

namespace dynamo::json {
namespace {

// Precondition: the object is wide and has an index.
std::size_t copy_indexed(const Node* object, std::span<Member> sorted) {
  std::size_t count = 0;
  for (const std::uint32_t offset : *object->index) {
    count_step();
    const Node* const name = object + offset;
    sorted[count++] = {{name->text, name->length}, Value{name + 1}};
  }
  return count;
}

}  // namespace

std::size_t sort_members(Value object, std::span<Member> sorted) {
  assert(sorted.size() == object.size() || !object.is_object());
  if (!object.is_object()) return 0;
  const Node* const node = object.node();
  if (!is_narrow_object(*node) && node->index != nullptr) return copy_indexed(node, sorted);
  std::size_t count = 0;
  for (const Member member : object.members()) sorted[count++] = member;
  if (!std::ranges::is_sorted(sorted, {}, &Member::name)) {
    std::ranges::sort(sorted, [](const Member& one, const Member& other) {
      count_step();
      const int order = one.name.compare(other.name);
      return order != 0 ? order < 0 : one.value.node() < other.value.node();
    });
  }
  std::size_t kept = 0;
  for (const Member& member : sorted) {
    if (kept > 0 && sorted[kept - 1].name == member.name) --kept;
    sorted[kept++] = member;
  }
  return kept;
}

std::vector<Member> sorted_members(Value object) {
  std::vector<Member> members(object.is_object() ? object.size() : 0);
  members.resize(sort_members(object, members));
  return members;
}

Value find_member(std::span<const Member> sorted, std::string_view name) {
  const auto at = std::ranges::lower_bound(sorted, name, {}, &Member::name);
  return at != sorted.end() && at->name == name ? at->value : Value{};
}

}  // namespace dynamo::json
