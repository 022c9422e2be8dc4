#include "cli/editor/outline.hpp"

#include <algorithm>
#include <cstddef>
#include <utility>

namespace dynamo::cli {
namespace {

constexpr std::uint32_t kMaxLines = 20'000;

// The parts of a line: "    - - name: value".
struct LineParts {
  std::vector<std::size_t> dashes;  // columns
  std::size_t indent = 0;           // of the text after them
  std::string_view key;             // empty: none
  bool is_empty = true;             // only blanks and comments
};

std::string_view without_quotes(std::string_view key) {
  if (key.size() > 1 && (key.front() == '"' || key.front() == '\'') && key.back() == key.front()) {
    return key.substr(1, key.size() - 2);
  }
  return key;
}

LineParts parse(std::string_view line) {
  LineParts parts;
  std::size_t at = line.find_first_not_of(' ');
  while (at != std::string_view::npos && line[at] == '-' &&
         (at + 1 == line.size() || line[at + 1] == ' ')) {
    parts.is_empty = false;
    parts.dashes.push_back(at);
    const std::size_t next = line.find_first_not_of(' ', at + 1);
    parts.indent = at + 2;
    at = next;
  }
  if (at == std::string_view::npos || line[at] == '#') {
    if (parts.dashes.empty()) parts.indent = line.size();
    return parts;
  }
  parts.is_empty = false;
  parts.indent = at;
  const std::string_view rest = line.substr(at);
  for (std::size_t colon = rest.find(':'); colon != std::string_view::npos;
       colon = rest.find(':', colon + 1)) {
    if (colon + 1 < rest.size() && rest[colon + 1] != ' ') continue;
    parts.key = without_quotes(rest.substr(0, colon));
    break;
  }
  return parts;
}

bool parts_documents(std::string_view line) {
  return line.starts_with("---") || line == "...";
}

// The value of the document's line with this key ("kind:"), above or below.
std::string find_value(const Positions& positions, std::uint32_t from, bool upwards,
                       std::string_view key) {
  for (std::uint32_t number = from, seen = 0; seen < kMaxLines; ++seen) {
    const std::string_view line = positions.line(number);
    if (parts_documents(line)) return {};
    if (line.starts_with(key)) {
      const std::size_t first = line.find_first_not_of(' ', key.size());
      if (first == std::string_view::npos) return {};
      const std::size_t end = line.find_first_of(" #", first);
      return std::string(without_quotes(line.substr(first, end - first)));
    }
    if (upwards ? number == 0 : line.empty() && seen + 1 == kMaxLines) return {};
    number = upwards ? number - 1 : number + 1;
  }
  return {};
}

std::string find_value(const Positions& positions, std::uint32_t from, std::string_view key) {
  std::string above = find_value(positions, from, true, key);
  return above.empty() ? find_value(positions, from, false, key) : above;
}

// The path upwards: names with less indentation, and dashes.
class AncestorPath {
 public:
  explicit AncestorPath(std::size_t indent) : key_bound_(indent), dash_bound_(indent) {}

  void dashes(const LineParts& parts) {
    for (auto dash = parts.dashes.rbegin(); dash != parts.dashes.rend(); ++dash) {
      if (*dash >= dash_bound_) continue;
      path_.emplace_back("[]");
      // The name of a list may be in the same column as its dashes, not only to their left.
      key_bound_ = *dash + 1;
      dash_bound_ = *dash;
    }
  }
  void line(const LineParts& parts) {
    if (!parts.key.empty() && parts.indent < key_bound_) {
      path_.emplace_back(parts.key);
      key_bound_ = parts.indent;
      dash_bound_ = parts.indent;
    }
    dashes(parts);
  }
  bool is_at_top() const { return key_bound_ == 0; }

  std::vector<std::string> path() {
    std::ranges::reverse(path_);
    return std::move(path_);
  }

 private:
  std::vector<std::string> path_;  // the last step first
  std::size_t key_bound_;
  std::size_t dash_bound_;
};

}  // namespace

CursorContext context_at(const Positions& positions, Position cursor) {
  const std::string_view line = positions.line(cursor.line);
  const std::size_t start = positions.offset_of({cursor.line, 0});
  const std::string_view before = line.substr(0, positions.offset_of(cursor) - start);
  LineParts parts = parse(before);
  // An empty line is as deep as the cursor.
  if (parts.is_empty && parts.dashes.empty()) parts.indent = before.size();
  CursorContext context;
  context.key = parts.key;
  context.api_version = find_value(positions, cursor.line, "apiVersion:");
  context.kind = find_value(positions, cursor.line, "kind:");
  AncestorPath ancestors(parts.indent);
  ancestors.dashes(parts);
  const std::uint32_t last = cursor.line > kMaxLines ? cursor.line - kMaxLines : 0;
  for (std::uint32_t number = cursor.line; number > last && !ancestors.is_at_top();) {
    const std::string_view above = positions.line(--number);
    if (parts_documents(above)) break;
    const LineParts each = parse(above);
    if (!each.is_empty) ancestors.line(each);
  }
  context.path = ancestors.path();
  return context;
}

}  // namespace dynamo::cli
