// Suggestions for misspelt names.
#pragma once

#include <span>
#include <string_view>

#include "schema/table.hpp"

namespace dynamo::schema {

// The property of `schema` whose name is nearest to `written`, or an empty view. Order: the same
// letters in another case, then the fewest letters inserted, removed, changed or transposed (at
// most a third of them, and at most three), then alphabetical order. Lookalikes count as the ASCII
// letters they resemble; invisible characters are ignored. Time is bounded; allocates only for a
// name that is not ASCII.
std::string_view nearest_property(const Schema& schema, std::string_view written);

// The nearest of some words, by the same measure.
std::string_view nearest_word(std::span<const std::string_view> words, std::string_view written);

// The only property or word that is one edit away, or differs only in case. Empty if there is none,
// if there are several, and for names shorter than three letters.
std::string_view certain_property(const Schema& schema, std::string_view written);
std::string_view certain_word(std::span<const std::string_view> words, std::string_view written);

}  // namespace dynamo::schema
