// Reviews with one list, map or text that is as large as possible, to test the limits on memory and
// cost for any input.
#pragma once

#include <cstddef>
#include <string>
#include <string_view>
#include <vector>

#include "api/kind.hpp"
#include "schema/table.hpp"

namespace dynamo::test {

// A list, a map or a text in an object of that kind. A step is the name of a member, or "[]" for
// the first element of a list.
struct WidePlace {
  api::Kind kind;
  std::vector<std::string> steps;
  const schema::Schema* schema;

  std::string path() const;
  bool is_text() const { return schema->type == schema::Type::kString; }
};

// All of them in spec and metadata, from the schema's tables.
std::vector<WidePlace> wide_places(api::Kind kind);

// The content of a list or map.
enum class Filling : unsigned char { kZeros, kObjects, kTexts, kValid, kNulls, kLists, kSameNames };
inline constexpr std::string_view kFillingNames[] = {
    "zeros", "empty_objects", "empty_texts", "valid", "nulls", "nested_lists", "same_names"};

// About `size` bytes of JSON for that place: a list, a map or a text.
std::string filled(const schema::Schema& schema, Filling filling, std::size_t size);

// An ordinary object with `content` at that place.
std::string object_with(const WidePlace& place, std::string_view content);

// An ordinary graph of about `size` bytes.
std::string plain_graph(std::size_t size);

// The review of a new object, or of an update of the old one.
std::string wide_review(api::Kind kind, std::string_view object, std::string_view old_object = {});

}  // namespace dynamo::test
