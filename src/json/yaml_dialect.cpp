#include "json/yaml_dialect.hpp"

#include <algorithm>
#include <array>
#include <charconv>
#include <cstdint>

namespace dynamo::json {
namespace {

constexpr std::string_view kByteOrderMark = "\xEF\xBB\xBF";
constexpr std::string_view kSeparator = "---";
constexpr std::string_view kNextLine = "\xC2\x85";
constexpr std::string_view kName =
    "this name of an anchor must hold ASCII letters, digits, - and _ alone, as kubectl has it";
constexpr std::string_view kHandle =
    "a tag with a handle (!x!y) must have a directive, which kubectl does not read; remove the tag";
constexpr std::string_view kTagEnd = "a blank must follow a tag (!…)";
constexpr std::string_view kTab = "a tab cannot indent YAML; use spaces";
constexpr std::string_view kSlash =
    "\\/ is no escape sequence of kubectl's YAML; write the slash without a backslash";

bool is_space_or_tab(char c) {
  return c == ' ' || c == '\t';
}

bool is_line_break(char c) {
  return c == '\n' || c == '\r';
}

bool ends_word(std::string_view text, std::size_t at) {
  return at >= text.size() || is_space_or_tab(text[at]) || is_line_break(text[at]);
}

// U+2028 or U+2029.
bool is_line_separator(std::string_view text) {
  return text.starts_with("\xE2\x80\xA8") || text.starts_with("\xE2\x80\xA9");
}
constexpr std::size_t kLineSeparatorSize = 3;

// The length of white space at the beginning of `text`, by Go's unicode.IsSpace; 0: none.
std::size_t white_space(std::string_view text) {
  constexpr std::string_view kAscii = " \t\r\n\v\f";
  if (text.empty()) return 0;
  if (kAscii.find(text.front()) != std::string_view::npos) return 1;
  for (const std::string_view each : {"\xC2\x85", "\xC2\xA0"}) {
    if (text.starts_with(each)) return each.size();
  }
  if (is_line_separator(text)) return kLineSeparatorSize;
  for (const std::string_view each :
       {"\xE1\x9A\x80", "\xE2\x80\xAF", "\xE2\x81\x9F", "\xE3\x80\x80"}) {
    if (text.starts_with(each)) return each.size();
  }
  // U+2000 to U+200A.
  constexpr unsigned char kLast = 0x8A;
  const bool is_space = text.starts_with("\xE2\x80") && text.size() > 2 &&
                        static_cast<unsigned char>(text[2]) <= kLast;
  return is_space ? kLineSeparatorSize : 0;
}

bool begins_separator(std::string_view text, std::size_t at) {
  return text.substr(at).starts_with(kSeparator);
}

// Checks the blank lines and comments above the line that begins at `at`. After plain text a blank
// line may contain tabs.
bool has_tab_in_lines_before(std::string_view text, std::size_t from, std::size_t at) {
  constexpr std::string_view kOpenEnds = ":]}\"'";
  bool has_blank_tab = false;
  while (at > from + 1) {
    const std::size_t feed = text.rfind('\n', at - 2);
    const std::size_t start = std::max(feed + 1, from);  // npos + 1 is 0
    std::string_view line = text.substr(start, at - start);
    const std::size_t first = line.find_first_not_of(" \t\r\n");
    const bool is_comment = first != std::string_view::npos && line[first] == '#';
    if (is_comment && line.front() == '\t') return true;
    if (first != std::string_view::npos && !is_comment) {
      line = line.substr(0, line.find(" #"));
      line = line.substr(0, line.find_last_not_of(" \t\r\n") + 1);
      return has_blank_tab && kOpenEnds.find(line.back()) != std::string_view::npos;
    }
    has_blank_tab = has_blank_tab || (!is_comment && line.find('\t') != std::string_view::npos);
    at = start;
  }
  return has_blank_tab && from == 0;
}

void remove_byte_order_marks(std::string& text) {
  std::string rewritten;
  std::size_t copied = 0;
  for (std::size_t at = text.find(kByteOrderMark); at != std::string::npos;
       at = text.find(kByteOrderMark, at + kByteOrderMark.size())) {
    rewritten.append(text, copied, at - copied);
    copied = at;
    bool removes = rewritten.empty();
    if (!removes && rewritten.back() == '\n') {
      const std::size_t feed =
          rewritten.size() < 2 ? std::string::npos : rewritten.rfind('\n', rewritten.size() - 2);
      removes = is_yaml_separator(std::string_view(rewritten).substr(feed + 1));  // npos + 1 is 0
    }
    if (removes) copied += kByteOrderMark.size();
  }
  rewritten.append(text, copied);
  text = std::move(rewritten);
}

void rewrite_breaks(std::string& text, std::string_view line_break) {
  std::string rewritten;
  std::size_t copied = 0;
  std::size_t start = 0;        // of the line, as kubectl splits lines
  std::size_t searched_to = 0;  // text before it was searched for line feeds
  bool is_separator = false;
  bool is_known = false;
  for (std::size_t at = text.find(line_break); at != std::string::npos;
       at = text.find(line_break, at + line_break.size())) {
    const std::size_t behind = at + line_break.size();
    const bool is_pair = behind < text.size() && text[behind] == '\n' && line_break == "\r";
    if (is_pair || begins_separator(text, behind)) continue;
    const std::size_t feed =
        std::string_view(text).substr(searched_to, at - searched_to).rfind('\n');
    if (feed != std::string_view::npos) start = searched_to + feed + 1;
    searched_to = at;
    if (!is_known || feed != std::string_view::npos) {
      is_known = true;
      // A separator followed by text is refused together with its line.
      is_separator =
          begins_separator(text, start) &&
          !is_yaml_separator(std::string_view(text).substr(start, text.find('\n', at) - start));
    }
    if (is_separator) continue;
    rewritten.append(text, copied, at - copied);
    rewritten += '\n';
    copied = behind;
  }
  if (copied == 0) return;
  rewritten.append(text, copied);
  text = std::move(rewritten);
}

// The length of an anchor name.
std::size_t name_length(std::string_view text) {
  const auto is_of_name = [](char c) {
    return (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z') || (c >= '0' && c <= '9') || c == '_' ||
           c == '-';
  };
  return static_cast<std::size_t>(std::ranges::find_if_not(text, is_of_name) - text.begin());
}

bool ends_in_flow(std::string_view text, std::size_t at) {
  constexpr std::string_view kEnds = ",[]{}";
  return at < text.size() && kEnds.find(text[at]) != std::string_view::npos;
}

// Characters of a tag that both readers accept.
bool is_of_tag(char c) {
  constexpr std::string_view kOthers = "-_;/?:@&=+$.!~*'()%";
  return (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z') || (c >= '0' && c <= '9') ||
         kOthers.find(c) != std::string_view::npos;
}

std::string_view refusal_of_tag(std::string_view tag, std::string_view rest) {
  if (tag.starts_with("!<")) {
    const std::size_t end = rest.find('>');
    if (end == std::string_view::npos || end == 2) return kTagEnd;
    return ends_word(rest, end + 1) ? std::string_view{} : kTagEnd;
  }
  if (std::ranges::any_of(tag, [](char c) { return !is_of_tag(c); })) return kTagEnd;
  const std::size_t second = tag.find('!', 1);
  return second == std::string_view::npos || second == 1 ? std::string_view{} : kHandle;
}

void append_utf8(std::string& text, std::uint32_t character) {
  const auto put = [&text](std::uint32_t byte) { text += static_cast<char>(byte); };
  if (character < 0x80U) {
    put(character);
  } else if (character < 0x800U) {
    put(0xC0U | (character >> 6U));
    put(0x80U | (character & 0x3FU));
  } else if (character < 0x10000U) {
    put(0xE0U | (character >> 12U));
    put(0x80U | ((character >> 6U) & 0x3FU));
    put(0x80U | (character & 0x3FU));
  } else {
    put(0xF0U | (character >> 18U));
    put(0x80U | ((character >> 12U) & 0x3FU));
    put(0x80U | ((character >> 6U) & 0x3FU));
    put(0x80U | (character & 0x3FU));
  }
}

// Folds the lines of a quoted text like libyaml.
class QuotedReader {
 public:
  explicit QuotedReader(std::string_view text) : text_(text), quote_(text.front()) {}

  std::optional<QuotedYaml> run() {
    while (at_ < text_.size()) {
      skips_blanks_ = false;
      if (!characters()) return std::nullopt;
      if (at_ >= text_.size()) return std::nullopt;
      if (text_[at_] == quote_) {
        read_.length = at_ + 1;
        return std::move(read_);
      }
      blanks();
    }
    return std::nullopt;
  }

 private:
  std::size_t line_break() const {
    const std::string_view rest = text_.substr(at_);
    if (rest.starts_with("\r\n")) return 2;
    if (!rest.empty() && is_line_break(rest.front())) return 1;
    if (rest.starts_with(kNextLine)) return kNextLine.size();
    return is_line_separator(rest) ? kLineSeparatorSize : 0;
  }

  // Up to a blank, a line break or the closing quote.
  bool characters() {
    while (at_ < text_.size() && !is_space_or_tab(text_[at_]) && line_break() == 0) {
      const char c = text_[at_];
      if (c == quote_ && quote_ == '\'' && text_.substr(at_ + 1, 1) == "'") {
        read_.value += '\'';
        at_ += 2;
      } else if (c == quote_) {
        return true;
      } else if (c == '\\' && quote_ == '"') {
        ++at_;
        if (const std::size_t length = line_break(); length != 0) {
          at_ += length;
          skips_blanks_ = true;
          return true;
        }
        if (!escape()) return false;
      } else {
        read_.value += c;
        ++at_;
      }
    }
    return true;
  }

  bool escape() {
    struct Escape {
      char letter;
      std::string_view value;
    };
    static constexpr std::array kEscapes{Escape{'0', std::string_view("\0", 1)},
                                         Escape{'a', "\a"},
                                         Escape{'b', "\b"},
                                         Escape{'t', "\t"},
                                         Escape{'\t', "\t"},
                                         Escape{'n', "\n"},
                                         Escape{'v', "\v"},
                                         Escape{'f', "\f"},
                                         Escape{'r', "\r"},
                                         Escape{'e', "\x1B"},
                                         Escape{' ', " "},
                                         Escape{'"', "\""},
                                         Escape{'\'', "'"},
                                         Escape{'\\', "\\"},
                                         Escape{'N', "\xC2\x85"},
                                         Escape{'_', "\xC2\xA0"},
                                         Escape{'L', "\xE2\x80\xA8"},
                                         Escape{'P', "\xE2\x80\xA9"}};
    if (at_ >= text_.size()) return false;
    const char letter = text_[at_++];
    const auto* const known = std::ranges::find(kEscapes, letter, &Escape::letter);
    if (known != kEscapes.end()) {
      read_.value += known->value;
      return true;
    }
    if (letter == '/') {
      read_.refusal = kSlash;
      read_.value += '/';
      return true;
    }
    return hexadecimal(letter);
  }

  bool hexadecimal(char letter) {
    std::size_t digits = 0;
    if (letter == 'x') digits = 2;
    if (letter == 'u') digits = 4;
    if (letter == 'U') digits = 8;
    constexpr int kBase = 16;
    constexpr std::uint32_t kHighest = 0x10FFFF;
    if (digits == 0 || at_ + digits > text_.size()) return false;
    std::uint32_t character = 0;
    const char* const end = text_.data() + at_ + digits;
    const auto result = std::from_chars(text_.data() + at_, end, character, kBase);
    if (result.ec != std::errc{} || result.ptr != end || character > kHighest) return false;
    append_utf8(read_.value, character);
    at_ += digits;
    return true;
  }

  // Blanks and line breaks: several become one blank, or the empty lines in between.
  void blanks() {
    std::string white;
    std::string first;
    std::string others;
    while (at_ < text_.size()) {
      if (is_space_or_tab(text_[at_])) {
        if (!skips_blanks_) white += text_[at_];
        ++at_;
        continue;
      }
      const std::size_t length = line_break();
      if (length == 0) break;
      const std::string_view written = text_.substr(at_, length);
      const bool is_separator = is_line_separator(written);
      read_.line_separators += is_separator ? 1 : 0;
      (skips_blanks_ ? others : first) += is_separator ? written : std::string_view("\n");
      skips_blanks_ = true;
      at_ += length;
    }
    if (!skips_blanks_) {
      read_.value += white;
    } else if (first == "\n") {
      read_.value += others.empty() ? std::string_view(" ") : std::string_view(others);
    } else {
      read_.value += first;
      read_.value += others;
    }
  }

  std::string_view text_;
  char quote_;
  std::size_t at_ = 1;
  bool skips_blanks_ = false;  // after a line break
  QuotedYaml read_;
};

// The text after | or >, up to the end of its line.
struct BlockHeader {
  bool keeps = false;       // +
  std::size_t indent = 0;   // the digit; 0: the first line decides
  std::size_t content = 0;  // the offset of the next line
};

BlockHeader read_header(std::string_view text) {
  BlockHeader header;
  std::size_t at = 1;
  for (; at < text.size() && !is_space_or_tab(text[at]) && !is_line_break(text[at]); ++at) {
    if (text[at] == '+') header.keeps = true;
    if (text[at] >= '1' && text[at] <= '9')
      header.indent = static_cast<std::size_t>(text[at] - '0');
  }
  const std::size_t feed = text.find('\n', at);
  header.content = feed == std::string_view::npos ? text.size() : feed + 1;
  return header;
}

}  // namespace

void normalise_yaml(std::string& text) {
  if (text.find('\r') != std::string::npos) rewrite_breaks(text, "\r");
  if (text.find(kNextLine) != std::string::npos) rewrite_breaks(text, kNextLine);
  if (text.find(kByteOrderMark) != std::string::npos) remove_byte_order_marks(text);
}

bool is_yaml_separator(std::string_view line) {
  if (!line.starts_with(kSeparator)) return false;
  line.remove_prefix(kSeparator.size());
  while (const std::size_t length = white_space(line)) line.remove_prefix(length);
  return line.empty() || line.front() == '#';
}

std::size_t skip_yaml_properties(std::string_view text) {
  std::size_t at = 0;
  while (at < text.size()) {
    if (text[at] == '!' || text[at] == '&') {
      at = std::min(text.find_first_of(" \t\r\n", at), text.size());
    } else if (text[at] == '#') {
      at = std::min(text.find('\n', at), text.size());
    } else if (is_space_or_tab(text[at]) || is_line_break(text[at])) {
      ++at;
    } else {
      break;
    }
  }
  return at;
}

std::string_view refusal_of_properties(std::string_view text, bool in_flow) {
  while (!text.empty()) {
    const char c = text.front();
    if (c == '&' || c == '*') {
      const std::size_t end = 1 + name_length(text.substr(1));
      const bool ends = ends_word(text, end) || (in_flow && ends_in_flow(text, end));
      if (end == 1 || !ends) return kName;
      if (c == '*') return {};
      text.remove_prefix(end);
    } else if (c == '!') {
      const std::size_t end = std::min(text.find_first_of(" \t\r\n"), text.size());
      if (const auto refusal = refusal_of_tag(text.substr(0, end), text); !refusal.empty()) {
        return refusal;
      }
      text.remove_prefix(end);
    } else if (is_space_or_tab(c) || is_line_break(c)) {
      text.remove_prefix(1);
    } else if (c == '#') {
      text.remove_prefix(std::min(text.find('\n'), text.size()));
    } else {
      return {};
    }
  }
  return {};
}

std::string_view refusal_of_tabs(std::string_view text, std::size_t from, std::size_t at) {
  const std::size_t value = at;
  while (at > from && is_space_or_tab(text[at - 1])) --at;
  const bool has_tab = text.substr(at, value - at).find('\t') != std::string_view::npos;
  if (at == 0 || is_line_break(text[at - 1])) {
    return has_tab || has_tab_in_lines_before(text, from, at) ? kTab : std::string_view{};
  }
  if (!has_tab) return {};
  const char before = text[at - 1];
  const bool stands_alone = at == 1 || is_space_or_tab(text[at - 2]) || is_line_break(text[at - 2]);
  if ((before == '-' || before == '?') && stands_alone) return kTab;
  if (before != ':') return {};
  // The colon of an explicit key is alone on its line.
  std::size_t first = at - 1;
  while (first > 0 && is_space_or_tab(text[first - 1])) --first;
  return first == 0 || is_line_break(text[first - 1]) ? kTab : std::string_view{};
}

std::string_view refusal_of_last_tabs(std::string_view text, std::size_t from) {
  // A text with only white space is an empty document.
  if (text.find_first_not_of(" \t\r\n") == std::string_view::npos) return {};
  const bool ends = text.empty() || text.back() == '\n';
  return has_tab_in_lines_before(text, from, text.size() + (ends ? 0 : 1)) ? kTab
                                                                           : std::string_view{};
}

std::string_view refusal_of_flow_text(std::string_view text, std::size_t least_indent) {
  constexpr std::string_view kEnds = ",[]{}\n";
  std::size_t end = std::min(text.find_first_of(kEnds), text.size());
  const std::string_view line = text.substr(0, end);
  if (end < text.size() && text[end] != '\n' && line.ends_with(':')) {
    return "a blank must follow the colon behind a name in brackets, as kubectl has it";
  }
  if (line.find(" #") != std::string_view::npos || line.find(": ") != std::string_view::npos ||
      end == text.size() || text[end] != '\n') {
    return {};
  }
  std::size_t column = 0;
  for (++end; end < text.size(); ++end) {
    if (text[end] == '\t' && column < least_indent) return kTab;
    if (!is_space_or_tab(text[end]) && !is_line_break(text[end])) return {};
    column = is_line_break(text[end]) ? 0 : column + 1;
  }
  return {};
}

std::optional<QuotedYaml> read_quoted_yaml(std::string_view text) {
  return QuotedReader(text).run();
}

std::string_view refusal_of_block(std::string_view text) {
  const BlockHeader header = read_header(text);
  if (header.indent != 0) return {};
  const std::size_t first = text.find_first_not_of(" \r\n", header.content);
  return first != std::string_view::npos && text[first] == '\t' ? kTab : std::string_view{};
}

std::optional<std::size_t> kept_line_breaks(std::string_view text, std::size_t least_indent) {
  const BlockHeader header = read_header(text);
  if (text.front() != '>' || !header.keeps) return std::nullopt;
  std::size_t indent = header.indent;
  if (indent != 0 && least_indent != 0) indent += least_indent - 1;
  std::size_t breaks = 0;
  for (std::size_t start = header.content; start < text.size();) {
    const std::size_t end = std::min(text.find('\n', start), text.size());
    const std::size_t first = std::min(text.find_first_not_of(' ', start), end);
    const std::size_t blanks = first - start;
    const bool is_empty = first == end || (text[first] == '\r' && first + 1 == end);
    if (!is_empty && indent == 0) indent = std::max(blanks, least_indent);
    if (is_empty && (indent == 0 || blanks <= indent)) {
      ++breaks;
    } else if (blanks < indent) {
      break;
    } else {
      breaks = 1;
    }
    start = end + 1;
  }
  return breaks;
}

std::size_t count_line_separators(std::string_view text) {
  std::size_t count = 0;
  for (std::size_t at = text.find("\xE2\x80"); at != std::string_view::npos;
       at = text.find("\xE2\x80", at + 2)) {
    count += is_line_separator(text.substr(at)) ? 1 : 0;
  }
  return count;
}

}  // namespace dynamo::json
