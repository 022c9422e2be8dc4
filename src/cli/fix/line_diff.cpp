#include "cli/fix/line_diff.hpp"

#include <algorithm>
#include <cstddef>
#include <filesystem>
#include <string>
#include <system_error>
#include <utility>
#include <vector>

#include "cli/report/wording.hpp"

namespace dynamo::cli {
namespace {

using LineList = std::vector<std::string_view>;

constexpr std::size_t kContext = 3;
constexpr std::ptrdiff_t kMaxEdits = 1000;

// Including line breaks.
LineList split_lines(std::string_view text) {
  LineList lines;
  while (!text.empty()) {
    const std::size_t end = std::min(text.find('\n'), text.size() - 1) + 1;
    lines.push_back(text.substr(0, end));
    text.remove_prefix(end);
  }
  return lines;
}

// One line of the diff: ' ' in both, '-' in the first, '+' in the second.
struct Step {
  char mark;
  std::string_view line;
};

// Myers' shortest edit script: searches forwards, returns the steps backwards.
class Script {
 public:
  Script(const LineList& before, const LineList& after)
      : before_(before),
        after_(after),
        n_(static_cast<std::ptrdiff_t>(before.size())),
        m_(static_cast<std::ptrdiff_t>(after.size())) {}

  std::vector<Step> steps() {
    if (!search()) return everything();
    std::vector<Step> steps;
    std::ptrdiff_t x = n_;
    std::ptrdiff_t y = m_;
    for (std::size_t d = reached_.size(); d-- > 0;) {
      const auto depth = static_cast<std::ptrdiff_t>(d);
      const std::ptrdiff_t k = x - y;
      const bool down = d > 0 && goes_down(reached_[d - 1], k, depth);
      const std::ptrdiff_t from = d == 0 ? 0 : at(reached_[d - 1], down ? k + 1 : k - 1);
      const std::ptrdiff_t start = d == 0 ? 0 : from + (down ? 0 : 1);
      while (x > start) {
        steps.push_back({' ', line(before_, --x)});
        --y;
      }
      if (d == 0) break;
      if (down) {
        steps.push_back({'+', line(after_, --y)});
      } else {
        steps.push_back({'-', line(before_, --x)});
      }
    }
    std::ranges::reverse(steps);
    return steps;
  }

 private:
  using Row = std::vector<std::ptrdiff_t>;  // furthest x by diagonal, from -kMax on

  static std::string_view line(const LineList& lines, std::ptrdiff_t at) {
    return lines[static_cast<std::size_t>(at)];
  }
  // The row for depth d has the diagonals -d-1 ... d+1.
  static std::ptrdiff_t at(const Row& row, std::ptrdiff_t k) {
    const auto middle = static_cast<std::ptrdiff_t>(row.size() / 2);
    return row[static_cast<std::size_t>(middle + k)];
  }
  static bool goes_down(const Row& row, std::ptrdiff_t k, std::ptrdiff_t depth) {
    return k == -depth || (k != depth && at(row, k - 1) < at(row, k + 1));
  }

  // Fills reached_, a row per number of edits; false if there are too many.
  bool search() {
    for (std::ptrdiff_t depth = 0; depth <= kMaxEdits; ++depth) {
      const auto width = static_cast<std::size_t>(2 * depth + 3);
      Row row(width, 0);
      for (std::ptrdiff_t k = -depth; k <= depth; k += 2) {
        std::ptrdiff_t x = 0;
        if (depth > 0) {
          const Row& last = reached_.back();
          const bool down = goes_down(last, k, depth);
          x = down ? at(last, k + 1) : at(last, k - 1) + 1;
        }
        while (x < n_ && x - k < m_ && x - k >= 0 && line(before_, x) == line(after_, x - k)) ++x;
        row[static_cast<std::size_t>(depth + 1 + k)] = x;
        if (x >= n_ && x - k >= m_) {
          reached_.push_back(std::move(row));
          return true;
        }
      }
      reached_.push_back(std::move(row));
    }
    return false;
  }

