#include "cli/fix/kept_comments.hpp"

#include <algorithm>
#include <map>
#include <optional>

#include "json/yaml.hpp"

namespace dynamo::cli {
namespace {

// The fields of one document, and the lines that they begin on.
class FieldLines {
 public:
  explicit FieldLines(std::string_view text) {
    json::YamlReader reader(text);
    json::Document document;
    if (reader.next(document) != json::YamlReader::ReadResult::kDocument) return;
    read(document, document.root(), "");
  }

  // The first field on a line, or null.
  const std::string* path_on(std::uint32_t line) const {
    const auto found = paths_.find(line);
    return found == paths_.end() ? nullptr : &found->second;
  }
  std::optional<std::uint32_t> line_of(const std::string& path) const {
    const auto found = lines_.find(path);
    if (found == lines_.end()) return std::nullopt;
    return found->second;
  }

 private:
  void add(const json::Document& document, json::Value value, const std::string& path) {
    const auto location = document.location(value);
    if (!location) return;
    lines_.emplace(path, location->line);
    paths_.emplace(location->line, path);
  }

  void read(const json::Document& document, json::Value value, const std::string& path) {
    for (const json::Member member : value.members()) {
      const bool is_service = path == "/spec" && member.name == "services";
      const std::string below = path + "/" + (is_service ? "components" : std::string(member.name));
      // The name's own node is before the value's.
      add(document, json::Value{member.value.node() - 1}, below);
      read(document, member.value, below);
    }
    std::size_t index = 0;
    for (const json::Value element : value.elements()) {
      const auto name = element["name"].string();
      const std::string below =
          path + "/" + (name ? std::string(*name) : "#" + std::to_string(index));
      add(document, element, below);
      read(document, element, below);
      ++index;
    }
  }

  std::map<std::string, std::uint32_t> lines_;
  std::map<std::uint32_t, std::string> paths_;
};

std::vector<std::string_view> cut_lines(std::string_view text) {
  std::vector<std::string_view> lines;
  while (!text.empty()) {
    const std::size_t end = text.find('\n');
    std::string_view line = text.substr(0, end);
    if (line.ends_with('\r')) line.remove_suffix(1);
    lines.push_back(line);
    if (end == std::string_view::npos) break;
    text.remove_prefix(end + 1);
  }
  return lines;
}

std::size_t indent_of(std::string_view line) {
  const std::size_t indent = line.find_first_not_of(' ');
  return indent == std::string_view::npos ? line.size() : indent;
}

bool is_comment(std::string_view line) {
  return line.substr(indent_of(line)).starts_with('#');
}

// The comment behind the value of a line, with its #, or "".
std::string_view comment_behind(std::string_view line) {
  char quote = '\0';
  for (std::size_t at = 0; at < line.size(); ++at) {
    const char c = line[at];
    if (quote != '\0') {
      if (c == '\\' && quote == '"') {
        ++at;
      } else if (c == quote) {
        quote = '\0';
      }
    } else if ((c == '"' || c == '\'') && (at == 0 || line[at - 1] == ' ' || line[at - 1] == '[' ||
                                           line[at - 1] == '{' || line[at - 1] == ',')) {
      quote = c;
    } else if (c == '#' && at > 0 && line[at - 1] == ' ') {
      return line.substr(at);
    }
  }
  return {};
}

// Comments by the line of the new text that they belong to.
struct PlacedComments {
  std::vector<std::string_view> above;
  std::string_view behind;
};

class CommentMover {
 public:
  CommentMover(std::string_view before, std::string_view after)
      : before_(before), after_(after), lines_(cut_lines(before)), new_lines_(cut_lines(after)) {}

  CommentedText run() {
    std::vector<std::uint32_t> pending;  // lines of comments, from 1
    for (std::uint32_t number = 1; number <= lines_.size(); ++number) {
      const std::string_view line = lines_[number - 1];
      if (indent_of(line) == line.size()) continue;
      if (is_comment(line)) {
        pending.push_back(number);
        continue;
      }
      place(number, line, pending);
      pending.clear();
    }
    lost_.insert(lost_.end(), pending.begin(), pending.end());
    std::ranges::sort(lost_);
    return {write(), lost_};
  }

 private:
  void place(std::uint32_t number, std::string_view line,
             const std::vector<std::uint32_t>& pending) {
    const std::string* const path = before_.path_on(number);
    const auto target = path == nullptr ? std::nullopt : after_.line_of(*path);
    for (const std::uint32_t comment : pending) {
      // A deeper "#" is text of a block scalar.
      if (indent_of(lines_[comment - 1]) > indent_of(line)) continue;
      if (target) {
        placed_[*target].above.push_back(lines_[comment - 1]);
      } else {
        lost_.push_back(comment);
      }
    }
    if (path == nullptr) return;
    const std::string_view behind = comment_behind(line);
    if (behind.empty()) return;
    if (target) {
      placed_[*target].behind = behind;
    } else {
      lost_.push_back(number);
    }
  }

  std::string write() const {
    std::string text;
    for (std::uint32_t number = 1; number <= new_lines_.size(); ++number) {
      const std::string_view line = new_lines_[number - 1];
      const auto found = placed_.find(number);
      if (found != placed_.end()) {
        for (const std::string_view comment : found->second.above) {
          text.append(indent_of(line), ' ');
          text += comment.substr(indent_of(comment));
          text += '\n';
        }
      }
      text += line;
      if (found != placed_.end() && !found->second.behind.empty()) {
        text.append("  ").append(found->second.behind);
      }
      text += '\n';
    }
    return text;
  }

  FieldLines before_;
  FieldLines after_;
  std::vector<std::string_view> lines_;
  std::vector<std::string_view> new_lines_;
  std::map<std::uint32_t, PlacedComments> placed_;
  std::vector<std::uint32_t> lost_;
};

}  // namespace

CommentedText keep_comments(std::string_view before, std::string_view after) {
  return CommentMover(before, after).run();
}

}  // namespace dynamo::cli
