// Phrases and character functions that several formats share.
#pragma once

#include <cstddef>
#include <string>
#include <string_view>
#include <vector>

#include "cli/report/report.hpp"
#include "text/printable.hpp"

namespace dynamo::cli {

// One character of arbitrary text.
struct Character {
  char32_t code = 0;      // U+FFFD for a byte that is not part of UTF-8
  std::size_t bytes = 0;  // 1 for such a byte
  bool valid = false;
};

// The first character of `text`, which must not be empty.
Character first_character(std::string_view text);

// The number of characters; each byte that is not UTF-8 counts as one.
std::size_t count_characters(std::string_view text);

// Output is for users: see text/printable.hpp.
using text::append_printable;

// "graph.yaml:12:7", "graph.yaml:12" or "graph.yaml", depending on what is known; "standard input"
// for "-".
std::string where(std::string_view file, std::size_t line, std::size_t column);
// The same for a place, with its column in characters; and for a fault.
std::string where(std::string_view file, const Place& place);
std::string where(const InputFault& fault);
std::string_view display_name(std::string_view file);

// "DynamoGraphDeployment team-a/llama"; without a name "DynamoGraphDeployment (no name)".
std::string object_title(const ObjectReport& report);

// "spec.x: Required value: must … [rule.id]"; a warning has no type, and empty parts are omitted.
std::string message(const Finding& finding);

// "2 errors, 1 warning"; "no findings".
std::string count_findings(const ObjectReport& report);

// "4 objects in 3 files: 1 invalid (2 errors, 1 warning), …", without a line break.
std::string summary_line(const Summary& summary, bool warnings_as_errors);

// How objects of v1beta1 can be validated although the operator is of the first generation.
inline constexpr std::string_view kUnservedAdvice =
    "set --operator-generation later, or run `kubectl dynamo convert --to v1alpha1`";

// "3 objects of an API version that this release does not validate (nvidia.com/v1beta2)", and those
// that an operator of the first generation does not serve.
std::string other_versions_text(const Summary& summary);

// Why validation was skipped, for users; from ObjectReport::exemption.
std::string exemption_text(std::string_view exemption);

// A name of the reason for programs: "kustomize-patch", "chart-template", "template", "encrypted".
std::string_view name_of(SkipReason why);

// A printable sentence for each reason of `Summary::unchecked`: which files were not validated, why
// and how to validate them.
std::vector<std::string> unchecked_texts(const Summary& summary);

// Printable names for one line: "a, b, c and 4 more".
std::string first_few(const std::vector<std::string>& names);

// Follows a setting in messages: its effect, and how to check without it.
inline constexpr std::string_view kSilencedNote =
    "this may leave findings out; --config none validates without the file, --config-from REF with "
    "that of a trusted commit";

// Errors and warnings that make the object fail.
bool fails(const ObjectReport& report, bool warnings_as_errors);

// The number of terminal columns of a character: 2 for East Asian ones and most emoji, 0 for
// combining characters.
std::size_t width_of(char32_t code);

// The column of a place and the length of its marked text, in characters, as shown in all formats;
// and the column after it.
std::size_t shown_column(const Place& place);
std::size_t shown_length(const Place& place);
std::size_t shown_end(const Place& place);

// "3 files", "1 file".
std::string count_of(std::size_t count, std::string_view singular);

}  // namespace dynamo::cli
