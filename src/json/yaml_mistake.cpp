#include "json/yaml_mistake.hpp"

#include <yaml-cpp/exceptions.h>

#include <algorithm>
#include <array>
#include <cstddef>
#include <optional>
#include <span>
#include <string_view>
#include <vector>

namespace dynamo::json {
namespace {

namespace words = YAML::ErrorMsg;

constexpr std::string_view kTab = "a tab cannot indent YAML; use spaces";
constexpr std::string_view kBlanks = " \t\r";

bool is_blank(char c) {
  return c == ' ' || c == '\t' || c == '\r' || c == '\n';
}

// Mistakes that one sentence explains, independent of the line.
struct Sentence {
  std::string_view parser_message;  // their beginning
  std::string_view ours;
};
// A function, because the parser's messages are not constant expressions.
std::span<const Sentence> sentences() {
  static const std::array<Sentence, 28> table{{
      {words::TAB_IN_INDENTATION, kTab},
      {words::YAML_DIRECTIVE_ARGS, kYamlDirective},
      {words::YAML_VERSION, kYamlDirective},
      {words::YAML_MAJOR_VERSION, kYamlDirective},
      {words::REPEATED_YAML_DIRECTIVE, kYamlDirective},
      {words::TAG_DIRECTIVE_ARGS, kYamlDirective},
      {words::REPEATED_TAG_DIRECTIVE, kYamlDirective},
      {words::BLOCK_ENTRY,
       "an item of a list (- …) cannot begin here; give it a line of its own, indented like the "
       "other "
       "items"},
      {words::MAP_KEY, "a name cannot begin here; check how the line is indented"},
      {words::INVALID_ESCAPE,
       "this is no escape sequence of YAML; put the text in single quotes, which take a backslash "
       "as "
       "it is"},
      {words::INVALID_HEX,
       "an escape sequence must have hexadecimal digits behind \\x, \\u and \\U"},
      {words::INVALID_UNICODE, "an escape sequence must name a character of Unicode"},
      {words::UNKNOWN_ANCHOR,
       "this alias (*NAME) has no anchor (&NAME) above it; put the text in quotes if it is none"},
      {words::ALIAS_NOT_FOUND, "a name must follow *; put the text in quotes if it is no alias"},
      {words::ANCHOR_NOT_FOUND, "a name must follow &; put the text in quotes if it is no anchor"},
      {words::CHAR_IN_ALIAS, "a name must follow *; put the text in quotes if it is no alias"},
      {words::CHAR_IN_ANCHOR, "a name must follow &; put the text in quotes if it is no anchor"},
      {words::ALIAS_CONTENT, "an alias is a whole value; nothing may follow or precede it"},
      {words::MULTIPLE_TAGS, "a value can have one tag (!…); remove the others"},
      {words::MULTIPLE_ANCHORS, "a value can have one anchor (&NAME); remove the others"},
      {words::MULTIPLE_ALIASES, "a value can be one alias (*NAME); remove the others"},
      {words::TAG_WITH_NO_SUFFIX,
       "this tag (!…) is not complete; put the text in quotes if it is none"},
      {words::END_OF_VERBATIM_TAG,
       "this tag (!<…) is not complete; put the text in quotes if it is none"},
      {words::CHAR_IN_TAG_HANDLE,
       "this tag (!…) is not complete; put the text in quotes if it is none"},
      {words::ZERO_INDENT_IN_BLOCK,
       "behind | and > the line may only have +, - and one digit from 1 to 9"},
      {words::CHAR_IN_BLOCK,
       "behind | and > the line may only have +, - and one digit from 1 to 9"},
      {words::CHAR_IN_SCALAR, "this character is not allowed here; put the text in quotes"},
      {words::AMBIGUOUS_ANCHOR, "an anchor can be set once; name the other one differently"},
  }};
  return table;
}

std::string in_ticks(char c) {
  return {'`', c, '`'};
}

std::string of_line_words(char c, std::uint32_t line) {
  return in_ticks(c) + " of line " + std::to_string(line);
}

// The offset of a place, limited to the text's length.
std::size_t offset_of(std::string_view text, const Location& where, std::uint32_t lines_before) {
  std::size_t start = 0;
  for (std::uint32_t line = lines_before + 1; line < where.line; ++line) {
    const std::size_t feed = text.find('\n', start);
    if (feed == std::string_view::npos) return text.size();
    start = feed + 1;
  }
  return std::min(start + std::max(where.column, 1U) - 1, text.size());
}

// Brackets and quotes of a text that is not valid YAML: those left open, and those closed wrongly.
struct YamlMark {
  char character = '\0';
  std::size_t at = 0;  // offset
};

struct YamlOpenings {
  std::vector<YamlMark> open;           // brackets, the outermost first
  std::optional<YamlMark> quote;        // of a string without an end
  std::optional<YamlMark> wrong_close;  // closes no bracket, or not the innermost of `open`
};

// Two states: in brackets, or in a block. In a block the meaning of a character depends on whether
// a value may begin there.
class OpeningScan {
 public:
  OpeningScan(std::string_view text, std::size_t until) : text_(text), until_(until) {}

