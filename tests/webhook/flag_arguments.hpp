// Command lines of the server, for tests of flags and help.
#pragma once

#include <gtest/gtest.h>

#include <span>
#include <utility>
#include <variant>
#include <vector>

#include "runtime/flags.hpp"
#include "webhook/flags.hpp"

namespace dynamo::webhook {

using Arguments = std::vector<const char*>;

inline std::variant<Options, runtime::EarlyExit> parse(const Arguments& arguments) {
  return parse_flags(std::span<const char* const>(arguments));
}

// The result of a command line that must end the program.
inline runtime::EarlyExit exit_of(const Arguments& arguments) {
  auto parsed = parse(arguments);
  if (!std::holds_alternative<runtime::EarlyExit>(parsed)) {
    ADD_FAILURE() << "accepted";
    return {-1, ""};
  }
  return std::get<runtime::EarlyExit>(std::move(parsed));
}

// Every flag, in the order of --help.
inline std::vector<const runtime::FlagText*> all_rows() {
  std::vector<const runtime::FlagText*> rows;
  for (const runtime::FlagSection& section : flag_table().page().sections) {
    for (const runtime::FlagText& row : section.flags) rows.push_back(&row);
  }
  return rows;
}

}  // namespace dynamo::webhook
