#include <yaml-cpp/depthguard.h>
#include <yaml-cpp/eventhandler.h>
#include <yaml-cpp/exceptions.h>
#include <yaml-cpp/parser.h>

#include <algorithm>
#include <array>
#include <exception>
#include <istream>
#include <new>
#include <optional>
#include <streambuf>
#include <string>
#include <string_view>
#include <vector>

#include "json/scan.hpp"
#include "json/yaml.hpp"
#include "json/yaml_dialect.hpp"
#include "json/yaml_items.hpp"
#include "json/yaml_mistake.hpp"

namespace dynamo::json {
namespace {

// Aborts yaml-cpp in the middle of a document. Caught in this file.
struct ParseAborted {
  YamlError error;
};

// Records yaml-cpp's events for one document, and stops it at a limit.
class Recorder : public YAML::EventHandler {
 public:
  Recorder(std::string_view text, YamlItems& yaml, const YamlOptions& options,
           std::uint32_t lines_before)
      : text_(text),
        yaml_(yaml),
        options_(options),
        lines_before_(lines_before),
        has_tab_(text.find('\t') != std::string_view::npos),
        line_separators_(count_line_separators(text)) {}

  Location location(const YAML::Mark& mark) const {
    if (mark.is_null()) return {lines_before_ + 1, 1};
    return {lines_before_ + static_cast<std::uint32_t>(mark.line) + 1,
            static_cast<std::uint32_t>(mark.column) + 1};
  }

  void OnDocumentStart(const YAML::Mark& mark) override {
    if (++documents_ == 1) return;
    second_document_ = static_cast<std::size_t>(mark.pos);
    stop(mark, "more text follows the end of the document");
  }
  void OnDocumentEnd() override {}

  void OnNull(const YAML::Mark& mark, YAML::anchor_t anchor) override {
    check_written(mark);
    if (in_flow_sequence() && character_at(mark) == ',') stop(mark, "expected a value before ','");
    if (is_name_alone(mark)) {
      YamlMistake mistake =
          yaml_without_colon(text_, location(mark), {lines_before(), lines_in_front()});
      throw ParseAborted{{mistake.where, std::move(mistake.reason)}};
    }
    add(YamlItem::Kind::kNull, mark, anchor);
  }
  void OnAlias(const YAML::Mark& mark, YAML::anchor_t anchor) override {
    check_written(mark);
    const std::uint32_t target = anchored_.at(anchor);
    if (yaml_.items[target].span == 0) stop(mark, "an alias must not be inside its own anchor");
    YamlItem& item = add(YamlItem::Kind::kAlias, mark, 0);
    // YAML forbids an anchor before an alias, so the target is a value; this makes sure.
    item.first =
        yaml_.items[target].kind == YamlItem::Kind::kAlias ? yaml_.items[target].first : target;
  }
  void OnScalar(const YAML::Mark& mark, const std::string& tag, YAML::anchor_t anchor,
                const std::string& value) override {
    check_written(mark);
    const std::optional<std::string> reread = reread_scalar(mark, tag, value);
    YamlItem& item = add(YamlItem::Kind::kScalar, mark, anchor);
    item.tag = yaml_tag(tag);
    item.first = static_cast<std::uint32_t>(yaml_.texts.size());
    add_text(reread ? *reread : value);
    item.length = static_cast<std::uint32_t>(yaml_.texts.size()) - item.first;
    last_scalar_ = mark;
  }
  void OnSequenceStart(const YAML::Mark& mark, const std::string&, YAML::anchor_t anchor,
                       YAML::EmitterStyle::value style) override {
    open(YamlItem::Kind::kSequence, mark, anchor, style);
  }
  void OnSequenceEnd() override { close(); }
  void OnMapStart(const YAML::Mark& mark, const std::string&, YAML::anchor_t anchor,
                  YAML::EmitterStyle::value style) override {
    open(YamlItem::Kind::kMapping, mark, anchor, style);
  }
  void OnMapEnd() override { close(); }

  std::uint32_t lines_before() const { return lines_before_; }
  std::uint32_t lines_in_front() const { return options_.lines_in_front; }
  // The offset of text after the document, if any.
  std::optional<std::size_t> second_document() const { return second_document_; }

  std::string_view refusal_of_end() const {
    return has_tab_ ? refusal_of_last_tabs(text_, quoted_end_) : std::string_view{};
  }

  // kubectl ends a line at U+2028 and U+2029; inside quotes both readers keep them.
  bool has_line_separator() const { return quoted_line_separators_ != line_separators_; }

