#include "cli/input/locate.hpp"

#include <algorithm>
#include <charconv>
#include <optional>

#include "api/field_path.hpp"
#include "cli/report/wording.hpp"
#include "text/presentable.hpp"

namespace dynamo::cli {
namespace {

bool ends_step(std::string_view rest) {
  return rest.empty() || rest.front() == '.' || rest.front() == '[';
}

// True if `rest` begins with `name` as a whole step, which is then removed.
bool take_name(std::string_view& rest, std::string_view name) {
  if (!rest.starts_with(name) || !ends_step(rest.substr(name.size()))) return false;
  rest.remove_prefix(name.size());
  return true;
}

// Likewise for "[key]". Keys are rendered cut, and without control characters.
bool take_key(std::string_view& rest, std::string_view key) {
  std::string shown = "[";
  text::append_presentable(shown, key, api::kLongestKey);
  shown += ']';
  return take_name(rest, shown);
}

std::optional<std::size_t> take_index(std::string_view& rest) {
  std::size_t index = 0;
  const char* const last = rest.data() + rest.size();
  const auto [end, error] = std::from_chars(rest.data() + 1, last, index);
  if (error != std::errc{} || end == last || *end != ']') return std::nullopt;
  rest.remove_prefix(static_cast<std::size_t>(end - rest.data()) + 1);
  return index;
}

// Bytes of the token at the beginning of the text: a quoted text, or a plain one up to a comment or
// a delimiter.
std::uint32_t token_length(std::string_view line) {
  if (line.empty()) return 0;
  if (line.front() == '\t') return 1;  // not allowed here
  if (line.front() == '"' || line.front() == '\'') {
    for (std::size_t at = 1; at < line.size(); ++at) {
      if (line[at] == '\\' && line.front() == '"') {
        ++at;
      } else if (line[at] == line.front()) {
        return static_cast<std::uint32_t>(at + 1);
      }
    }
    return static_cast<std::uint32_t>(line.size());
  }
  constexpr std::string_view kBrackets = "{}[]";
  if (kBrackets.find(line.front()) != std::string_view::npos) return 1;
  std::size_t end = 1;
  std::size_t open = 0;  // brackets of the text itself, as in ${NAME}
  while (end < line.size()) {
    const char c = line[end];
    const bool before_blank = end + 1 == line.size() || line[end + 1] == ' ';
    const bool before_quote = end + 1 < line.size() && line[end + 1] == '"';
    if ((c == ':' || c == ',') && (before_blank || before_quote)) break;
    if (c == '#' && line[end - 1] == ' ') break;
    if (c == '{' || c == '[') ++open;
    if (c == '}' || c == ']') {
      if (open == 0) break;
      --open;
    }
    ++end;
  }
  while (end > 1 && line[end - 1] == ' ') --end;
  return static_cast<std::uint32_t>(end);
}

}  // namespace

std::optional<FieldStep> go_towards(json::Value at, std::string_view& rest) {
  if (rest.starts_with('.')) rest.remove_prefix(1);
  const bool bracket = rest.starts_with('[');
  if (at.is_array() && bracket) {
    const auto index = take_index(rest);
    if (!index || *index >= at.size()) return std::nullopt;
    auto element = at.elements().begin();
    for (std::size_t i = 0; i < *index; ++i) ++element;
    return FieldStep{{}, *element};
  }
  std::optional<FieldStep> found;
  std::string_view shortest = rest;
  if (!at.is_object()) return std::nullopt;
  const json::Node* name = at.node() + 1;
  for (const json::Member member : at.members()) {
    std::string_view left = rest;
    const bool fits = bracket ? take_key(left, member.name) : take_name(left, member.name);
    if (fits && left.size() <= shortest.size()) {
      shortest = left;
      found = FieldStep{json::Value{name}, member.value};
    }
    name += 1 + (name + 1)->span;
  }
  if (found) rest = shortest;
  return found;
}

void Lines::index() {
  if (!starts_.empty()) return;
  starts_.push_back(0);
  for (std::size_t feed = text_.find('\n'); feed != std::string_view::npos;
       feed = text_.find('\n', feed + 1)) {
    starts_.push_back(feed + 1);
  }
}

Place Lines::at(std::size_t offset) {
  index();
  const auto behind = std::ranges::upper_bound(starts_, offset);
  Place place;
  place.line = lines_before_ + static_cast<std::uint32_t>(behind - starts_.begin());
  place.column = static_cast<std::uint32_t>(offset - *(behind - 1)) + 1;
  return place;
}

std::size_t Lines::offset_of(std::uint32_t line, std::uint32_t column) {
  index();
  if (line <= lines_before_ || line - lines_before_ > starts_.size()) return text_.size();
  return std::min(starts_[line - lines_before_ - 1] + column - 1, text_.size());
}

std::size_t Lines::characters_before(std::size_t line_start, std::size_t column) {
  if (counted_line_ != line_start) {
    counted_line_ = line_start;
    counted_bytes_ = 0;
    counted_characters_ = 0;
  }
  const auto [first, last] = std::minmax(counted_bytes_, column);
  const std::size_t between = count_characters(text_.substr(line_start + first, last - first));
  counted_characters_ += column < counted_bytes_ ? -between : between;
  counted_bytes_ = column;
  return counted_characters_;
}

void Lines::show(Place& place) {
  if (place.line == 0) return;
  const std::size_t start = offset_of(place.line, 1);
  const std::size_t next = place.line - lines_before_ < starts_.size()
                               ? starts_[place.line - lines_before_] - 1
                               : text_.size();
  std::string_view line = text_.substr(start, next - std::min(start, next));
  if (line.ends_with('\r')) line.remove_suffix(1);
  const std::size_t column = place.column == 0 ? 0 : place.column - 1;
  if (column > line.size()) return;
  if (place.length == 0) place.length = token_length(line.substr(column));
  // Nothing after the cut is shown; a part of the token may be.
  const bool is_seen = column < kLongestShownLine;
  if (is_seen && column + place.length > kLongestShownLine) {
    place.length = static_cast<std::uint32_t>(kLongestShownLine - column);
  }
  if (place.column > 0) {
    place.character = static_cast<std::uint32_t>(characters_before(start, column)) + 1;
    place.characters =
        static_cast<std::uint32_t>(count_characters(line.substr(column, place.length)));
  }
  if (!is_seen) return;
  std::size_t length = std::min(line.size(), kLongestShownLine);
  while (length < line.size() && length > 0 &&
         (static_cast<unsigned char>(line[length]) & 0xC0U) == 0x80U) {
    --length;
  }
  place.text = line.substr(0, length);
}

Place Locator::of(json::Value value) {
  if (!value.exists()) return {};
  if (document_ != nullptr) {
    const auto where = document_->location(value);
    if (!where) return {};
    return {where->line + lines_.lines_before(), where->column, 0, {}};
  }
  find_tokens();
  const auto index = static_cast<std::size_t>(value.node() - root_.node());
  return lines_.at(tokens_[index]);
}

Place Locator::of(json::Value object, std::string_view field, bool named) {
  FieldStep last{{}, object};
  bool missing = false;
  while (!field.empty()) {
    const auto step = go_towards(last.value, field);
    missing = !step;
    if (missing) break;
    last = *step;
  }
  const bool is_scalar =
      !last.value.is_nothing() && !last.value.is_object() && !last.value.is_array();
  const bool by_name = last.name.exists() && (named || missing || !is_scalar);
  Place place = of(by_name ? last.name : last.value);
  lines_.show(place);
  return place;
}

// The nodes of a document are in text order, one for each token other than closing brackets, commas
// and colons; so a single scan finds all offsets. Precondition: the text is valid.
void Locator::find_tokens() {
  if (!tokens_.empty()) return;
  const std::string_view text = lines_.text();
  const std::size_t count = root_.node()->span;
  tokens_.reserve(count);
  std::size_t at = offset_;
  while (tokens_.size() < count && at < text.size()) {
    const char c = text[at];
    if (c == ' ' || c == '\t' || c == '\r' || c == '\n' || c == ',' || c == ':' || c == ']' ||
        c == '}') {
      ++at;
      continue;
    }
    tokens_.push_back(static_cast<std::uint32_t>(at));
    ++at;
    if (c == '"') {
      while (at < text.size() && text[at] != '"') at += text[at] == '\\' ? 2 : 1;
      ++at;
    } else if (c != '{' && c != '[') {
      at = std::min(text.find_first_of(",]} \t\r\n", at), text.size());
    }
  }
  tokens_.resize(count, static_cast<std::uint32_t>(offset_));
}

Place place_of_character(std::string_view text, std::uint32_t line, std::uint32_t column) {
  Place place;
  if (line == 0) return place;
  Lines lines(text, 0);
  const std::size_t start = lines.offset_of(line, 1);
  std::size_t at = start;
  const auto continues = [](char c) { return (static_cast<unsigned char>(c) & 0xC0U) == 0x80U; };
  for (std::uint32_t left = column; left > 1 && at < text.size() && text[at] != '\n'; --left) {
    do ++at;
    while (at < text.size() && continues(text[at]));
  }
  place.line = line;
  place.column = static_cast<std::uint32_t>(at - start) + 1;
  lines.show(place);
  return place;
}

}  // namespace dynamo::cli