  YamlOpenings run() {
    while (at_ < text_.size()) {
      const char c = text_[at_];
      if (c == '#' && is_blank(before())) {
        at_ = line_end();
      } else if (depth_ > 0) {
        in_brackets(c);
      } else if (can_begin_) {
        begin(c);
      } else {
        go_on(c);
      }
    }
    return std::move(found_);
  }

 private:
  char before() const { return at_ == 0 ? '\n' : text_[at_ - 1]; }
  bool blank_follows() const { return at_ + 1 >= text_.size() || is_blank(text_[at_ + 1]); }
  std::size_t line_end() const { return std::min(text_.find('\n', at_), text_.size()); }
  std::size_t column() const { return at_ - line_start_; }

  void in_brackets(char c) {
    constexpr std::string_view kInFront = "[{,:";
    const bool begins = is_blank(before()) || kInFront.find(before()) != std::string_view::npos;
    if ((c == '"' || c == '\'') && begins) return quoted(c);
    if (c == '[' || c == '{') return open(c);
    if (c == ']' || c == '}') return close(c);
    ++at_;
  }

  // A value, a name, or what precedes one.
  void begin(char c) {
    if (c == '\n') return next_line();
    if (is_blank(c)) {
      ++at_;
    } else if ((c == '-' || c == '?') && blank_follows()) {
      indent_ = column();
      ++at_;
    } else if (column() == 0 && text_.substr(at_).starts_with("---")) {
      at_ += 3;
    } else if (c == '&' || c == '!') {
      while (at_ < text_.size() && !is_blank(text_[at_])) ++at_;
    } else if (c == '[' || c == '{') {
      open(c);
    } else if (c == ']' || c == '}') {
      close(c);
    } else if (c == '|' || c == '>') {
      block_scalar();
    } else {
      if (!is_value_) indent_ = column();
      can_begin_ = false;
      if (c == '"' || c == '\'') return quoted(c);
      ++at_;
    }
  }

  // Within plain text, or after a value with its own end.
  void go_on(char c) {
    if (c == '\n') return next_line();
    if (is_behind_ && (c == ']' || c == '}')) return close(c);
    if (c == ':' && blank_follows()) {
      can_begin_ = true;
      is_value_ = true;
      is_behind_ = false;
    }
    ++at_;
  }

  void next_line() {
    line_start_ = ++at_;
    can_begin_ = true;
    is_value_ = false;
    is_behind_ = false;
  }

  void open(char c) {
    ++depth_;
    if (counts()) found_.open.push_back({c, at_});
    ++at_;
  }

  void close(char c) {
    if (depth_ > 0) --depth_;
    if (depth_ == 0) end_value();
    if (counts()) {
      std::vector<YamlMark>& open = found_.open;
      if (!open.empty() && open.back().character == (c == ']' ? '[' : '{')) {
        open.pop_back();
      } else {
        found_.wrong_close = YamlMark{c, at_};
      }
    }
    ++at_;
  }

  void end_value() {
    can_begin_ = false;
    is_behind_ = true;
  }

  bool counts() const { return at_ <= until_ && !found_.wrong_close; }

  void quoted(char quote) {
    const std::size_t start = at_++;
    for (; at_ < text_.size(); ++at_) {
      if (text_[at_] == '\n') line_start_ = at_ + 1;
      if (quote == '"' && text_[at_] == '\\') {
        ++at_;
      } else if (quote == '\'' && text_.substr(at_).starts_with("''")) {
        ++at_;  // a doubled quote is part of the text
      } else if (text_[at_] == quote) {
        ++at_;
        return end_value();
      }
    }
    found_.quote = YamlMark{quote, start};
  }

  // Its lines are indented more than its parent.
  void block_scalar() {
    for (at_ = line_end(); at_ < text_.size(); at_ = line_end()) {
      const std::size_t start = at_ + 1;
      const std::size_t first = text_.find_first_not_of(' ', start);
      if (first == std::string_view::npos) {
        at_ = text_.size();
        return;
      }
      const char c = text_[first];
      if (c != '\n' && c != '\r' && first - start <= indent_) return;
      at_ = first;
    }
  }

