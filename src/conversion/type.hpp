// Describes the fields of the Kubernetes and Dynamo types, as the operator's Go structs declare
// them. The tables decide which members a conversion keeps, and which empty members it writes.
#pragma once

#include <array>
#include <bit>
#include <cstddef>
#include <cstdint>
#include <span>
#include <string>
#include <string_view>
#include <utility>

#include "json/document.hpp"

namespace dynamo::conversion {

enum class Shape : std::uint8_t {
  kString,
  kBoolean,
  kInteger32,
  kInteger64,
  kNumber,
  kNumber32,  // binary32, as Go's float32
  kQuantity,  // text in canonical form
  kPort,      // integer or string
  kTime,      // RFC 3339
  kDuration,  // Go's notation; zero is "0s"
  kOpaque,    // any JSON, kept as it is
  kObject,
};

// Flags of a field. A field without kPointer omits its zero value; an object without kPointer is
// a struct by value.
using FieldFlags = std::uint8_t;
inline constexpr FieldFlags kPointer = 1;
inline constexpr FieldFlags kListOf = 2;
inline constexpr FieldFlags kMapOf = 4;
inline constexpr FieldFlags kAlways = 8;  // written even when it is zero

// Compares names. Most pairs differ in length or at an end, which needs no call of memcmp.
constexpr bool are_same_name(std::string_view one, std::string_view other) {
  if (one.size() != other.size()) return false;
  if (one.empty()) return true;
  if (one.front() != other.front() || one.back() != other.back()) return false;
  return std::char_traits<char>::compare(one.data(), other.data(), one.size()) == 0;
}

// The class of a name, as a number below 64.
constexpr std::uint8_t name_class_number(std::string_view name) {
  return static_cast<std::uint8_t>(std::countr_zero(json::name_class(name)));
}

struct Type;

struct Field {
  std::string_view name;
  const Type* type = nullptr;  // of kObject
  Shape shape = Shape::kString;
  FieldFlags flags = 0;
  std::uint8_t class_number = 0;  // of the name

  constexpr Field(std::string_view field_name, Shape field_shape, FieldFlags field_flags = 0)
      : name(field_name),
        shape(field_shape),
        flags(field_flags),
        class_number(name_class_number(field_name)) {}
  constexpr Field(std::string_view field_name, const Type& object, FieldFlags field_flags = 0)
      : name(field_name),
        type(&object),
        shape(Shape::kObject),
        flags(field_flags),
        class_number(name_class_number(field_name)) {
    // Go's omitempty has no effect on a struct by value.
    if ((flags & (kPointer | kListOf | kMapOf)) == 0) flags |= kAlways;
  }

  constexpr bool is_pointer() const { return (flags & kPointer) != 0; }
  constexpr bool is_list() const { return (flags & kListOf) != 0; }
  constexpr bool is_map() const { return (flags & kMapOf) != 0; }
  constexpr bool is_always_written() const { return (flags & kAlways) != 0; }
  // A struct by value, or opaque JSON by value: v1beta1 omits it when it is `{}`.
  constexpr bool is_by_value() const {
    return (flags & (kPointer | kListOf | kMapOf)) == 0 &&
           (shape == Shape::kObject || shape == Shape::kOpaque);
  }
};

// A struct. Its fields are sorted by name, as the API server sorts the members of an object.
struct Type {
  static constexpr std::uint8_t kNone = 0xFF;

  std::span<const Field> fields;
  std::uint64_t always = 0;  // bit i: fields[i] is always written
  // Chains of the fields whose names have the same class: the first one of each class, and the one
  // that follows each field.
  std::array<std::uint8_t, 64> first_of_class = {};
  std::array<std::uint8_t, 64> next_of_class = {};

  constexpr Type() { first_of_class.fill(kNone); }
  template <std::size_t N>
  constexpr explicit Type(const Field (&list)[N]) : fields(list) {
    static_assert(N <= 64);
    first_of_class.fill(kNone);
    for (std::size_t i = N; i-- > 0;) {
      if (list[i].is_always_written()) always |= std::uint64_t{1} << i;
      std::uint8_t& first = first_of_class[list[i].class_number];
      next_of_class[i] = std::exchange(first, static_cast<std::uint8_t>(i));
    }
  }

  // The field with that name, or null.
  const Field* find(std::string_view name) const {
    for (std::uint8_t i = first_of_class[name_class_number(name)]; i != kNone;
         i = next_of_class[i]) {
      if (fields[i].name == name) return &fields[i];
    }
    return nullptr;
  }
  // The position of one of the type's fields.
  std::size_t index_of(const Field& field) const {
    return static_cast<std::size_t>(&field - fields.data());
  }
};

}  // namespace dynamo::conversion
