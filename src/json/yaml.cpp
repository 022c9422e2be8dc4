#include "json/yaml.hpp"

#include <yaml-cpp/depthguard.h>
#include <yaml-cpp/eventhandler.h>
#include <yaml-cpp/exceptions.h>
#include <yaml-cpp/parser.h>

#include <algorithm>
#include <exception>
#include <istream>
#include <new>
#include <streambuf>

#include "json/parser.hpp"
#include "json/scan.hpp"
#include "json/yaml_items.hpp"
#include "json/yaml_words.hpp"

namespace dynamo::json {
namespace {

// Leaves yaml-cpp in the middle of a document. Does not leave this file.
struct Stop {
  YamlError error;
};

bool is_blank(char c) {
  return c == ' ' || c == '\t' || c == '\r' || c == '\n';
}

// Records what yaml-cpp reports of one document, and stops it at a limit.
class Recorder : public YAML::EventHandler {
 public:
  Recorder(std::string_view text, YamlItems& yaml, const YamlOptions& options,
           std::uint32_t lines_before)
      : text_(text), yaml_(yaml), options_(options), lines_before_(lines_before) {}

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
    if (in_flow_sequence() && character_at(mark) == ',') stop(mark, "expected a value before ','");
    if (is_name_alone(mark)) {
      YamlMistake mistake =
          yaml_without_colon(text_, location(mark), {lines_before(), lines_in_front()});
      throw Stop{{mistake.where, std::move(mistake.reason)}};
    }
    add(YamlItem::Kind::kNull, mark, anchor);
  }
  void OnAlias(const YAML::Mark& mark, YAML::anchor_t anchor) override {
    const std::uint32_t target = anchored_.at(anchor);
    if (yaml_.items[target].span == 0) stop(mark, "an alias must not stand inside its own anchor");
    YamlItem& item = add(YamlItem::Kind::kAlias, mark, 0);
    // An anchor before an alias is not YAML, so the target is a value; but be sure of it.
    item.first =
        yaml_.items[target].kind == YamlItem::Kind::kAlias ? yaml_.items[target].first : target;
  }
  void OnScalar(const YAML::Mark& mark, const std::string& tag, YAML::anchor_t anchor,
                const std::string& value) override {
    YamlItem& item = add(YamlItem::Kind::kScalar, mark, anchor);
    item.tag = yaml_tag(tag);
    item.first = static_cast<std::uint32_t>(yaml_.texts.size());
    add_text(value);
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
  // The offset of what follows the document, if something does.
  std::optional<std::size_t> second_document() const { return second_document_; }

  // yaml-cpp takes the end of the text for the closing quote when it follows a line break.
  std::optional<YamlError> unclosed_quote() const {
    if (last_scalar_.is_null()) return std::nullopt;
    const std::string_view rest = text_.substr(static_cast<std::size_t>(last_scalar_.pos));
    const std::size_t quote = skip_properties(rest);
    if (quote == rest.size() || (rest[quote] != '"' && rest[quote] != '\'')) return std::nullopt;
    for (std::size_t at = quote + 1; at < rest.size(); ++at) {
      if (rest[at] == rest[quote]) return std::nullopt;
      if (rest[at] == '\\' && rest[quote] == '"') ++at;
    }
    const auto lines = static_cast<std::uint32_t>(std::ranges::count(rest.substr(0, quote), '\n'));
    const Location where = location(last_scalar_);
    return YamlError{where, yaml_unclosed(rest[quote], lines_in_front() + where.line + lines)};
  }

 private:
  struct Open {
    std::uint32_t item;
    std::uint32_t held;  // nodes in it, keys counted
    bool flow_sequence;
    bool block_mapping;
    int key;  // of a mapping: where its last one begins, as YAML::Mark::pos
  };

  // Offset of the scalar itself behind its tag and anchor.
  static std::size_t skip_properties(std::string_view text) {
    std::size_t at = 0;
    while (at < text.size()) {
      if (text[at] == '!' || text[at] == '&') {
        at = std::min(text.find_first_of(" \t\r\n", at), text.size());
      } else if (text[at] == '#') {
        at = std::min(text.find('\n', at), text.size());
      } else if (is_blank(text[at])) {
        ++at;
      } else {
        break;
      }
    }
    return at;
  }

  // A name with no colon behind it, which yaml-cpp takes for one at the end of a text: the value
  // that it does not have stands where the name begins. One behind a question mark may do without.
  bool is_name_alone(const YAML::Mark& mark) const {
    if (open_.empty() || !open_.back().block_mapping) return false;
    return open_.back().held % 2 == 1 && open_.back().key == mark.pos;
  }

  bool in_flow_sequence() const { return !open_.empty() && open_.back().flow_sequence; }

  char character_at(const YAML::Mark& mark) const {
    const auto at = static_cast<std::size_t>(mark.pos);
    return mark.pos >= 0 && at < text_.size() ? text_[at] : '\0';
  }

  [[noreturn]] void stop(const YAML::Mark& mark, std::string reason) const {
    throw Stop{{location(mark), std::move(reason)}};
  }
  [[noreturn]] void exceed(const YAML::Mark& mark, std::string reason) const {
    throw Stop{{location(mark), std::move(reason), true}};
  }

  YamlItem& add(YamlItem::Kind kind, const YAML::Mark& mark, YAML::anchor_t anchor) {
    if (yaml_.items.size() >= options_.max_nodes) {
      exceed(mark, "more than " + std::to_string(options_.max_nodes) + " values in one document");
    }
    if (!open_.empty() && open_.back().held++ % 2 == 0) open_.back().key = mark.pos;
    if (anchor != 0) {
      if (anchored_.size() <= anchor) anchored_.resize(anchor + 1);
      anchored_[anchor] = static_cast<std::uint32_t>(yaml_.items.size());
    }
    YamlItem& item = yaml_.items.emplace_back();
    item.kind = kind;
    item.where = location(mark);
    return item;
  }

  // yaml-cpp turns the escapes \N and \_ into Latin-1, one byte each; they are U+0085 and U+00A0.
  // The text is UTF-8 and there is no other source of bad bytes.
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
    if (open_.size() >= options_.max_depth) {
      exceed(mark, "nested deeper than " + std::to_string(options_.max_depth) + " levels");
    }
    const auto index = static_cast<std::uint32_t>(yaml_.items.size());
    add(kind, mark, anchor).span = 0;
    const bool is_flow = style == YAML::EmitterStyle::Flow;
    const bool is_mapping = kind == YamlItem::Kind::kMapping;
    open_.push_back({index, 0, is_flow && !is_mapping, !is_flow && is_mapping, -1});
  }

