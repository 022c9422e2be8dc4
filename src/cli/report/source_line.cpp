#include "cli/report/source_line.hpp"

#include <algorithm>

#include "cli/report/wording.hpp"

namespace dynamo::cli {
namespace {

// A longer line is shown only around the mark.
constexpr std::size_t kShownBytes = 120;
constexpr std::size_t kShownBefore = 60;

// The displayed part of a line, and its marked part; never cuts a character in two.
struct Excerpt {
  std::string_view before;
  std::string_view marked;
  std::string_view after;
  bool cut_before = false;
  bool cut_after = false;
};

bool begins_character(std::string_view text, std::size_t at) {
  return at >= text.size() || (static_cast<unsigned char>(text[at]) & 0xC0U) != 0x80U;
}

// Moves `at` forward to the beginning of a character, over at most three invalid bytes.
std::size_t next_beginning(std::string_view text, std::size_t at) {
  for (int i = 0; i < 3 && !begins_character(text, at); ++i) ++at;
  return std::min(at, text.size());
}

Excerpt excerpt(const Place& place) {
  const std::string_view text = place.text;
  const std::size_t mark = std::min<std::size_t>(place.column - 1, text.size());
  const std::size_t end =
      next_beginning(text, std::min<std::size_t>(mark + std::max(place.length, 1U), text.size()));
  std::size_t first = 0;
  std::size_t last = text.size();
  if (text.size() > kShownBytes) {
    first = next_beginning(text, mark > kShownBefore ? mark - kShownBefore : 0);
    last = next_beginning(text, std::min(text.size(), first + kShownBytes));
  }
  const std::size_t marked_end = std::clamp(end, mark, std::max(last, mark));
  return {text.substr(first, mark - first), text.substr(mark, marked_end - mark),
          text.substr(marked_end, last - marked_end), first > 0, last < text.size()};
}

// The display width of `text` after escaping.
std::size_t shown_width(std::string_view text) {
  std::string shown;
  append_printable(shown, text, true);
  std::size_t width = 0;
  for (std::string_view rest = shown; !rest.empty();) {
    const Character next = first_character(rest);
    width += width_of(next.code);
    rest.remove_prefix(next.bytes);
  }
  return width;
}

}  // namespace

void append_source_line(std::string& out, const Place& place, const SourceLinePaint& paint) {
  if (place.text.empty() || place.column > place.text.size() + 1) return;
  const std::string number = std::to_string(place.line);
  const std::string margin(number.size() < 5 ? 5 - number.size() : 0, ' ');
  out += paint.dim;
  out += margin + number + " | ";
  out += paint.plain;
  if (place.column == 0) {
    append_printable(out, place.text.substr(0, kShownBytes), true);
    out += '\n';
    return;
  }
  const Excerpt shown = excerpt(place);
  if (shown.cut_before) out += "…";
  append_printable(out, shown.before, true);
  append_printable(out, shown.marked, true);
  append_printable(out, shown.after, true);
  if (shown.cut_after) out += "…";
  out += '\n';

  out += paint.dim;
  out.append(margin.size() + number.size(), ' ');
  out += " | ";
  out += paint.plain;
  if (shown.cut_before) out += ' ';
  // Keeps the tabs of the line above, so that the mark is aligned.
  std::string blank;
  append_printable(blank, shown.before, true);
  for (std::string_view rest = blank; !rest.empty();) {
    const Character next = first_character(rest);
    if (next.code == '\t') {
      out += '\t';
    } else {
      out.append(width_of(next.code), ' ');
    }
    rest.remove_prefix(next.bytes);
  }
  out += paint.mark;
  out += '^';
  const std::size_t width = shown_width(shown.marked);
  if (width > 1) out.append(width - 1, '~');
  out += paint.plain;
  out += '\n';
}

}  // namespace dynamo::cli
