// How the JSON types of fields are written down: as constant tables that point at each other.
#pragma once

#include <array>
#include <cstddef>
#include <span>
#include <string_view>

namespace dynamo::validators::shapes {

enum class Form : unsigned char {
  kAny,
  kString,
  kBoolean,
  kInt32,
  kInt64,
  kNumber,
  kIntOrString,
  kQuantity,  // a number, or text with the syntax of a quantity
  kObject,    // with the fields that are listed; others are not looked at
  kMap,       // any names, values of one shape
  kList,
};

struct Field;

struct Shape {
  Form form;
  std::span<const Field> fields = {};  // kObject, sorted by name
  const Shape* of = nullptr;           // kMap, kList
};

struct Field {
  std::string_view name;
  const Shape* shape;
};

inline constexpr Shape kAny{Form::kAny};
inline constexpr Shape kString{Form::kString};
inline constexpr Shape kBoolean{Form::kBoolean};
inline constexpr Shape kInt32{Form::kInt32};
inline constexpr Shape kInt64{Form::kInt64};
inline constexpr Shape kNumber{Form::kNumber};
inline constexpr Shape kIntOrString{Form::kIntOrString};
inline constexpr Shape kQuantity{Form::kQuantity};
inline constexpr Shape kStrings{Form::kList, {}, &kString};
inline constexpr Shape kStringMap{Form::kMap, {}, &kString};

// The fields with one more at its place in the order of names.
template <std::size_t Size>
constexpr std::array<Field, Size + 1> with_field(const Field (&fields)[Size], const Field& added) {
  std::array<Field, Size + 1> all{};
  std::size_t at = 0;
  bool placed = false;
  for (const Field& field : fields) {
    if (!placed && added.name < field.name) {
      all[at++] = added;
      placed = true;
    }
    all[at++] = field;
  }
  if (!placed) all[at] = added;
  return all;
}

}  // namespace dynamo::validators::shapes