  std::vector<Step> everything() const {
    std::size_t front = 0;
    const std::size_t shorter = std::min(before_.size(), after_.size());
    while (front < shorter && before_[front] == after_[front]) ++front;
    std::size_t back = 0;
    while (back < shorter - front &&
           before_[before_.size() - 1 - back] == after_[after_.size() - 1 - back]) {
      ++back;
    }
    std::vector<Step> steps;
    steps.reserve(before_.size() + after_.size());
    for (std::size_t i = 0; i < front; ++i) steps.push_back({' ', before_[i]});
    for (std::size_t i = front; i < before_.size() - back; ++i) steps.push_back({'-', before_[i]});
    for (std::size_t i = front; i < after_.size() - back; ++i) steps.push_back({'+', after_[i]});
    for (std::size_t i = before_.size() - back; i < before_.size(); ++i) {
      steps.push_back({' ', before_[i]});
    }
    return steps;
  }

  const LineList& before_;
  const LineList& after_;
  std::ptrdiff_t n_;
  std::ptrdiff_t m_;
  std::vector<Row> reached_;
};

// "3,7", or "3" for one line; an empty range has the number of the line before it.
std::string range_text(std::size_t lines_before, std::size_t count) {
  std::string text = std::to_string(lines_before + (count == 0 ? 0 : 1));
  if (count != 1) text += "," + std::to_string(count);
  return text;
}

class Hunks {
 public:
  explicit Hunks(const std::vector<Step>& steps) : steps_(steps) {}

  void append(std::string& out) {
    for (std::size_t at = 0; at < steps_.size();) {
      if (steps_[at].mark == ' ') {
        pass(at++);
        continue;
      }
      const std::size_t context = std::min(kContext, at);
      hunk(out, at - context, end_of_hunk(at));
      while (at < last_end_) pass(at++);
    }
  }

 private:
  void pass(std::size_t at) {
    if (steps_[at].mark != '+') ++before_;
    if (steps_[at].mark != '-') ++after_;
  }

  // Changes with at most twice the context between them share one hunk.
  std::size_t end_of_hunk(std::size_t at) const {
    std::size_t end = at;  // after the last change
    for (std::size_t i = at; i < steps_.size() && i <= end + 2 * kContext; ++i) {
      if (steps_[i].mark != ' ') end = i + 1;
    }
    return std::min(end + kContext, steps_.size());
  }

  void hunk(std::string& out, std::size_t start, std::size_t end) {
    std::size_t context = 0;
    while (start + context < end && steps_[start + context].mark == ' ') ++context;
    const auto count_without = [&](char mark) {
      return static_cast<std::size_t>(
          std::count_if(steps_.begin() + static_cast<std::ptrdiff_t>(start),
                        steps_.begin() + static_cast<std::ptrdiff_t>(end),
                        [mark](const Step& step) { return step.mark != mark; }));
    };
    out += "@@ -" + range_text(before_ - context, count_without('+')) + " +" +
           range_text(after_ - context, count_without('-')) + " @@\n";
    for (std::size_t i = start; i < end; ++i) {
      out += steps_[i].mark;
      out += steps_[i].line;
      if (!steps_[i].line.ends_with('\n')) out += "\n\\ No newline at end of file\n";
    }
    last_end_ = end;
  }

  const std::vector<Step>& steps_;
  std::size_t before_ = 0;  // lines so far
  std::size_t after_ = 0;
  std::size_t last_end_ = 0;
};

// The form that `git apply` and `patch` accept: without dots, and relative if it is in the working
// directory.
std::string name_in_diff(std::string_view name) {
  namespace fs = std::filesystem;
  const fs::path path = fs::path(name).lexically_normal();
  if (!path.is_absolute()) return path.string();
  std::error_code error;
  const fs::path here = fs::current_path(error);
  const fs::path below = error ? fs::path() : path.lexically_relative(here);
  const bool lies_there = !below.empty() && *below.begin() != "..";
  return (lies_there ? below : path).string();
}

}  // namespace

std::string unified_diff(std::string_view before, std::string_view after, std::string_view name) {
  if (before == after) return {};
  const LineList old_lines = split_lines(before);
  const LineList new_lines = split_lines(after);
  const std::string shown = name_in_diff(name);
  const bool is_absolute = shown.starts_with('/');
  std::string out;
  for (const auto& [mark, side] : {std::pair{"--- ", "a/"}, std::pair{"+++ ", "b/"}}) {
    out += mark;
    if (!is_absolute) out += side;
    append_printable(out, shown);
    // Without a tab, a name would end at its first blank.
    if (shown.find(' ') != std::string::npos) out += '\t';
    out += '\n';
  }
  const std::vector<Step> steps = Script(old_lines, new_lines).steps();
  Hunks(steps).append(out);
  return out;
}

}  // namespace dynamo::cli
