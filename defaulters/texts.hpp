// The documentation of each default: its purpose, and an object before and after it. Used by
// `kubectl dynamo explain` and the documentation, never while a request is handled.
#pragma once

#include <span>
#include <string_view>

namespace dynamo::defaulters {

// All views point to static storage; each text ends with a line break and has no line over 100
// columns.
struct DefaultText {
  std::string_view id;           // of a default in catalog.hpp
  std::string_view since;        // the version of this project that introduced the default
  std::string_view explanation;  // two to five sentences
  std::string_view before;       // a complete manifest that is created, in YAML
  std::string_view
      after;  // the stored object, with a server that runs with --operator-version=0.8.1
};

// Exactly one text for each default of both catalogs. Safe from any thread.
std::span<const DefaultText> texts();

// The text of that default, or null.
const DefaultText* find_text(std::string_view id);

}  // namespace dynamo::defaulters
