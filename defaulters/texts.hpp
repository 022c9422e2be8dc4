// What is said of a default at length: what it is for, and an object without and with it. For
// people who ask, never on a request's way.
#pragma once

#include <span>
#include <string_view>

namespace dynamo::defaulters {

// All views are into static storage; each text ends with a line break and has no line over 100
// columns.
struct DefaultText {
  std::string_view id;           // of a default in catalog.hpp
  std::string_view since;        // the version of this project that brought the default
  std::string_view explanation;  // two to five sentences
  std::string_view before;       // a whole manifest that is created, in YAML
  std::string_view after;        // what is stored, by a server with --operator-version=0.8.1
};

// Exactly one for each default of the catalogue. Safe from any thread.
std::span<const DefaultText> texts();

// The text of that default, or null.
const DefaultText* find_text(std::string_view id);

}  // namespace dynamo::defaulters