  void close() {
    const Open closed = open_.back();
    open_.pop_back();
    YamlItem& item = yaml_.items[closed.item];
    item.span = static_cast<std::uint32_t>(yaml_.items.size()) - closed.item;
    item.length = item.kind == YamlItem::Kind::kMapping ? closed.held / 2 : closed.held;
  }

  const std::string_view text_;
  YamlItems& yaml_;
  const YamlOptions& options_;
  const std::uint32_t lines_before_;
  YAML::Mark last_scalar_ = YAML::Mark::null_mark();
  int documents_ = 0;
  std::optional<std::size_t> second_document_;
  std::vector<Open> open_;
  std::vector<std::uint32_t> anchored_;  // by yaml-cpp's number of the anchor
};

// Lets yaml-cpp read from memory without a copy.
class ViewBuffer : public std::streambuf {
 public:
  explicit ViewBuffer(std::string_view text) {
    char* const first = const_cast<char*>(text.data());  // only ever read
    setg(first, first, first + text.size());
  }
};

// A message of the parser's may quote one byte out of the middle of a character.
std::string as_utf8(std::string message) {
  for (auto at = find_invalid_utf8(message); at; at = find_invalid_utf8(message)) {
    message[*at] = '?';
  }
  return message;
}

std::optional<YamlError> record(std::string_view text, Recorder& recorder) {
  try {
    ViewBuffer buffer{text};
    std::istream stream{&buffer};
    YAML::Parser parser{stream};
    // The second round finds what stands behind the document, if anything.
    while (parser.HandleNextDocument(recorder)) {
    }
    return recorder.unclosed_quote();
  } catch (Stop& stop) {
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

Location location_of(std::string_view text, std::size_t offset, std::uint32_t lines_before) {
  const std::string_view before = text.substr(0, offset);
  const auto lines = std::count(before.begin(), before.end(), '\n');
  const std::size_t line_start = before.rfind('\n') + 1;  // npos + 1 is 0
  return {lines_before + static_cast<std::uint32_t>(lines) + 1,
          static_cast<std::uint32_t>(offset - line_start) + 1};
}

bool is_control(unsigned char c) {
  return (c < 0x20 && c != '\t' && c != '\n' && c != '\r') || c == 0x7F;
}

// Offset of the first character that YAML does not allow, or nothing. The text is UTF-8.
// A carriage return may only stand before a line feed: yaml-cpp would take it for text.
std::optional<std::size_t> find_forbidden(std::string_view text) {
  for (std::size_t at = 0; at < text.size(); ++at) {
    const auto byte = static_cast<unsigned char>(text[at]);
    if (byte >= 0x20 && byte != 0x7F && byte != 0xC2 && byte != 0xEF) continue;
    if (is_control(byte)) return at;
    const std::string_view rest = text.substr(at + 1);
    if (byte == '\r' && !rest.starts_with('\n')) return at;
    // U+0080 to U+009F without U+0085, the next-line character.
    if (byte == 0xC2 && static_cast<unsigned char>(rest[0]) < 0xA0 && rest[0] != '\x85') return at;
    if (byte == 0xEF && (rest.starts_with("\xBF\xBE") || rest.starts_with("\xBF\xBF"))) return at;
  }
  return std::nullopt;
}

std::optional<YamlError> check_characters(std::string_view text, std::uint32_t lines_before) {
  if (const auto offset = find_invalid_utf8(text)) {
    return YamlError{location_of(text, *offset, lines_before), "the text is not UTF-8", true};
  }
  if (const auto offset = find_forbidden(text)) {
    return YamlError{location_of(text, *offset, lines_before),
                     "control characters must not stand in YAML", true};
  }
  return std::nullopt;
}

// Offset of the bracket that opens one level too many, or nothing. yaml-cpp keeps what it has read
// of open brackets before it tells of any, so this has to be known first. Brackets in quotes and
// comments do not count; where a text is quoted without being closed, or a bracket stands in plain
// text, the count may be too low or too high by a few: it is compared with a limit that is far
// above what anybody writes.
std::optional<std::size_t> find_too_many_brackets(std::string_view text, std::size_t most) {
  std::size_t open = 0;
  char quote = '\0';
  char before = '\n';
  for (std::size_t at = 0; at < text.size(); ++at) {
    const char c = text[at];
    const bool begins =
        is_blank(before) || before == '[' || before == '{' || before == ',' || before == ':';
    before = c;
    if (quote != '\0') {
      if (c == '\\' && quote == '"') {
        ++at;
      } else if (c == quote) {
        quote = '\0';
      }
    } else if ((c == '"' || c == '\'') && begins) {
      quote = c;
    } else if (c == '#' && begins) {
      at = std::min(text.find('\n', at), text.size());
      before = '\n';
    } else if (c == '[' || c == '{') {
      if (begins && ++open > most) return at;
    } else if ((c == ']' || c == '}') && open > 0) {
      --open;
    }
  }
  return std::nullopt;
}

bool is_blank_or_comment(std::string_view line) {
  const std::size_t first = line.find_first_not_of(" \t\r\n");
  return first == std::string_view::npos || line[first] == '#';
}

bool is_document_end(std::string_view line) {
  constexpr std::string_view kMarker = "...";
  return line.starts_with(kMarker) &&
         (line.size() == kMarker.size() || is_blank(line[kMarker.size()]));
}

// The offset of a line that begins with % and has nothing but blank lines and comments between it
// and `end`. What yaml-cpp takes for a directive there, behind a document, it drops.
std::optional<std::size_t> find_last_percent_line(std::string_view text, std::size_t end) {
  while (end > 0) {
    const std::size_t feed = end < 2 ? std::string_view::npos : text.rfind('\n', end - 2);
    const std::size_t start = feed + 1;  // npos + 1 is 0
    const std::string_view line = text.substr(start, end - start);
    if (line.front() == '%') return start;
    if (!is_blank_or_comment(line) && !is_document_end(line)) return std::nullopt;
    end = start;
  }
  return std::nullopt;
}

}  // namespace

std::string YamlError::message() const {
  return "line " + std::to_string(where.line) + ", column " + std::to_string(where.column) + ": " +
         reason;
}

// Cuts the text at its document markers, which cannot stand inside of anything, and reads piece by
// piece: so a fault in one document does not hide the next, and no limit is shared.
class YamlReader::Impl {
 public:
  Impl(std::string_view text, const YamlOptions& options) : rest_(text), options_(options) {
    options_.max_bytes = std::min(options_.max_bytes, YamlOptions::kHighestBytes);
    options_.max_depth = std::min(options_.max_depth, YamlOptions::kHighestDepth);
    options_.max_nodes = std::min(options_.max_nodes, YamlOptions::kHighestNodes);
    if (rest_.starts_with("\xEF\xBB\xBF")) rest_.remove_prefix(3);
  }

  bool at_end() const { return rest_.empty(); }
  std::uint32_t lines_before() const { return lines_before_; }

  // Reads the next piece. Leaves the document empty for an empty piece and after an error.
  std::optional<YamlError> read(Document& document) {
    Piece piece = take_piece();
    document.clear();
    lines_before_ = piece.lines_before;
    auto error = read(piece, document);
    if (error || document.root().is_nothing()) document.clear();
    return error;
  }

 private:
  struct Piece {
    std::string_view text;
    std::uint32_t lines_before = 0;
    std::optional<YamlError> fault;  // found while cutting
  };

  // Up to the next "---" that does not begin this very piece, or up to and with the next "...".
  Piece take_piece() {
    constexpr std::string_view kSeparator = "---";
    Piece piece{rest_, lines_read_, std::nullopt};
    std::size_t end = 0;
    bool has_content = false;
    while (end < rest_.size() && !piece.fault) {
      const std::size_t feed = rest_.find('\n', end);
      const std::size_t next = feed == std::string_view::npos ? rest_.size() : feed + 1;
      const std::string_view line = rest_.substr(end, next - end);
      const bool separates = line.starts_with(kSeparator);
      if (separates && !is_blank_or_comment(line.substr(kSeparator.size()))) {
        piece.fault =
            YamlError{{lines_read_ + 1, 4}, "only a comment may follow the separator ---"};
      } else if (separates && has_content) {
        break;
      } else if (!has_content && line.front() == '%') {
        piece.fault = YamlError{{lines_read_ + 1, 1}, std::string(kYamlDirective)};
      }
      ++lines_read_;
      end = next;
      if (is_document_end(line)) break;
      has_content = has_content || !is_blank_or_comment(line);
    }
    piece.text = rest_.substr(0, end);
    rest_.remove_prefix(end);
    return piece;
  }

  std::optional<YamlError> read(Piece& piece, Document& document) {
    if (piece.fault) return std::move(piece.fault);
    if (piece.text.size() > options_.max_bytes) {
      return YamlError{
          {piece.lines_before + 1, 1},
          "the document is longer than " + std::to_string(options_.max_bytes) + " bytes",
          true};
    }
    if (auto error = check_characters(piece.text, piece.lines_before)) return error;
    if (const auto offset = find_too_many_brackets(piece.text, kMostOpenBrackets)) {
      return YamlError{location_of(piece.text, *offset, piece.lines_before),
                       "nested deeper than " + std::to_string(options_.max_depth) + " levels",
                       true};
    }
    auto error = read_yaml(piece, document);
    if (error && read_json(piece.text, document)) return std::nullopt;
    return error;
  }

  std::optional<YamlError> read_yaml(const Piece& piece, Document& document) {
    yaml_.clear();
    Recorder recorder{piece.text, yaml_, options_, piece.lines_before};
    if (auto error = record(piece.text, recorder)) {
      const auto second = recorder.second_document();
      const auto directive = second ? find_last_percent_line(piece.text, *second) : std::nullopt;
      return directive ? directive_at(piece, *directive) : error;
    }
    const auto directive = find_last_percent_line(piece.text, piece.text.size());
    if (directive && means_nothing_from(piece, *directive)) return directive_at(piece, *directive);
    if (yaml_.items.empty()) return std::nullopt;
    return expand_yaml(yaml_, options_, document);
  }

  static YamlError directive_at(const Piece& piece, std::size_t offset) {
    return {location_of(piece.text, offset, piece.lines_before), std::string(kYamlDirective)};
  }

  // Whether the piece, which has been read, is the same without its end: what begins there is no
  // part of a text in quotes, as it may look.
  bool means_nothing_from(const Piece& piece, std::size_t offset) const {
    const std::string_view text = piece.text.substr(0, offset);
    YamlItems before;
    Recorder recorder{text, before, options_, piece.lines_before};
    return !record(text, recorder) && before.items.size() == yaml_.items.size() &&
           before.texts.size() == yaml_.texts.size();
  }

  // JSON is nearly a part of YAML; the few texts in between (escaped surrogate pairs) are read as
  // what they are. Answers whether this was one.
  bool read_json(std::string_view text, Document& document) const {
    const std::size_t first = text.find_first_not_of(" \t\r\n");
    if (first == std::string_view::npos || text[first] != '{') return false;
    ParseOptions options;
    options.max_depth = options_.max_depth;
    options.refuse_duplicate_keys = !options_.keep_duplicate_keys;
    const auto parsed = parse_copy(text, options);
    if (parsed->error || parsed->root().node()->span > options_.max_nodes) return false;
    Builder builder(document);
    // Longer than what a string keeps in itself, so its bytes stay where they are.
    builder.own(std::move(parsed->text));
    builder.copy(parsed->root());
    return true;
  }

  // Text in plain style may hold brackets that open nothing, so this is no limit of depth.
  static constexpr std::size_t kMostOpenBrackets = 10'000;

  std::string_view rest_;
  YamlOptions options_;
  std::uint32_t lines_read_ = 0;
  std::uint32_t lines_before_ = 0;
  YamlItems yaml_;
};

YamlReader::YamlReader(std::string_view text, const YamlOptions& options)
    : impl_(std::make_unique<Impl>(text, options)) {}
YamlReader::~YamlReader() = default;
YamlReader::YamlReader(YamlReader&&) noexcept = default;
YamlReader& YamlReader::operator=(YamlReader&&) noexcept = default;

YamlReader::Read YamlReader::next(Document& document) {
  document.clear();
  while (!impl_->at_end()) {
    auto error = impl_->read(document);
    line_ = impl_->lines_before() + 1;
    if (error) {
      error_ = std::move(*error);
      return Read::kError;
    }
    if (!document.empty()) return Read::kDocument;
  }
  return Read::kEnd;
}

}  // namespace dynamo::json
