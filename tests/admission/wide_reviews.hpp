// Reviews with one list, map or text that is as large as possible, to test the limits on memory and
// cost for any input.
#pragma once

#include <cstddef>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "api/kind.hpp"
#include "schema/table.hpp"

namespace dynamo::test {

// A list, a map, a text or a number in an object of that kind. A step is the name of a member, or
// "[]" for the first element of a list.
struct WidePlace {
  api::Kind kind;
  api::Version version;
  std::vector<std::string> steps;
  const schema::Schema* schema;

  std::string path() const;
  bool is_text() const {
    return schema->type == schema::Type::kString || schema->type == schema::Type::kIntOrString;
  }
  bool is_number() const {
    return schema->type == schema::Type::kInteger || schema->type == schema::Type::kNumber;
  }
};

// The lists, maps and texts in spec and metadata, from the schema of the first generation.
std::vector<WidePlace> wide_places(api::Kind kind);

// The same and the texts of quantities, numbers, and the status, for a resource of a kind that the
// webhook validates.
std::vector<WidePlace> all_wide_places(const schema::Resource& resource);

// The content of a list or map.
enum class Filling : unsigned char {
  kZeros,
  kObjects,
  kTexts,
  kValid,
  kNulls,
  kLists,
  kSameNames,
  kReferences,  // texts that refer to the entry before, also in the fields of objects
  kFull,        // objects with every text, number and flag
  kLong,        // few entries, with long texts whose ends differ
  kDollars,     // a run of one character in every text
  kQuotes,
  kBackslashes,
};
inline constexpr std::string_view kFillingNames[] = {
    "zeros",      "empty_objects", "empty_texts", "valid",   "nulls",  "nested_lists", "same_names",
    "references", "full",          "long",        "dollars", "quotes", "backslashes"};
// The first ones, which differ in the types of entries.
inline constexpr std::size_t kFillingsByType = 7;

enum class Order : unsigned char {
  kForward,
  kReversed,
  kChanged,  // other names, texts and numbers
};

// About `size` bytes of JSON for that place: a list, a map or a text.
std::string filled(const schema::Schema& schema, Filling filling, std::size_t size,
                   Order order = Order::kForward);

// Words, references and options, which a text repeats; as JSON.
std::span<const std::string_view> text_words();

// A text of about `size` bytes that repeats `words`, and ends with `end`.
std::string filled_text(std::string_view words, std::size_t size, std::string_view end = {});

// An ordinary object with `content` at that place.
std::string object_with(const WidePlace& place, std::string_view content);

// An ordinary graph of about `size` bytes.
std::string plain_graph(std::size_t size);

// The review of a new object, or of an update of the old one.
std::string wide_review(api::Kind kind, std::string_view object, std::string_view old_object = {},
                        api::Version version = api::Version::kV1alpha1);

}  // namespace dynamo::test
