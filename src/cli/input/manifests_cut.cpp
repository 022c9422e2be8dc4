#include "cli/input/manifests_cut.hpp"

#include <algorithm>
#include <span>
#include <utility>

#include "json/document.hpp"
#include "json/parser.hpp"
#include "json/scan.hpp"
#include "json/yaml.hpp"
#include "json/yaml_dialect.hpp"
#include "text/blanks.hpp"

namespace dynamo::cli {
namespace {

constexpr std::size_t kSliceSize = std::size_t{128} << 10U;
constexpr std::string_view kByteOrderMarksOfUtf16[] = {"\xFF\xFE", "\xFE\xFF"};
// Each costs a search through a whole document.
constexpr int kMaxUnclosed = 64;
constexpr std::string_view kSeparator = "---";

bool is_blank(char c) {
  return text::kBlanks.find(c) != std::string_view::npos;
}

bool begins_line(std::string_view text, std::size_t at) {
  return at == 0 || text[at - 1] == '\n';
}

// A line that only separates documents: "---", blanks, perhaps a comment.
bool is_separator(std::string_view text, std::size_t at) {
  if (!begins_line(text, at) || !text.substr(at).starts_with(kSeparator)) return false;
  const std::size_t next = text.find_first_not_of(" \t\r", at + kSeparator.size());
  return next == std::string_view::npos || text[next] == '\n' || text[next] == '#';
}

}  // namespace

std::size_t skip_between_values(std::string_view text, std::size_t at) {
  while (at < text.size()) {
    if (is_blank(text[at])) {
      ++at;
    } else if (is_separator(text, at)) {
      at = std::min(text.find('\n', at), text.size());
    } else {
      break;
    }
  }
  return at;
}

std::size_t next_value_line(std::string_view text, std::size_t at) {
  const std::size_t found = text.find("\n{", at);
  return found == std::string_view::npos ? found : found + 1;
}

bool names_an_api_version(std::string_view text) {
  constexpr std::string_view kName = "apiversion";
  constexpr char kLower = 'a' - 'A';
  const auto lower = [](char c) {
    return c >= 'A' && c <= 'Z' ? static_cast<char>(c + kLower) : c;
  };
  return !std::ranges::search(text, kName, {}, lower).empty();
}

ManifestCutter::ManifestCutter(std::unique_ptr<ByteSource> source, bool is_json)
    : source_(std::move(source)), is_json_(is_json) {}

std::variant<Slice, InputFault, ManifestCutter::EndOfInput> ManifestCutter::next() {
  if (!std::exchange(started_, true)) detect();
  std::size_t wanted = kSliceSize;
  for (;;) {
    fill(wanted);
    if (fault_) {
      InputFault fault;
      fault.reason = std::exchange(fault_, std::nullopt)->reason;
      buffer_.clear();
      at_end_ = true;
      return fault;
    }
    const std::size_t cut = find_cut();
    if (cut != 0) return take(cut);
    if (at_end_) {
      if (buffer_.empty()) return EndOfInput{};
      return take(buffer_.size());
    }
    // One additional byte shows that the document is too long, rather than ending here.
    if (buffer_.size() > kLongestDocument) {
      // An unclosed value is more likely than a value of this length.
      const std::size_t unclosed = find_end_of_unclosed();
      if (unclosed != 0 && ++unclosed_ > kMaxUnclosed) return give_up();
      if (unclosed != 0) return take(unclosed);
      return skip_long_document();
    }
    // In growing steps: each scans the whole buffer again.
    wanted = std::min(2 * buffer_.size(), kLongestDocument + 1);
  }
}

// Reads until the buffer holds that many bytes or the input ends. Returns whether it does.
bool ManifestCutter::fill(std::size_t wanted) {
  while (buffer_.size() < wanted && !at_end_ && !fault_) {
    const std::size_t held = buffer_.size();
    buffer_.resize(wanted);
    const auto read = source_->read(std::span<char>(buffer_).subspan(held));
    const auto* const count = std::get_if<std::size_t>(&read);
    buffer_.resize(held + (count != nullptr ? *count : 0));
    if (count == nullptr) {
      fault_ = std::get<ReadFault>(read);
    } else if (*count == 0) {
      at_end_ = true;
    }
  }
  return buffer_.size() >= wanted;
}

void ManifestCutter::detect() {
  fill(kSliceSize);
  for (const std::string_view mark : kByteOrderMarksOfUtf16) {
    if (buffer_.starts_with(mark)) return refuse_utf16();
  }
  // After a byte order mark or a separator, kubectl reads a brace as YAML.
  const bool has_mark = buffer_.starts_with(kByteOrderMark);
  if (has_mark) buffer_.erase(0, kByteOrderMark.size());
  const std::size_t first = buffer_.find_first_not_of(text::kBlanks);
  if (first == std::string::npos) return;
  if (buffer_[first] == '{') {
    if (is_json_ || is_first_value_json(has_mark)) syntax_ = Syntax::kJson;
  } else if (buffer_[first] == '[' && is_json_) {
    syntax_ = Syntax::kJson;
  }
}

// kubectl reads such a file. The parts of a manifest that identify it are ASCII.
void ManifestCutter::refuse_utf16() {
  std::erase(buffer_, '\0');
  is_long_document_manifest_ = names_an_api_version(buffer_);
  fault_ = ReadFault{"the text is UTF-16; save it as UTF-8"};
}

// JSON is nearly a subset of YAML, so a text that is valid as both is read as JSON, which is
// faster. Text that is only valid as YAML is still read as JSON, with its fault, because kubectl up
// to 1.32 refuses it. Text that is invalid as both is read as what it looks like.
bool ManifestCutter::is_first_value_json(bool can_be_yaml) {
  const std::size_t first = skip_between_values(buffer_, 0);
  std::optional<std::size_t> length;
  for (;;) {
    length = json::find_end_of_container(std::string_view(buffer_).substr(first));
    if (length || at_end_ || fault_ || buffer_.size() > kLongestDocument) break;
    fill(std::min(2 * buffer_.size(), kLongestDocument + 1));
  }
  const std::string_view value =
      std::string_view(buffer_).substr(first, length.value_or(std::string_view::npos));
  json::ParseOptions options;
  options.max_depth = kDeepestDocument;
  if (length && !json::parse_copy(value, options)->error) return true;
  json::YamlReader reader(value, {.max_bytes = kLongestDocument});
  json::Document document;
  if (length && reader.next(document) == json::YamlReader::ReadResult::kDocument)
    return !can_be_yaml;
  const std::size_t second = value.find_first_not_of(text::kBlanks, 1);
  return second != std::string_view::npos && value[second] == '"';
}

// Where the buffer can be split, or 0. As late as possible, because small slices are inefficient.
std::size_t ManifestCutter::find_cut() {
  return syntax_ == Syntax::kJson ? find_json_cut() : find_yaml_cut();
}

// Before a separator: the YAML reader splits there too, so the result is the same.
std::size_t ManifestCutter::find_yaml_cut() {
  constexpr std::string_view kCut = "\n---";
  const std::size_t found = buffer_.rfind(kCut);
  return found == std::string::npos ? 0 : found + 1;
}

// After the last complete value.
std::size_t ManifestCutter::find_json_cut() {
  const std::string_view text = buffer_;
  std::size_t cut = 0;
  for (;;) {
    const std::size_t at = skip_between_values(text, cut);
    if (at == text.size()) return at_end_ ? at : cut;
    const std::string_view rest = text.substr(at);
    if (rest.front() == '{' || rest.front() == '[') {
      const auto length = json::find_end_of_container(rest);
      if (!length) return cut;
      cut = at + *length;
      continue;
    }
    const bool separated = text.substr(cut, at - cut).find(kSeparator) != std::string_view::npos;
    if (separated && !kSeparator.starts_with(rest.substr(0, kSeparator.size()))) {
      // Documents after a separator. The slice ends here, and the rest is YAML.
      if (cut != 0) return cut;
      syntax_ = Syntax::kYaml;
      return find_yaml_cut();
    }
    // Anything else is reported when the slice is read; find the next value.
    const std::size_t next = next_value_line(text, at);
    if (next == std::string_view::npos) return cut;
    cut = next;
  }
}

// Where the value after the first one in the buffer seems to begin, or 0.
std::size_t ManifestCutter::find_end_of_unclosed() const {
  if (syntax_ != Syntax::kJson) return 0;
  const std::size_t next = next_value_line(buffer_, skip_between_values(buffer_, 0));
  return next == std::string_view::npos ? 0 : next;
}

// A text of unclosed values only would be searched once for each of them.
InputFault ManifestCutter::give_up() {
  InputFault fault;
  fault.line = lines_before_ + 1;
  fault.column = 1;
  fault.reason = "there are too many values that are not closed to read on; fix those first";
  is_long_document_manifest_ = true;
  buffer_.clear();
  at_end_ = true;
  return fault;
}

// Drops the document at the beginning of the buffer, and reads on until its end.
InputFault ManifestCutter::skip_long_document() {
  const bool is_json = syntax_ == Syntax::kJson;
  drop(is_json ? skip_between_values(buffer_, 0) : 0);
  InputFault fault;
  fault.line = lines_before_ + 1;
  fault.column = 1;
  // A manifest names its apiVersion near its beginning.
  constexpr std::size_t kLooked = std::size_t{64} << 10U;
  is_long_document_manifest_ = names_an_api_version(std::string_view(buffer_).substr(0, kLooked));
  fault.reason =
      "the document is longer than " + std::to_string(kLongestDocument) + " bytes; split it";
  const std::string_view next = is_json ? "\n{" : "\n---";
  for (;;) {
    const std::size_t found = buffer_.find(next);
    if (found != std::string::npos) {
      drop(found + 1);
      return fault;
    }
    // The last bytes may be the beginning of the search text.
    if (buffer_.size() >= next.size()) drop(buffer_.size() - (next.size() - 1));
    if (at_end_ || fault_) {
      buffer_.clear();
      return fault;
    }
    fill(kSliceSize);
  }
}

Slice ManifestCutter::take(std::size_t length) {
  Slice slice{syntax_, {}, lines_before_};
  if (length == buffer_.size()) {
    slice.text = std::move(buffer_);
    buffer_.clear();
  } else {
    slice.text.assign(buffer_, 0, length);
    buffer_.erase(0, length);
  }
  if (slice.syntax == Syntax::kYaml) json::normalise_yaml(slice.text);
  lines_before_ += static_cast<std::uint32_t>(std::ranges::count(slice.text, '\n'));
  return slice;
}

void ManifestCutter::drop(std::size_t length) {
  lines_before_ += static_cast<std::uint32_t>(
      std::count(buffer_.begin(), buffer_.begin() + static_cast<std::ptrdiff_t>(length), '\n'));
  buffer_.erase(0, length);
}

}  // namespace dynamo::cli
