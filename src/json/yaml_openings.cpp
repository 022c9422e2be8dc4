#include "json/yaml_openings.hpp"

#include <algorithm>

namespace dynamo::json {
namespace {

bool is_blank(char c) {
  return c == ' ' || c == '\t' || c == '\r' || c == '\n';
}

// Two states: in brackets, or in a block. In a block the meaning of a character depends on whether
// a value may begin there.
class Scan {
 public:
  Scan(std::string_view text, std::size_t until) : text_(text), until_(until) {}

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

}  // namespace

YamlOpenings find_openings(std::string_view text, std::size_t until) {
  return Scan(text, until).run();
}

}  // namespace dynamo::json
