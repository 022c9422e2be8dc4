#include "conversion/decode.hpp"

#include <algorithm>
#include <cmath>
#include <limits>
#include <utility>

#include "conversion/quantity.hpp"
#include "conversion/time_text.hpp"
#include "json/writer.hpp"

namespace dynamo::conversion {

namespace {

bool are_equal_ignoring_case(std::string_view one, std::string_view other) {
  const auto lower = [](char c) {
    return c >= 'A' && c <= 'Z' ? static_cast<char>(c - 'A' + 'a') : c;
  };
  return std::ranges::equal(one, other, {}, lower, lower);
}

// Conversions sort the elements of long lists, with up to this many bytes for each.
constexpr std::size_t kIndexBytes = 80;
constexpr std::size_t kMaxUncharged = 1000;  // elements

class Decoder {
 public:
  Decoder(Arena& arena, NameMatch names) : arena_(arena), names_(names) {}

  Node* object(json::Value value, const Type& type) {
    if (!value.is_object()) return mismatch(value, "an object");
    Node* created = arena_.object(type);
    std::uint64_t seen = 0;
    for (const json::Member member : value.members()) {
      const Field* const found = field_of(type, member.name);
      if (found == nullptr) continue;
      const Field& field = *found;
      const std::uint64_t bit = std::uint64_t{1} << type.index_of(field);
      // The last one of duplicate names counts.
      if ((seen & bit) != 0) remove(created, field.name);
      seen |= bit;
      if (member.value.is_nothing()) continue;
      Node* child = member_of(field, member.value);
      if (error_) return prepend(field.name);
      if (child == nullptr) continue;
      child->field = &field;
      link_last(created, child);
    }
    return created;
  }

  std::optional<DecodeError> take_error() {
    if (!error_) return std::nullopt;
    return DecodeError{std::move(path_), std::move(reason_)};
  }

 private:
  const Field* field_of(const Type& type, std::string_view name) const {
    const Field* const exact = type.find(name);
    if (exact != nullptr || names_ == NameMatch::kExact) return exact;
    const auto similar = std::ranges::find_if(type.fields, [name](const Field& field) {
      return are_equal_ignoring_case(field.name, name);
    });
    return similar == type.fields.end() ? nullptr : &*similar;
  }

  // Null for a value that the field does not keep.
  Node* member_of(const Field& field, json::Value value) {
    if (field.is_list()) return list(field, value);
    if (field.is_map()) return map(field, value);
    if (field.shape == Shape::kObject) return object(value, *field.type);
    if (field.shape == Shape::kString) return string(value, !field.is_pointer());
    return scalar(field, value, !field.is_pointer());
  }

  Node* list(const Field& field, json::Value value) {
    if (!value.is_array()) return mismatch(value, "a list");
    if (value.size() > kMaxUncharged) arena_.charge(value.size() * kIndexBytes);
    Node* created = arena_.list();
    std::size_t position = 0;
    for (const json::Value element : value.elements()) {
      Node* child = element_of(field, element);
      if (error_) return prepend_element(std::to_string(position));
      link_last(created, child);
      ++position;
    }
    return created;
  }

  Node* map(const Field& field, json::Value value) {
    if (!value.is_object()) return mismatch(value, "an object");
    Node* created = arena_.map();
    for (const json::Member member : value.members()) {
      Node* child = element_of(field, member.value);
      if (error_) return prepend_element(member.name);
      child->key = member.name;
      link_last(created, child);
    }
    return created;
  }

  // Never null, unless there is an error.
  Node* element_of(const Field& field, json::Value value) {
    if (value.is_nothing()) {
      if (field.is_pointer()) return arena_.node(NodeKind::kNull);
      return zero_of(field);
    }
    if (field.shape == Shape::kObject) return object(value, *field.type);
    return scalar(field, value, false);
  }

  Node* zero_of(const Field& field) {
    switch (field.shape) {
      case Shape::kObject:
        return arena_.object(*field.type);
      case Shape::kBoolean:
        return arena_.boolean(false);
      case Shape::kInteger32:
      case Shape::kInteger64:
      case Shape::kPort:
        return arena_.integer(0);
      case Shape::kNumber:
      case Shape::kNumber32:
        return arena_.number(0);
      case Shape::kQuantity:
        return arena_.string("0", Shape::kQuantity);
      case Shape::kOpaque:
        return arena_.node(NodeKind::kNull);
      default:
        return arena_.string("");
    }
  }

  Node* scalar(const Field& field, json::Value value, bool omits_zero) {
    switch (field.shape) {
      case Shape::kBoolean:
        return boolean(value, omits_zero);
      case Shape::kInteger32:
        return integer(value, std::numeric_limits<std::int32_t>::min(),
                       std::numeric_limits<std::int32_t>::max(), omits_zero);
      case Shape::kInteger64:
        return integer(value, std::numeric_limits<std::int64_t>::min(),
                       std::numeric_limits<std::int64_t>::max(), omits_zero);
      case Shape::kNumber:
      case Shape::kNumber32:
        return number(field, value, omits_zero);
      case Shape::kQuantity:
        return quantity(value, omits_zero);
      case Shape::kPort:
        return port(value, omits_zero);
      case Shape::kTime:
        return time(value);
      case Shape::kOpaque:
        return arena_.opaque(value);
      default:
        return string(value, omits_zero);
    }
  }

