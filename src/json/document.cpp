#include "json/document.hpp"

#include <algorithm>
#include <cmath>

namespace dynamo::json {

std::string_view type_name(Type type) {
  switch (type) {
    case Type::kNull:
      return "null";
    case Type::kBoolean:
      return "boolean";
    case Type::kInteger:
      return "integer";
    case Type::kNumber:
      return "number";
    case Type::kString:
      return "string";
    case Type::kArray:
      return "array";
    case Type::kObject:
      return "object";
  }
  return "unknown";
}

std::optional<std::int64_t> Value::integer() const {
  if (is(Type::kInteger)) return node_->integer;
  if (is(Type::kNumber)) {
    // Integral doubles beyond 2^53 no longer say which integer was meant.
    constexpr double kExact = 9007199254740992.0;
    const double value = node_->number;
    if (std::trunc(value) == value && std::abs(value) <= kExact) {
      return static_cast<std::int64_t>(value);
    }
  }
  return std::nullopt;
}

std::optional<double> Value::number() const {
  if (is(Type::kInteger)) return static_cast<double>(node_->integer);
  if (is(Type::kNumber)) return node_->number;
  return std::nullopt;
}

namespace {

// Members in the order of their names; of duplicates, in the order of the text.
std::vector<Member> sorted_members(Value object) {
  std::vector<Member> members;
  members.reserve(object.size());
  for (const Member member : object.members()) members.push_back(member);
  std::ranges::stable_sort(members, {}, &Member::name);
  return members;
}

bool equal_in_any_order(Value left, Value right) {
  return std::ranges::equal(sorted_members(left), sorted_members(right),
                            [](const Member& one, const Member& other) {
                              return one.name == other.name && equal(one.value, other.value);
                            });
}

bool equal_members(Value left, Value right) {
  if (left.size() != right.size()) return false;
  // Both sides usually come from the same serialiser and list the same names in the same order.
  auto other = right.members().begin();
  for (const Member member : left.members()) {
    const Member beside = *other;
    if (beside.name != member.name) return equal_in_any_order(left, right);
    if (!equal(member.value, beside.value)) return false;
    ++other;
  }
  return true;
}

bool equal_elements(Value left, Value right) {
  if (left.size() != right.size()) return false;
  auto other = right.elements().begin();
  for (const Value element : left.elements()) {
    if (!equal(element, *other)) return false;
    ++other;
  }
  return true;
}

}  // namespace

bool equal(Value left, Value right) {
  if (!left.exists() || !right.exists()) return left.exists() == right.exists();
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
      return right.is_array() && equal_elements(left, right);
    case Type::kObject:
      return right.is_object() && equal_members(left, right);
  }
  return false;
}

void Document::clear() {
  nodes_.clear();
  open_.clear();
  locations_.clear();
  owned_.clear();
}

std::optional<Location> Document::location(Value value) const {
  if (!value.exists() || locations_.empty()) return std::nullopt;
  const auto index = static_cast<std::size_t>(value.node() - nodes_.data());
  if (index >= locations_.size()) return std::nullopt;
  return locations_[index];
}

void Document::shrink_to(std::size_t nodes) {
  clear();
  if (nodes_.capacity() <= nodes) return;
  std::vector<Node> smaller;
  smaller.reserve(nodes);
  nodes_.swap(smaller);
}

void Builder::copy(Value value) {
  if (!value.exists()) return null();
  document_.nodes_.insert(document_.nodes_.end(), value.node(), value.node() + value.node()->span);
}

}  // namespace dynamo::json
