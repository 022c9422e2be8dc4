#include "json/yaml.hpp"

#include <algorithm>

#include "json/parser.hpp"
#include "json/scan.hpp"
#include "json/yaml_dialect.hpp"
#include "json/yaml_items.hpp"
#include "json/yaml_mistake.hpp"

namespace dynamo::json {
namespace {

bool is_blank(char c) {
  return c == ' ' || c == '\t' || c == '\r' || c == '\n';
}

bool is_control(unsigned char c) {
  return (c < 0x20 && c != '\t' && c != '\n' && c != '\r') || c == 0x7F;
}

// Offset of the first character that YAML does not allow, or nullopt. The text is UTF-8. A carriage
// return is only allowed before a line feed, and U+0085 nowhere: yaml-cpp reads both as text, and
// normalise_yaml() leaves them only where kubectl drops what follows.
std::optional<std::size_t> find_forbidden(std::string_view text) {
  for (std::size_t at = 0; at < text.size(); ++at) {
    const auto byte = static_cast<unsigned char>(text[at]);
    if (byte >= 0x20 && byte != 0x7F && byte != 0xC2 && byte != 0xEF) continue;
    if (is_control(byte)) return at;
    const std::string_view rest = text.substr(at + 1);
    if (byte == '\r' && !rest.starts_with('\n')) return at;
    // U+0080 to U+009F.
    if (byte == 0xC2 && static_cast<unsigned char>(rest[0]) < 0xA0) return at;
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
                     "control characters are not allowed in YAML", true};
  }
  return std::nullopt;
}

// Offset of the bracket that opens one level too many, or nullopt. yaml-cpp buffers open brackets
// before it reports any event, so this must be checked first. Ignores brackets in quotes and
// comments. For an unclosed quote, or a bracket in plain text, the count may be a few too low or
// too high: the limit is far above any real manifest.
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

enum class SeparatorLine : std::uint8_t {
  kPlain,    // for yaml-cpp as well
  kUnusual,  // for kubectl only, which accepts any white space and needs no blank before a comment
  kNone,
};

SeparatorLine separator_line(std::string_view line) {
  constexpr std::string_view kSeparator = "---";
  const std::string_view rest = line.substr(kSeparator.size());
  if (is_blank_or_comment(rest) && !rest.starts_with('#')) return SeparatorLine::kPlain;
  return is_yaml_separator(line) ? SeparatorLine::kUnusual : SeparatorLine::kNone;
}

bool is_document_end(std::string_view line) {
  constexpr std::string_view kMarker = "...";
  return line.starts_with(kMarker) &&
         (line.size() == kMarker.size() || is_blank(line[kMarker.size()]));
}

// The offset of a line that begins with % and has only blank lines and comments between it and
// `end`. yaml-cpp treats such a line after a document as a directive and drops it.
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

// Splits the text at its document markers, which cannot occur inside a value, and reads piece by
// piece: a fault in one document does not hide the next, and documents share no limit.
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

