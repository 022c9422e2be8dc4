#include "json/document.hpp"

#include <cmath>

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

bool equal(Value left, Value right) {
  const auto uncounted = [](std::size_t) {};
  return Equality<decltype(uncounted)>{uncounted}(left, right);
}

void Document::grow() {
  constexpr std::size_t kFirst = 64;
  const std::size_t doubled = std::max(2 * nodes_.size(), kFirst);
  nodes_.reserve(nodes_.size() < most_nodes_ ? std::min(doubled, most_nodes_) : doubled);
}

void Document::clear() {
  nodes_.clear();
  most_nodes_ = kNoBound;
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
