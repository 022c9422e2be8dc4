// The name that somebody meant who wrote another one.
#pragma once

#include <span>
#include <string_view>

#include "schema/table.hpp"

namespace dynamo::schema {

// The property of `schema` whose name is nearest to `written`, or an empty view: the same letters
// in another case first, then the fewest letters inserted, left out, changed or swapped with their
// neighbour (at most a third of them, and at most three), then alphabetical order. Letters that
// only look like those of ASCII count as them, and invisible characters not at all. Takes bounded
// time, and memory only for a name that is not ASCII.
std::string_view nearest_property(const Schema& schema, std::string_view written);

// The nearest of some words, by the same measure.
std::string_view nearest_word(std::span<const std::string_view> words, std::string_view written);

// The property or word that was surely meant: the only one that is one edit away, or differs in
// case alone. Empty when there is none, when there are several, and for less than three letters.
std::string_view certain_property(const Schema& schema, std::string_view written);
std::string_view certain_word(std::span<const std::string_view> words, std::string_view written);

}  // namespace dynamo::schema
