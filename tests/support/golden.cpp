#include "tests/support/golden.hpp"

#include <algorithm>
#include <cstdlib>
#include <fstream>
#include <sstream>
#include <stdexcept>

#include "json/writer.hpp"

namespace dynamo::test {
namespace {

bool is_updating() {
  const char* const wanted = std::getenv("DYNAMO_UPDATE_GOLDEN");
  return wanted != nullptr && std::string_view(wanted) == "1";
}

bool has_only_scalars(json::Value value) {
  for (const json::Member member : value.members()) {
    if (member.value.size() != 0) return false;
  }
  for (const json::Value element : value.elements()) {
    if (element.size() != 0) return false;
  }
  return true;
}

void append_pretty(json::Value value, std::size_t depth, std::string& out) {
  const std::string indent(2 * depth + 2, ' ');
  const std::string outdent(2 * depth, ' ');
  const bool object = value.is_object();
  if (has_only_scalars(value)) {
    out += json::to_text(value);
    return;
  }
  out += object ? "{" : "[";
  bool first = true;
  const auto next_line = [&] {
    out += first ? "\n" : ",\n";
    out += indent;
    first = false;
  };
  for (const json::Member member : value.members()) {
    next_line();
    json::append_quoted(out, member.name);
    out += ": ";
    append_pretty(member.value, depth + 1, out);
  }
  for (const json::Value element : value.elements()) {
    next_line();
    append_pretty(element, depth + 1, out);
  }
  out += "\n" + outdent + (object ? "}" : "]");
}

std::vector<std::string> lines_of(std::string_view text) {
  std::vector<std::string> lines;
  std::istringstream stream{std::string(text)};
  for (std::string line; std::getline(stream, line);) lines.push_back(line);
  return lines;
}

// The lines that remain without the common prefix and suffix.
std::string difference(std::string_view wanted, std::string_view found) {
  const std::vector<std::string> left = lines_of(wanted);
  const std::vector<std::string> right = lines_of(found);
  const std::size_t shorter = std::min(left.size(), right.size());
  std::size_t head = 0;
  while (head < shorter && left[head] == right[head]) ++head;
  std::size_t tail = 0;
  while (tail < shorter - head && left[left.size() - 1 - tail] == right[right.size() - 1 - tail]) {
    ++tail;
  }
  std::string text = "line " + std::to_string(head + 1) + ":\n";
  for (std::size_t i = head; i < left.size() - tail; ++i) text += "- " + left[i] + "\n";
  for (std::size_t i = head; i < right.size() - tail; ++i) text += "+ " + right[i] + "\n";
  return text;
}

}  // namespace

std::filesystem::path testdata(std::string_view below) {
  return std::filesystem::path(DYNAMO_SOURCE_DIR) / "tests" / "testdata" / below;
}

std::string read_file(const std::filesystem::path& path) {
  std::ifstream stream(path, std::ios::binary);
  if (!stream) throw std::runtime_error("cannot read " + path.string());
  return {std::istreambuf_iterator<char>(stream), std::istreambuf_iterator<char>()};
}

std::vector<std::filesystem::path> files_below(const std::filesystem::path& folder,
                                               std::string_view ending) {
  std::vector<std::filesystem::path> files;
  for (const auto& entry : std::filesystem::recursive_directory_iterator(folder)) {
    if (entry.is_regular_file() && entry.path().filename().string().ends_with(ending)) {
      files.push_back(entry.path());
    }
  }
  std::ranges::sort(files);
  return files;
}

std::string pretty(json::Value value) {
  std::string text;
  if (value.exists()) append_pretty(value, 0, text);
  return text;
}

std::string differs_from_golden(std::string_view name, std::string_view found) {
  const std::filesystem::path path = testdata("golden") / name;
  if (is_updating()) {
    std::filesystem::create_directories(path.parent_path());
    std::ofstream(path, std::ios::binary) << found;
    return "";
  }
  const std::string again =
      "; if that is right, run with DYNAMO_UPDATE_GOLDEN=1 and review the diff";
  if (!std::filesystem::exists(path)) return "there is no golden file " + path.string() + again;
  const std::string wanted = read_file(path);
  if (wanted == found) return "";
  return "differs from " + path.string() + again + "\n" + difference(wanted, found);
}

}  // namespace dynamo::test