  // yaml-cpp treats the end of the text as the closing quote if it follows a line break.
  std::optional<YamlError> unclosed_quote() const {
    if (last_scalar_.is_null()) return std::nullopt;
    const std::string_view rest = text_.substr(static_cast<std::size_t>(last_scalar_.pos));
    const std::size_t quote = skip_yaml_properties(rest);
    if (quote == rest.size() || (rest[quote] != '"' && rest[quote] != '\'')) return std::nullopt;
    for (std::size_t at = quote + 1; at < rest.size(); ++at) {
      if (rest[at] == '\'' && rest[quote] == '\'' && rest.substr(at + 1, 1) == "'") {
        ++at;  // a doubled quote is part of the text
        continue;
      }
      if (rest[at] == rest[quote]) return std::nullopt;
      if (rest[at] == '\\' && rest[quote] == '"') ++at;
    }
    const auto lines = static_cast<std::uint32_t>(std::ranges::count(rest.substr(0, quote), '\n'));
    const Location where = location(last_scalar_);
    return YamlError{where, yaml_unclosed(rest[quote], lines_in_front() + where.line + lines)};
  }

 private:
  struct OpenContainer {
    std::uint32_t item;
    std::uint32_t held;  // nodes in it, including keys
    bool is_flow;
    bool is_mapping;
    std::uint32_t column;  // of its names or dashes, from 1; 0: unknown yet
    int key;               // of a mapping: start of its last key, as YAML::Mark::pos
  };

  // Whether a name has no colon, which yaml-cpp accepts at the end of a text: the missing value
  // then has the position of the name. A name after a question mark needs no colon.
  bool is_name_alone(const YAML::Mark& mark) const {
    if (open_.empty() || open_.back().is_flow || !open_.back().is_mapping) return false;
    return open_.back().held % 2 == 1 && open_.back().key == mark.pos;
  }

  bool in_flow() const { return !open_.empty() && open_.back().is_flow; }
  bool in_flow_sequence() const {
    return !open_.empty() && open_.back().is_flow && !open_.back().is_mapping;
  }

  // At most the end of the text: a missing value may have a position after it.
  std::size_t offset_of(const YAML::Mark& mark) const {
    return std::min(static_cast<std::size_t>(std::max(mark.pos, 0)), text_.size());
  }

  char character_at(const YAML::Mark& mark) const {
    const std::size_t at = offset_of(mark);
    return at < text_.size() ? text_[at] : '\0';
  }

  void refuse(const YAML::Mark& mark, std::string_view reason) const {
    if (!reason.empty()) stop(mark, std::string(reason));
  }

  // Refuses tags, anchors and blanks of a value that kubectl refuses.
  void check_written(const YAML::Mark& mark) const {
    const char first = character_at(mark);
    if (first == '!' || first == '&' || first == '*') {
      refuse(mark, refusal_of_properties(text_.substr(offset_of(mark)), in_flow()));
    }
    if (has_tab_ && !in_flow() && mark.pos > 0) {
      const std::size_t at = offset_of(mark);
      if (const auto refusal = refusal_of_tabs(text_, quoted_end_, at); !refusal.empty()) {
        std::size_t tab = text_.rfind('\t', at);
        while (tab > 0 && text_[tab - 1] == '\t') --tab;
        throw ParseAborted{{location_of(text_, tab, lines_before_), std::string(refusal)}};
      }
    }
  }

  // The value if yaml-cpp folds its lines differently than kubectl; else nullopt.
  std::optional<std::string> reread_scalar(const YAML::Mark& mark, const std::string& tag,
                                           const std::string& value) {
    char first = character_at(mark);
    std::size_t at = offset_of(mark);
    if (first == '!' || first == '&') {
      at += skip_yaml_properties(text_.substr(at));
      first = at < text_.size() ? text_[at] : '\0';
    } else if (tag == "?") {
      if (in_flow()) check_flow_text(mark);
      return std::nullopt;
    }
    const std::string_view written = text_.substr(std::min(at, text_.size()));
    if (first == '"' || first == '\'') return reread_quoted(mark, written, value);
    if (first != '|' && first != '>') return std::nullopt;
    refuse(mark, refusal_of_block(written));
    const std::uint32_t least_indent = block_column();
    const auto breaks = kept_line_breaks(written, least_indent);
    if (!breaks) return std::nullopt;
    std::string kept = value.substr(0, value.find_last_not_of('\n') + 1);
    return kept.append(*breaks, '\n');
  }

  // The column of the innermost block, from 1; 0 if there is none.
  std::uint32_t block_column() const {
    const auto block =
        std::ranges::find(open_.rbegin(), open_.rend(), false, &OpenContainer::is_flow);
    return block == open_.rend() ? 0 : block->column;
  }

