// What an editor is told of a text.
#pragma once

#include <cstddef>
#include <string>
#include <string_view>
#include <vector>

#include "cli/choice.hpp"
#include "cli/judge.hpp"

namespace dynamo::cli {

struct Diagnostic {
  enum class Severity : unsigned char { kError, kWarning, kInformation };

  std::size_t offset = 0;
  std::size_t length = 0;
  Severity severity = Severity::kError;
  std::string_view rule;  // of static lifetime; empty: the text cannot be read
  std::string field;
  std::string message;  // with the field
};

// Whether something in the text may be ours; else silence is no praise.
bool names_our_group(std::string_view text);

// What is heard of every object, what cannot be read, and which objects of ours are not judged; in
// the order of the text, at most a thousand. Texts that are nothing of ours bring nothing.
std::vector<Diagnostic> examine(std::string_view text, std::string_view name, Judge& judge,
                                const Choice& choice);

struct Hover {
  std::size_t offset = 0;  // of the name
  std::size_t length = 0;
  std::string markdown;  // empty: there is nothing to say
};

// What the field is for whose name, or scalar value, holds this byte.
Hover hover_at(std::string_view text, std::string_view name, std::size_t offset);

}  // namespace dynamo::cli
