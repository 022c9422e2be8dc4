// Known findings, to be fixed later: a baseline file for an existing repository.
#pragma once

#include <cstddef>
#include <functional>
#include <map>
#include <set>
#include <string>
#include <variant>

#include "cli/report/report.hpp"

namespace dynamo::cli {

// A finding is identified by object, rule and field, not by line or message, so that it still
// matches after other changes to the file. Not thread-safe.
class Baseline {
 public:
  void add(const ObjectReport& report, const Finding& finding);

  // True if the finding is in the baseline; marks its entry as used.
  bool take(const ObjectReport& report, const Finding& finding);

  // The number of entries that were never used.
  std::size_t unused() const;

  // JSON with one finding per line, sorted, so that it can be compared and merged.
  std::string text() const;

 private:
  friend std::variant<Baseline, std::string> read_baseline(const std::string& file);

  struct Entry {
    std::string kind;
    std::string namespace_name;
    std::string name;
    std::string rule;
    std::string field;
    auto operator<=>(const Entry&) const = default;
  };
  static Entry entry_of(const ObjectReport& report, const Finding& finding);

  std::map<Entry, bool> entries_;  // whether the entry was used
};

// Reads the format of text(). On failure returns the reason, in one line without the file's name.
std::variant<Baseline, std::string> read_baseline(const std::string& file);

}  // namespace dynamo::cli
