// Where in a text the fields of an object stand, for people who have to mend them.
#pragma once

#include <cstddef>
#include <cstdint>
#include <optional>
#include <string_view>
#include <vector>

#include "cli/formats/report.hpp"
#include "json/document.hpp"

namespace dynamo::cli {

// A longer line is cut when it is shown; no line at all is shown where the place lies behind the
// cut.
inline constexpr std::size_t kLongestShownLine = 4096;

// The lines of one text; found when they are first asked for.
class Lines {
 public:
  // `lines_before` is what stands in front of the text in its file. The text must outlive this.
  Lines(std::string_view text, std::uint32_t lines_before)
      : text_(text), lines_before_(lines_before) {}

  // The place of a byte of the text; `length` and the line's text are left out.
  Place at(std::size_t offset);
  // The offset of a place that was reported for this text; the end of the text for one beyond it.
  std::size_t offset_of(std::uint32_t line, std::uint32_t column);
  // Adds what is shown of the line, and what is counted in characters, for a place with line and
  // column.
  void show(Place& place);

  std::uint32_t lines_before() const { return lines_before_; }
  std::string_view text() const { return text_; }

 private:
  void index();
  std::size_t characters_before(std::size_t line_start, std::size_t column);

  std::string_view text_;
  std::uint32_t lines_before_;
  std::vector<std::size_t> starts_;
  // What was counted last: a line may be the whole text, with a place for each of its objects.
  std::size_t counted_line_ = std::string_view::npos;  // where it starts
  std::size_t counted_bytes_ = 0;                      // of it, in front of a place
  std::size_t counted_characters_ = 0;                 // the same
};

// One member or element on the way to a field.
struct FieldStep {
  json::Value name;  // absent for an element of an array
  json::Value value;
};

// Goes one step towards the field and takes it off `rest`; nothing where there is no such member.
// Names may hold dots and keys brackets, so the members that are there decide how far a step goes:
// the one with the longest name.
std::optional<FieldStep> go_towards(json::Value at, std::string_view& rest);

// Finds the places of values of one document. Not thread-safe; document and lines must outlive it.
class Locator {
 public:
  // A document read from YAML, which knows where its values stand.
  Locator(Lines& lines, const json::Document& document) : lines_(lines), document_(&document) {}
  // A document parsed from the JSON text at this offset of the lines' text, with all members.
  Locator(Lines& lines, json::Value root, std::size_t offset)
      : lines_(lines), root_(root), offset_(offset) {}

  // Where the value begins; without the line's text.
  Place of(json::Value value);

  // Where the field of `object` stands that a finding names, such as
  // "spec.services[Decode].metadata[nvidia.com/x]" (api::FieldPath renders it): the value; for a
  // value with fields, for none (null) and when `named` the member's name; for a missing field its
  // nearest parent. Of members with one name the last counts, as everywhere.
  Place of(json::Value object, std::string_view field, bool named);

 private:
  void find_tokens();

  Lines& lines_;
  const json::Document* document_ = nullptr;
  json::Value root_;
  std::size_t offset_ = 0;
  std::vector<std::uint32_t> tokens_;  // offsets in the text of each node of root_
};

// The place in a text whose columns are given in characters, with its line.
Place place_of_character(std::string_view text, std::uint32_t line, std::uint32_t column);

}  // namespace dynamo::cli