  Node* string(json::Value value, bool omits_zero) {
    if (!value.is_string()) return mismatch(value, "a string");
    const std::string_view text = value.string_or_empty();
    return omits_zero && text.empty() ? nullptr : arena_.string(text);
  }

  Node* boolean(json::Value value, bool omits_zero) {
    const auto flag = value.boolean();
    if (!flag) return mismatch(value, "a boolean");
    return omits_zero && !*flag ? nullptr : arena_.boolean(*flag);
  }

  Node* integer(json::Value value, std::int64_t least, std::int64_t most, bool omits_zero) {
    const auto number = value.integer();
    if (!number) return mismatch(value, "an integer");
    if (*number < least || *number > most) return fail("must fit into 32 bits");
    return omits_zero && *number == 0 ? nullptr : arena_.integer(*number);
  }

  Node* number(const Field& field, json::Value value, bool omits_zero) {
    const auto parsed = value.number();
    if (!parsed) return mismatch(value, "a number");
    if (omits_zero && *parsed == 0) return nullptr;
    if (field.shape == Shape::kNumber) return arena_.number(*parsed);
    const auto narrow = static_cast<float>(*parsed);
    if (!std::isfinite(narrow)) return fail("must fit into a 32-bit float");
    Node* created = arena_.number(static_cast<double>(narrow));
    created->shape = Shape::kNumber32;
    return created;
  }

  Node* quantity(json::Value value, bool omits_zero) {
    std::string spelled;
    std::string_view text = value.string_or_empty();
    if (value.is(json::Type::kInteger) || value.is(json::Type::kNumber)) {
      spelled = json_number(value);
      text = spelled;
    } else if (!value.is_string()) {
      return mismatch(value, "a quantity");
    }
    char buffer[kMaxQuantity];
    const auto canonical = canonical_quantity(trimmed(text), buffer);
    if (!canonical) return fail("must be a quantity");
    if (omits_zero && *canonical == "0") return nullptr;
    const bool is_lasting = canonical->data() != buffer && spelled.empty();
    return arena_.string(is_lasting ? *canonical : arena_.own(*canonical), Shape::kQuantity);
  }

  Node* port(json::Value value, bool omits_zero) {
    if (value.is_string()) {
      Node* created = arena_.string(value.string_or_empty(), Shape::kPort);
      return created;
    }
    return integer(value, std::numeric_limits<std::int32_t>::min(),
                   std::numeric_limits<std::int32_t>::max(), omits_zero);
  }

  Node* time(json::Value value) {
    if (!value.is_string()) return mismatch(value, "a time");
    char buffer[kTimeLength];
    const auto canonical = canonical_time(value.string_or_empty(), buffer);
    if (!canonical) return fail("must be a time such as 2026-08-21T12:00:00Z");
    const bool is_lasting = canonical->data() != buffer;
    return arena_.string(is_lasting ? *canonical : arena_.own(*canonical), Shape::kTime);
  }

  static std::string json_number(json::Value value) {
    // An exponent that a float has in JSON is part of the notation of quantities, too.
    std::string text;
    json::Writer(text).value(value);
    return text;
  }

  static std::string_view trimmed(std::string_view text) {
    constexpr std::string_view kBlanks = " \t\r\n";
    const std::size_t first = text.find_first_not_of(kBlanks);
    if (first == std::string_view::npos) return {};
    return text.substr(first, text.find_last_not_of(kBlanks) - first + 1);
  }

  Node* mismatch(json::Value value, std::string_view wanted) {
    const std::string_view type = json::type_name(value.type());
    return fail(std::string("must be ").append(wanted).append(", not of type ").append(type));
  }

  Node* fail(std::string reason) {
    error_ = true;
    reason_ = std::move(reason);
    return nullptr;
  }

  Node* prepend(std::string_view name) {
    path_.insert(0, std::string(".").append(name));
    return nullptr;
  }

  // An index, or a key of a map.
  Node* prepend_element(std::string_view element) {
    path_.insert(0, std::string("[").append(element).append("]"));
    return nullptr;
  }

  Arena& arena_;
  NameMatch names_;
  bool error_ = false;
  std::string path_;
  std::string reason_;
};

}  // namespace

Decoded decode(Arena& arena, json::Value value, const Type& type, NameMatch names) {
  Decoded decoded;
  if (value.is_nothing()) {
    decoded.root = arena.object(type);
    return decoded;
  }
  Decoder decoder(arena, names);
  decoded.root = decoder.object(value, type);
  decoded.error = decoder.take_error();
  return decoded;
}

}  // namespace dynamo::conversion