  // Reads the next piece. The document stays empty for an empty piece and after an error.
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
    std::optional<YamlError> fault;  // found while splitting
  };

  // Up to the next "---" that does not begin this piece, or up to and including the next "...".
  Piece take_piece() {
    constexpr std::string_view kSeparator = "---";
    const bool is_first = lines_read_ + options_.lines_in_front == 0;
    Piece piece{rest_, lines_read_, std::nullopt};
    std::size_t start = 0;
    std::size_t end = 0;
    bool has_separator = false;
    bool has_content = false;
    while (end < rest_.size() && !piece.fault) {
      const std::size_t feed = rest_.find('\n', end);
      const std::size_t next = feed == std::string_view::npos ? rest_.size() : feed + 1;
      const std::string_view line = rest_.substr(end, next - end);
      if (line.starts_with(kSeparator)) {
        const SeparatorLine kind = separator_line(line);
        const bool is_text = kind == SeparatorLine::kNone ||
                             (kind == SeparatorLine::kUnusual && is_first && end == 0 &&
                              !line.substr(kSeparator.size()).starts_with('#'));
        if (is_text) {
          piece.fault =
              YamlError{{lines_read_ + 1, 4}, "only a comment may follow the separator ---"};
        } else if (has_content || has_separator) {
          break;
        } else if (kind == SeparatorLine::kUnusual && !is_first && end == 0) {
          start = next;  // kubectl drops the line; yaml-cpp would read it as text
          ++piece.lines_before;
        }
        has_separator = true;
      } else if (is_document_end(line)) {
        const bool ends_nothing = !has_content && !(has_separator && is_first);
        if (ends_nothing && !follows_end_) {
          piece.fault = YamlError{{lines_read_ + 1, 1}, "there is no document that ... could end"};
        }
        ++lines_read_;
        end = next;
        follows_end_ = true;
        piece.text = rest_.substr(start, end - start);
        rest_.remove_prefix(end);
        return piece;
      } else if (!has_content && !has_separator && line.front() == '%') {
        piece.fault = YamlError{{lines_read_ + 1, 1}, std::string(kYamlDirective)};
      } else {
        has_content = has_content || !is_blank_or_comment(line);
      }
      ++lines_read_;
      end = next;
    }
    follows_end_ = false;
    piece.text = rest_.substr(start, end - start);
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
    if (const auto offset = find_too_many_brackets(piece.text, kMaxOpenBrackets)) {
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
    YamlRecord recorded = record_yaml(piece.text, yaml_, options_, piece.lines_before);
    if (auto& error = recorded.error) {
      const auto second = recorded.second_document;
      const auto directive = second ? find_last_percent_line(piece.text, *second) : std::nullopt;
      return directive ? directive_at(piece, *directive) : std::move(error);
    }
    const auto directive = find_last_percent_line(piece.text, piece.text.size());
    if (directive && means_nothing_from(piece, *directive)) return directive_at(piece, *directive);
    if (yaml_.items.empty()) return std::nullopt;
    return expand_yaml(yaml_, options_, document);
  }

  static YamlError directive_at(const Piece& piece, std::size_t offset) {
    return {location_of(piece.text, offset, piece.lines_before), std::string(kYamlDirective)};
  }

  // Whether the piece, which was read, has the same content without its end: then the text at the
  // offset is not inside a quoted text, even if it looks so. The shorter text may have a mistake
  // that the line at the offset hides.
  bool means_nothing_from(const Piece& piece, std::size_t offset) const {
    YamlItems before;
    record_yaml(piece.text.substr(0, offset), before, options_, piece.lines_before);
    return before.items.size() == yaml_.items.size() && before.texts.size() == yaml_.texts.size();
  }

  // JSON is nearly a subset of YAML; the few texts that are only JSON (escaped surrogate pairs) are
  // read as JSON. Returns whether this was one.
  bool read_json(std::string_view text, Document& document) const {
    const std::size_t first = text.find_first_not_of(" \t\r\n");
    if (first == std::string_view::npos || text[first] != '{') return false;
    ParseOptions options;
    options.max_depth = options_.max_depth;
    options.refuse_duplicate_keys = !options_.keep_duplicate_keys;
    const auto parsed = parse_copy(text, options);
    if (parsed->error || parsed->root().node()->span > options_.max_nodes) return false;
    Builder builder(document);
    // The text is too long for the small-string buffer, so moving it keeps its bytes in place.
    builder.own(std::move(parsed->text));
    builder.copy(parsed->root());
    return true;
  }

  // Plain text may contain brackets that open nothing, so this is no depth limit.
  static constexpr std::size_t kMaxOpenBrackets = 10'000;

  std::string_view rest_;
  YamlOptions options_;
  std::uint32_t lines_read_ = 0;
  std::uint32_t lines_before_ = 0;
  bool follows_end_ = false;  // "..." ended the previous piece
  YamlItems yaml_;
};

YamlReader::YamlReader(std::string_view text, const YamlOptions& options)
    : impl_(std::make_unique<Impl>(text, options)) {}
YamlReader::~YamlReader() = default;
YamlReader::YamlReader(YamlReader&&) noexcept = default;
YamlReader& YamlReader::operator=(YamlReader&&) noexcept = default;

YamlReader::ReadResult YamlReader::next(Document& document) {
  document.clear();
  while (!impl_->at_end()) {
    auto error = impl_->read(document);
    line_ = impl_->lines_before() + 1;
    if (error) {
      error_ = std::move(*error);
      return ReadResult::kError;
    }
    if (!document.empty()) return ReadResult::kDocument;
  }
  return ReadResult::kEnd;
}

}  // namespace dynamo::json