  std::string_view text_;
  std::size_t until_;
  std::size_t at_ = 0;
  std::size_t line_start_ = 0;
  std::size_t depth_ = 0;   // of brackets
  std::size_t indent_ = 0;  // the column of the last name or dash in a block
  bool can_begin_ = true;
  bool is_behind_ = false;  // after a value in brackets or quotes
  bool is_value_ = false;   // a value would follow a name on the same line
  YamlOpenings found_;
};

// Counts the brackets up to the offset `until`, where the parser stopped. Stops at the first wrong
// bracket, since later ones cannot be interpreted. Ignores brackets and quotes within plain text
// and within block scalars (| and >). Linear in the text.
YamlOpenings find_openings(std::string_view text, std::size_t until) {
  return OpeningScan(text, until).run();
}

class Mistake {
 public:
  Mistake(std::string_view parser_message, std::string_view text, std::size_t offset,
          const YamlLines& lines)
      : words_(parser_message), text_(text), at_(std::min(offset, text.size())), lines_(lines) {}

  // The place that describe() explained: not where the parser stopped, but the unclosed bracket or
  // the tab.
  Location where() const {
    const std::string_view before = text_.substr(0, at_);
    const auto lines = static_cast<std::uint32_t>(std::ranges::count(before, '\n'));
    const std::size_t line_start = before.rfind('\n') + 1;  // npos + 1 is 0
    return {lines_.before + lines + 1, static_cast<std::uint32_t>(at_ - line_start) + 1};
  }

  std::size_t at() const { return at_; }

  std::string describe() {
    const std::string_view line = line_at(at_);
    const std::size_t indentation = std::min(line.find_first_not_of(" \t"), line.size());
    const std::size_t tab = line.substr(0, indentation).find('\t');
    if (tab != std::string_view::npos) {
      at_ = static_cast<std::size_t>(line.data() - text_.data()) + tab;
      return std::string(kTab);
    }
    found_ = find_openings(text_, at_);
    // For an unfinished last line the parser reports its beginning.
    if (says_unclosed() && found_.open.empty()) found_ = find_openings(text_, text_.size());
    if (auto open = of_brackets_and_quotes()) return *std::move(open);
    for (const Sentence& each : sentences()) {
      if (words_.starts_with(each.parser_message)) return std::string(each.ours);
    }
    if (auto found = of_line(line.substr(indentation), indentation)) return *std::move(found);
    return "this is no YAML: " + std::string(words_);
  }

 private:
  bool says_unclosed() const {
    return words_.starts_with(words::END_OF_MAP_FLOW) || words_.starts_with(words::END_OF_SEQ_FLOW);
  }

  std::string_view line_at(std::size_t offset) const {
    const std::size_t feed = offset == 0 ? std::string_view::npos : text_.rfind('\n', offset - 1);
    const std::size_t start = feed == std::string_view::npos ? 0 : feed + 1;
    return text_.substr(start, text_.find('\n', start) - start);
  }

  std::uint32_t line_of(std::size_t offset) const {
    const auto lines = std::ranges::count(text_.substr(0, offset), '\n');
    return lines_.in_front + lines_.before + static_cast<std::uint32_t>(lines) + 1;
  }

  // "`{` of line 3".
  std::string named(const YamlMark& mark) const {
    return of_line_words(mark.character, line_of(mark.at));
  }
  std::string unclosed(const YamlMark& mark) const {
    return yaml_unclosed(mark.character, line_of(mark.at));
  }

  std::optional<std::string> of_brackets_and_quotes() {
    if (words_.starts_with(words::EOF_IN_SCALAR) || words_.starts_with(words::DOC_IN_SCALAR)) {
      if (!found_.quote) return "a quoted text is not closed";
      return unclosed(*found_.quote);
    }
    if (!says_unclosed() && !words_.starts_with(words::FLOW_END)) return std::nullopt;
    const std::vector<YamlMark>& open = found_.open;
    if (found_.wrong_close && !open.empty()) {
      return named(*found_.wrong_close) + " cannot close " + named(open.back());
    }
    if (found_.wrong_close) {
      return named(*found_.wrong_close) + " closes nothing; remove it, or put the text in quotes";
    }
    const bool is_map =
        open.empty() ? words_.starts_with(words::END_OF_MAP_FLOW) : open.back().character == '{';
    if (open.empty()) return is_map ? "this map is not closed" : "this list is not closed";
    at_ = open.back().at;
    return unclosed(open.back());
  }

