#include "json/document.hpp"

#include <algorithm>
#include <array>
#include <cmath>
#include <utility>

#include "json/equality.hpp"

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
      return "list";
    case Type::kObject:
      return "object";
  }
  return "unknown";
}

std::optional<std::int64_t> Value::integer() const {
  if (is(Type::kInteger)) return node_->integer;
  if (is(Type::kNumber)) {
    // Integral doubles above 2^53 do not identify an integer exactly.
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

bool equal(Value left, Value right) {
  const auto uncounted = [](std::size_t) {};
  return Equality<decltype(uncounted)>{uncounted}(left, right);
}

bool is_nested_at_most(Value value, std::size_t levels) {
  if (!value.exists()) return true;
  std::vector<const Node*> open;  // ends of the containers around the current node
  const Node* const last = value.node() + value.node()->span;
  for (const Node* at = value.node(); at != last; ++at) {
    while (!open.empty() && open.back() == at) open.pop_back();
    if (!Value{at}.is_object() && !Value{at}.is_array()) continue;
    if (open.size() == levels) return false;
    open.push_back(at + at->span);
  }
  return true;
}

namespace {

std::string_view name_at(const Node* object, std::uint32_t offset) {
  return {object[offset].text, object[offset].length};
}

// A member name for sorting, with its first bytes as a number: that and the length decide most
// comparisons without reading the name.
struct SortedName {
  std::uint64_t first_bytes;
  std::uint32_t offset;
  std::uint32_t length;

  bool is_short() const { return length <= sizeof first_bytes; }
};

std::uint64_t first_bytes(std::string_view name) {
  std::uint64_t bytes = 0;
  for (std::size_t i = 0; i < sizeof bytes; ++i) {
    const unsigned char byte = i < name.size() ? static_cast<unsigned char>(name[i]) : 0;
    bytes = (bytes << 8U) | byte;
  }
  return bytes;
}

void sort_by_name(const Node* object, MemberIndex& index) {
  std::vector<SortedName> names;
  names.reserve(index.size());
  for (const std::uint32_t offset : index) {
    names.push_back({first_bytes(name_at(object, offset)), offset, object[offset].length});
  }
  std::ranges::sort(names, [object](const SortedName& one, const SortedName& other) {
    count_step();
    if (one.first_bytes != other.first_bytes) return one.first_bytes < other.first_bytes;
    if (one.is_short() && other.is_short()) {
      return std::pair(one.length, one.offset) < std::pair(other.length, other.offset);
    }
    const int order = name_at(object, one.offset).compare(name_at(object, other.offset));
    return order != 0 ? order < 0 : one.offset < other.offset;
  });
  std::ranges::transform(names, index.begin(), &SortedName::offset);
}

}  // namespace

Value Value::find_in_wide(std::string_view name) const {
  if (!is_object()) return Value{};
  if (node_->index == nullptr) {
    const Node* found = nullptr;
    for (const Member member : members()) {
      if (member.name == name) found = member.value.node();
    }
    return Value{found};
  }
  const MemberIndex& index = *node_->index;
  const auto at = std::ranges::lower_bound(index, name, {}, [this](std::uint32_t offset) {
    count_step();
    return name_at(node_, offset);
  });
  if (at == index.end() || name_at(node_, *at) != name) return Value{};
  return Value{node_ + *at + 1};
}

void Document::index_members(std::size_t object) {
  Node& node = nodes_[object];
  MemberIndex& index = indexes_.emplace_back();
  index.reserve(node.length);
  bool is_sorted = true;  // the API server writes maps in this order
  std::string_view before;
  for (const Member member : Value{&node}.members()) {
    is_sorted = is_sorted && before <= member.name;
    before = member.name;
    index.push_back(static_cast<std::uint32_t>(member.value.node() - &node - 1));
  }
  if (!is_sorted) sort_by_name(&node, index);
  // The last one of equal names is kept.
  const auto kept =
      std::unique(index.rbegin(), index.rend(), [&node](std::uint32_t one, std::uint32_t other) {
        return name_at(&node, one) == name_at(&node, other);
      });
  index.erase(index.begin(), kept.base());
  node.index = &index;
}

void Document::grow() {
  constexpr std::size_t kFirst = 64;
  const std::size_t doubled = std::max(2 * nodes_.capacity(), kFirst);
  nodes_.reserve(nodes_.capacity() < most_nodes_ ? std::min(doubled, most_nodes_) : doubled);
}

void Document::clear() {
  nodes_.clear();
  is_plain_ = false;
  most_nodes_ = kNoBound;
  open_.clear();
  locations_.clear();
  owned_.clear();
  indexes_.clear();
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

void Builder::repeat(std::uint32_t first) {
  std::vector<Node>& nodes = document_.nodes_;
  const std::size_t span = nodes[first].span;
  const std::size_t size = nodes.size();
  while (nodes.capacity() < size + span) document_.grow();
  nodes.resize(size + span);
  std::memcpy(&nodes[size], &nodes[first], span * sizeof(Node));
}

void Builder::copy(Value value) {
  if (!value.exists()) return null();
  const std::size_t first = document_.nodes_.size();
  document_.nodes_.insert(document_.nodes_.end(), value.node(), value.node() + value.node()->span);
  // Each document owns its indexes. A value this small contains no wide object.
  if (value.node()->span <= 2 * kMaxUnindexed) return;
  for (std::size_t at = first; at < document_.nodes_.size(); ++at) {
    Node& node = document_.nodes_[at];
    if (!Value{&node}.is_object() || is_narrow_object(node)) continue;
    if (node.index != nullptr) node.index = &document_.indexes_.emplace_back(*node.index);
  }
}

}  // namespace dynamo::json