  void check_flow_text(const YAML::Mark& mark) const {
    const std::string_view written = text_.substr(offset_of(mark));
    if (written.starts_with(':')) stop(mark, "a text must not begin with `:`; put it in quotes");
    refuse(mark, refusal_of_flow_text(written, has_tab_ ? block_column() : 0));
  }

  std::optional<std::string> reread_quoted(const YAML::Mark& mark, std::string_view written,
                                           const std::string& value) {
    const bool is_plain = written.substr(1).starts_with(value) &&
                          written.substr(1 + value.size(), 1) == written.substr(0, 1);
    if (is_plain && line_separators_ == 0) return std::nullopt;
    auto quoted = read_quoted_yaml(written);
    if (!quoted) return std::nullopt;
    refuse(mark, quoted->refusal);
    quoted_end_ = static_cast<std::size_t>(written.data() - text_.data()) + quoted->length;
    quoted_line_separators_ += quoted->line_separators;
    return std::move(quoted->value);
  }

  [[noreturn]] void stop(const YAML::Mark& mark, std::string reason) const {
    throw ParseAborted{{location(mark), std::move(reason)}};
  }
  [[noreturn]] void exceed(const YAML::Mark& mark, std::string reason) const {
    throw ParseAborted{{location(mark), std::move(reason), true}};
  }

  // kubectl requires a value to be further right than its name; a list may begin below the name.
  void check_column(YamlItem::Kind kind, const YAML::Mark& mark) const {
    if (open_.empty() || open_.back().is_flow || !open_.back().is_mapping) return;
    if (kind == YamlItem::Kind::kNull || open_.back().held % 2 == 0) return;
    const char first = character_at(mark);
    const bool is_list = kind == YamlItem::Kind::kSequence && first == '-';
    const bool is_block = first == '|' || first == '>';
    if (!is_list && !is_block && location(mark).column <= open_.back().column) {
      stop(mark, "a value must be indented further than its name");
    }
  }

  YamlItem& add(YamlItem::Kind kind, const YAML::Mark& mark, YAML::anchor_t anchor) {
    check_column(kind, mark);
    if (yaml_.items.size() >= options_.max_nodes) {
      exceed(mark, "more than " + std::to_string(options_.max_nodes) + " values in one document");
    }
    if (!open_.empty() && open_.back().held++ % 2 == 0) {
      open_.back().key = mark.pos;
      if (open_.back().column == 0) open_.back().column = location(mark).column;
    }
    if (anchor != 0) {
      if (anchored_.size() <= anchor) anchored_.resize(anchor + 1);
      anchored_[anchor] = static_cast<std::uint32_t>(yaml_.items.size());
    }
    YamlItem& item = yaml_.items.emplace_back();
    item.kind = kind;
    item.where = location(mark);
    return item;
  }

  // yaml-cpp turns the escapes \N and \_ into Latin-1, one byte each; they mean U+0085 and U+00A0.
  // The text is UTF-8, so there is no other source of invalid bytes.
  void add_text(std::string_view value) {
    while (const auto latin = find_invalid_utf8(value)) {
      yaml_.texts += value.substr(0, *latin);
      yaml_.texts += '\xC2';
      yaml_.texts += value[*latin];
      value.remove_prefix(*latin + 1);
    }
    yaml_.texts += value;
  }

  void open(YamlItem::Kind kind, const YAML::Mark& mark, YAML::anchor_t anchor,
            YAML::EmitterStyle::value style) {
    check_written(mark);
    if (open_.size() >= options_.max_depth) {
      exceed(mark, "nested deeper than " + std::to_string(options_.max_depth) + " levels");
    }
    const auto index = static_cast<std::uint32_t>(yaml_.items.size());
    // After a tag or an anchor the value's column differs from its mark.
    const char first = character_at(mark);
    std::uint32_t column = location(mark).column;
    if (first == '!' || first == '&') {
      column = kind == YamlItem::Kind::kMapping ? 0 : block_column();
    }
    add(kind, mark, anchor).span = 0;
    const bool is_flow = style == YAML::EmitterStyle::Flow;
    const bool is_mapping = kind == YamlItem::Kind::kMapping;
    open_.push_back({index, 0, is_flow, is_mapping, column, -1});
  }

  void close() {
    const OpenContainer closed = open_.back();
    open_.pop_back();
    YamlItem& item = yaml_.items[closed.item];
    item.span = static_cast<std::uint32_t>(yaml_.items.size()) - closed.item;
    item.length = item.kind == YamlItem::Kind::kMapping ? closed.held / 2 : closed.held;
  }