  // Precondition: `line` does not begin with a blank.
  std::optional<std::string> of_line(std::string_view line, std::size_t indentation) {
    line = without_comment(line);
    if (words_.starts_with(words::UNKNOWN_TOKEN)) {
      const char c = at_ < text_.size() ? text_[at_] : ' ';
      if (c <= ' ' || c > '~') return "a text that begins like this must be in quotes";
      return "a text must not begin with " + in_ticks(c) + "; put it in quotes";
    }
    const bool is_item = line.starts_with("- ") || line == "-";
    const std::size_t colon = find_colon(line, 0);
    if (words_.starts_with(words::MAP_VALUE)) {
      if (colon != std::string_view::npos &&
          find_colon(line, colon + 1) != std::string_view::npos) {
        return "a second \": \" in one line; put the value in quotes, or give it a line of its own";
      }
      return of_line_above(indentation);
    }
    const bool in_list = words_.starts_with(words::END_OF_SEQ);
    if (!in_list && !words_.starts_with(words::END_OF_MAP)) return std::nullopt;
    if (!is_item && colon == std::string_view::npos && !line.empty()) return without_colon(line);
    const std::string found = "this line is indented by " + std::to_string(indentation) +
                              (indentation == 1 ? " blank" : " blanks");
    if (in_list && !is_item) {
      return found +
             ", as the items of a list are; begin it with \"- \", or indent it like the item "
             "that it belongs to";
    }
    if (!in_list && is_item) {
      return found +
             ", where a name is expected and no item of a list; indent it like the list that it "
             "belongs to";
    }
    return found + ", which fits nothing above it; indent it like what it belongs to";
  }

  static std::string without_colon(std::string_view line) {
    return line.find(':') == std::string_view::npos
               ? "a line must be NAME: VALUE, or - ITEM; there is no colon in this one"
               : "a blank must follow the colon behind a name";
  }

  // The mistake may be in the line above, whose text then seems to continue; it is reported there.
  std::string of_line_above(std::size_t indentation) {
    std::size_t end = at_ == 0 ? std::string_view::npos : text_.rfind('\n', at_ - 1);
    std::string_view above;
    while (end != std::string_view::npos && end > 0) {
      const std::size_t feed = text_.rfind('\n', end - 1);
      const std::size_t start = feed == std::string_view::npos ? 0 : feed + 1;
      above = without_comment(text_.substr(start, end - start));
      if (!above.empty()) break;
      end = feed;
    }
    const std::size_t first = above.find_first_not_of(kBlanks);
    if (first == std::string_view::npos) {
      return "this line is not allowed here; check how it is indented";
    }
    if (find_colon(above, 0) == std::string_view::npos) {
      at_ = static_cast<std::size_t>(above.data() - text_.data()) + first;
      return without_colon(above);
    }
    if (first < indentation) {
      return "this line is indented further than the one above it, which has a value already; "
             "indent both alike";
    }
    return "this line cannot follow the one above it; check how both are indented";
  }

  // Also without trailing blanks.
  static std::string_view without_comment(std::string_view line) {
    line = line.substr(0, line.find(" #"));
    return line.substr(0, line.find_last_not_of(kBlanks) + 1);
  }

  // The colon after a name: followed by a blank or the end of the line.
  static std::size_t find_colon(std::string_view line, std::size_t from) {
    for (std::size_t at = line.find(':', from); at != std::string_view::npos;
         at = line.find(':', at + 1)) {
      if (at + 1 == line.size() || is_blank(line[at + 1])) return at;
    }
    return std::string_view::npos;
  }

  std::string_view words_;
  std::string_view text_;
  std::size_t at_;
  YamlLines lines_;
  YamlOpenings found_;
};

}  // namespace

std::string yaml_unclosed(char opening, std::uint32_t line) {
  std::string_view what = "text";
  if (opening == '{') what = "map";
  if (opening == '[') what = "list";
  return "this " + std::string(what) + " is not closed: " + of_line_words(opening, line);
}

YamlMistake yaml_mistake(std::string_view parser_message, std::string_view text,
                         const Location& where, const YamlLines& lines) {
  const std::size_t offset = offset_of(text, where, lines.before);
  Mistake mistake(parser_message, text, offset, lines);
  std::string reason = mistake.describe();
  return {std::move(reason), mistake.at() == offset ? where : mistake.where()};
}

YamlMistake yaml_without_colon(std::string_view text, const Location& where,
                               const YamlLines& lines) {
  return yaml_mistake(words::END_OF_MAP, text, where, lines);
}

}  // namespace dynamo::json
