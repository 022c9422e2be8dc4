// Diagnostics and hover texts of a document for an editor.
#pragma once

#include <cstddef>
#include <string>
#include <string_view>
#include <vector>

#include "cli/check/finding_filter.hpp"
#include "cli/check/validator.hpp"

namespace dynamo::cli {

struct Diagnostic {
  enum class Severity : unsigned char { kError, kWarning, kInformation };

  std::size_t offset = 0;
  std::size_t length = 0;
  Severity severity = Severity::kError;
  std::string_view rule;  // of static lifetime; empty: the text cannot be read
  std::string field;
  std::string message;  // includes the field
};

// Whether the text may contain an object of ours; otherwise the absence of diagnostics means
// nothing.
bool names_our_group(std::string_view text);

// Reported findings of every object, unreadable documents, and objects of ours that are not
// validated; in text order, at most a thousand. Texts without objects of ours have no diagnostics.
std::vector<Diagnostic> examine(std::string_view text, std::string_view name,
                                ManifestValidator& validator, const FindingFilter& filter);

struct Hover {
  std::size_t offset = 0;  // of the name
  std::size_t length = 0;
  std::string markdown;  // empty: no information
};

// Describes the field whose name or scalar value contains this byte.
Hover hover_at(std::string_view text, std::string_view name, std::size_t offset);

}  // namespace dynamo::cli
