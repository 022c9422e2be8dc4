// Describes the fields of the Kubernetes and Dynamo types, as the operator's Go structs declare
// them. The tables decide which members a conversion keeps, and which empty members it writes.
#pragma once

#include <cstddef>
#include <cstdint>
#include <span>
#include <string>
#include <string_view>

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

struct Type;

struct Field {
  std::string_view name;
  const Type* type = nullptr;  // of kObject
  Shape shape = Shape::kString;
  FieldFlags flags = 0;

  constexpr Field(std::string_view field_name, Shape field_shape, FieldFlags field_flags = 0)
      : name(field_name), shape(field_shape), flags(field_flags) {}
  constexpr Field(std::string_view field_name, const Type& object, FieldFlags field_flags = 0)
      : name(field_name), type(&object), shape(Shape::kObject), flags(field_flags) {
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
  std::span<const Field> fields;
  std::uint64_t always = 0;  // bit i: fields[i] is always written

  constexpr Type() = default;
  template <std::size_t N>
  constexpr explicit Type(const Field (&list)[N]) : fields(list) {
    static_assert(N <= 64);
    for (std::size_t i = 0; i < N; ++i) {
      if (list[i].is_always_written()) always |= std::uint64_t{1} << i;
    }
  }

  // The field with that name, or null.
  const Field* find(std::string_view name) const {
    for (const Field& field : fields) {
      if (are_same_name(field.name, name)) return &field;
    }
    return nullptr;
  }
};

}  // namespace dynamo::conversion
