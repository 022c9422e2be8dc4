// Compares two values, as a template over a step counter: equal() counts nothing, tests compare the
// number of steps with the size of the values.
#pragma once

#include <cstddef>
#include <functional>
#include <string_view>
#include <vector>

#include "json/document.hpp"
#include "json/sorted_members.hpp"

namespace dynamo::json {

// Every value is compared at most once, so the steps are O(bytes * log(members of one object)) for
// every shape. `OnStep` is called with the number of bytes that a step reads, except for sorting
// names. Not thread-safe if `OnStep` is not.
template <typename OnStep>
class Equality {
 public:
  explicit Equality(OnStep on_step) : on_step_(on_step) {}

  bool operator()(Value left, Value right) {
    if (!left.exists() || !right.exists()) return left.exists() == right.exists();
    on_step_(1 + left.string_or_empty().size());
    switch (left.type()) {
      case Type::kNull:
        return right.is(Type::kNull);
      case Type::kBoolean:
        return right.boolean() == left.boolean();
      case Type::kInteger:
        if (right.is(Type::kInteger)) return left.node()->integer == right.node()->integer;
        [[fallthrough]];
      case Type::kNumber:
        return right.number() == left.number();
      case Type::kString:
        return right.string() == left.string();
      case Type::kArray:
        return right.is_array() && are_equal_elements(left, right);
      case Type::kObject:
        return right.is_object() && are_equal_members(left, right);
    }
    return false;
  }

 private:
  bool are_equal_elements(Value left, Value right) {
    if (left.size() != right.size()) return false;
    auto other = right.elements().begin();
    for (const Value element : left.elements()) {
      if (!(*this)(element, *other)) return false;
      ++other;
    }
    return true;
  }

  // Both sides usually come from the same serialiser and list the same names in the same order.
  // Check that before the first value: a value compared in two ways costs twice, and so does each
  // level below it.
  bool are_equal_members(Value left, Value right) {
    if (!have_same_names(left, right)) return are_equal_by_name(left, right, nullptr);
    auto other = right.members().begin();
    for (auto at = left.members().begin(); at != left.members().end(); ++at, ++other) {
      const Member member = *at;
      if ((*this)(member.value, (*other).value)) continue;
      // A later member with that name hides the difference.
      return is_repeated_later(at, left) && are_equal_by_name(left, right, member.value.node());
    }
    return true;
  }

  bool have_same_names(Value left, Value right) {
    if (left.size() != right.size()) return false;
    auto other = right.members().begin();
    for (const Member member : left.members()) {
      on_step_(1 + member.name.size());
      if (member.name != (*other).name) return false;
      ++other;
    }
    return true;
  }

  bool is_repeated_later(Members::Iterator at, Value object) {
    const std::string_view name = (*at).name;
    while (++at != object.members().end()) {
      on_step_(1 + name.size());
      if ((*at).name == name) return true;
    }
    return false;
  }

  // `settled`: the last value of `left` that was already compared with the member at the same
  // position in `right`, or null.
  bool are_equal_by_name(Value left, Value right, const Node* settled) {
    const std::vector<Member> ours = sorted_members(left);
    const std::vector<Member> theirs = sorted_members(right);
    if (ours.size() != theirs.size()) return false;
    auto other = theirs.begin();
    for (const Member& member : ours) {
      on_step_(1 + member.name.size());
      if (member.name != other->name) return false;
      const bool known = settled != nullptr && !std::less<>{}(settled, member.value.node());
      if (!known && !(*this)(member.value, other->value)) return false;
      ++other;
    }
    return true;
  }

  OnStep on_step_;
};

}  // namespace dynamo::json