  const std::string_view text_;
  YamlItems& yaml_;
  const YamlOptions& options_;
  const std::uint32_t lines_before_;
  const bool has_tab_;
  const std::size_t line_separators_;
  std::size_t quoted_line_separators_ = 0;
  std::size_t quoted_end_ = 0;  // of the last quoted text that was read again
  YAML::Mark last_scalar_ = YAML::Mark::null_mark();
  int documents_ = 0;
  std::optional<std::size_t> second_document_;
  std::vector<OpenContainer> open_;
  std::vector<std::uint32_t> anchored_;  // by yaml-cpp's anchor number
};

// Lets yaml-cpp read from memory without a copy. Adds a final line break, like kubectl.
class ViewBuffer : public std::streambuf {
 public:
  explicit ViewBuffer(std::string_view text) : ends_(text.empty() || text.back() == '\n') {
    if (!ends_ && text.size() < short_.size()) {
      // yaml-cpp puts back bytes of a byte order mark.
      char* const end = std::ranges::copy(text, short_.data()).out;
      *end = feed_;
      setg(short_.data(), short_.data(), end + 1);
      ends_ = true;
      return;
    }
    char* const first = const_cast<char*>(text.data());  // only ever read
    setg(first, first, first + text.size());
  }

 protected:
  int_type underflow() override {
    if (gptr() != egptr()) return traits_type::to_int_type(*gptr());
    if (ends_) return traits_type::eof();
    ends_ = true;
    setg(&feed_, &feed_, &feed_ + 1);
    return traits_type::to_int_type(feed_);
  }

 private:
  bool ends_;
  char feed_ = '\n';
  std::array<char, 8> short_{};
};

// A parser message may quote a single byte of a multi-byte character.
std::string as_utf8(std::string message) {
  for (auto at = find_invalid_utf8(message); at; at = find_invalid_utf8(message)) {
    message[*at] = '?';
  }
  return message;
}

YamlError line_separator_in(std::string_view text, std::uint32_t lines_before) {
  const std::size_t first = std::min(text.find("\xE2\x80\xA8"), text.find("\xE2\x80\xA9"));
  return {
      location_of(text, std::min(first, text.size()), lines_before),
      "kubectl ends a line at U+2028 and U+2029; remove the character, or write it as \\L or \\P "
      "in double quotes"};
}

std::optional<YamlError> record(std::string_view text, Recorder& recorder) {
  try {
    ViewBuffer buffer{text};
    std::istream stream{&buffer};
    YAML::Parser parser{stream};
    // The second iteration finds text after the document, if any.
    while (parser.HandleNextDocument(recorder)) {
    }
    if (auto error = recorder.unclosed_quote()) return error;
    if (const auto refusal = recorder.refusal_of_end(); !refusal.empty()) {
      return YamlError{location_of(text, text.find_last_not_of("\r\n"), recorder.lines_before()),
                       std::string(refusal)};
    }
    if (recorder.has_line_separator()) return line_separator_in(text, recorder.lines_before());
    return std::nullopt;
  } catch (ParseAborted& stop) {
    return std::move(stop.error);
  } catch (const YAML::DeepRecursion& error) {
    return YamlError{recorder.location(error.mark), "nested too deep", true};
  } catch (const YAML::Exception& error) {
    const Location where = recorder.location(error.mark);
    YamlMistake mistake =
        yaml_mistake(error.msg, text, where, {recorder.lines_before(), recorder.lines_in_front()});
    return YamlError{mistake.where, as_utf8(std::move(mistake.reason))};
  } catch (const std::bad_alloc&) {
    return YamlError{recorder.location(YAML::Mark::null_mark()),
                     "there is not enough memory to read the document", true};
  } catch (const std::exception& error) {
    return YamlError{recorder.location(YAML::Mark::null_mark()), error.what()};
  }
}

}  // namespace

YamlRecord record_yaml(std::string_view text, YamlItems& yaml, const YamlOptions& options,
                       std::uint32_t lines_before) {
  Recorder recorder{text, yaml, options, lines_before};
  YamlRecord result;
  result.error = record(text, recorder);
  result.second_document = recorder.second_document();
  return result;
}

Location location_of(std::string_view text, std::size_t offset, std::uint32_t lines_before) {
  const std::string_view before = text.substr(0, offset);
  const auto lines = std::count(before.begin(), before.end(), '\n');
  const std::size_t line_start = before.rfind('\n') + 1;  // npos + 1 is 0
  return {lines_before + static_cast<std::uint32_t>(lines) + 1,
          static_cast<std::uint32_t>(offset - line_start) + 1};
}

}  // namespace dynamo::json
