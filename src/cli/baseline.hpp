// Findings that are known and to be mended another day: a file beside an old repository.
#pragma once

#include <cstddef>
#include <functional>
#include <map>
#include <set>
#include <string>
#include <variant>

#include "cli/formats/report.hpp"

namespace dynamo::cli {

// A finding is known by its object, its rule and its field; neither by its line nor by its words,
// so that it is known again after the file has changed elsewhere. Not thread-safe.
class Baseline {
 public:
  void add(const ObjectReport& report, const Finding& finding);

  // True when it is known.
  bool take(const ObjectReport& report, const Finding& finding);

  // How many entries were never taken.
  std::size_t unused() const;

  // JSON with a finding a line, in an order of its own, so that it can be compared and merged.
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

  std::map<Entry, bool> entries_;  // and whether it was taken
};

// Reads what text() has written. Answers why it cannot, in one line without the file's name.
std::variant<Baseline, std::string> read_baseline(const std::string& file);

}  // namespace dynamo::cli
