// Finds the places of an object's fields in the text, for users who must fix them.
#pragma once

#include <cstddef>
#include <cstdint>
#include <optional>
#include <string_view>
#include <vector>

#include "cli/report/report.hpp"
#include "json/document.hpp"

namespace dynamo::cli {

// Longer lines are cut for display; if the place is after the cut, no line is shown.
inline constexpr std::size_t kLongestShownLine = 4096;

// The line starts of one text; computed on first use.
class Lines {
 public:
  // `lines_before` is the number of lines before the text in its file. The text must outlive this
  // object.
  Lines(std::string_view text, std::uint32_t lines_before)
      : text_(text), lines_before_(lines_before) {}

  // The place of a byte of the text; does not set `length` and the line's text.
  Place at(std::size_t offset);
  // The offset of a place that was reported for this text; the end of the text for a place beyond
  // it.
  std::size_t offset_of(std::uint32_t line, std::uint32_t column);
  // Adds the displayed line and the counts in characters to a place with line and column.
  void show(Place& place);

  std::uint32_t lines_before() const { return lines_before_; }
  std::string_view text() const { return text_; }

 private:
  void index();
  std::size_t characters_before(std::size_t line_start, std::size_t column);

  std::string_view text_;
  std::uint32_t lines_before_;
  std::vector<std::size_t> starts_;
  // Cache of the last count: the whole text may be one line, with a place for each object.
  std::size_t counted_line_ = std::string_view::npos;  // start of the line
  std::size_t counted_bytes_ = 0;                      // counted bytes of that line
  std::size_t counted_characters_ = 0;                 // characters in those bytes
};

// One member or element on the path to a field.
struct FieldStep {
  json::Value name;  // absent for an element of an array
  json::Value value;
};

// Takes one step towards the field and removes it from `rest`; nullopt if there is no such member.
// Names may contain dots and keys brackets, so existing members decide how long a step is: the
// longest matching name counts.
std::optional<FieldStep> go_towards(json::Value at, std::string_view& rest);

// Finds the places of values in one document. Not thread-safe; document and lines must outlive it.
class Locator {
 public:
  // For a document read from YAML, which stores locations.
  Locator(Lines& lines, const json::Document& document) : lines_(lines), document_(&document) {}
  // For a document parsed from the JSON text at this offset of the lines' text, with all members.
  Locator(Lines& lines, json::Value root, std::size_t offset)
      : lines_(lines), root_(root), offset_(offset) {}

  // The place where the value begins, without the line's text.
  Place of(json::Value value);

  // The place of a finding's field in `object`, such as
  // "spec.services[Decode].metadata[nvidia.com/x]" (rendered by api::FieldPath). That is the value;
  // the member's name for a value with fields, for null and if `named`; the nearest existing parent
  // for a missing field. The last one of duplicate members counts, as everywhere.
  Place of(json::Value object, std::string_view field, bool named);

 private:
  void find_tokens();

  Lines& lines_;
  const json::Document* document_ = nullptr;
  json::Value root_;
  std::size_t offset_ = 0;
  std::vector<std::uint32_t> tokens_;  // offsets in the text of each node of root_
};

// The place in a text for a column in characters, with its line.
Place place_of_character(std::string_view text, std::uint32_t line, std::uint32_t column);

}  // namespace dynamo::cli
