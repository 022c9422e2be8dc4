// Objects that occur more than once in the inputs: the one applied last would win.
#pragma once

#include <cstddef>
#include <iosfwd>
#include <map>
#include <string>
#include <vector>

#include "cli/report/report.hpp"

namespace dynamo::cli {

// Stores one line per object. Not thread-safe.
class RepeatedObjects {
 public:
  // Ignores objects without a name. `default_namespace` is for objects that name none.
  void note(const ObjectReport& report, const std::string& default_namespace);

  // The number of objects that occur more than once.
  std::size_t count() const { return repeated_.size(); }

  // Prints the first few with their places, as lines for users; nothing if there are none.
  void print(std::ostream& out) const;

 private:
  struct Occurrences {
    std::string first;
    std::vector<std::string> others;
    std::size_t more = 0;
  };
  std::map<std::string, Occurrences, std::less<>> objects_;  // by identity
  std::vector<const std::pair<const std::string, Occurrences>*> repeated_;
};

}  // namespace dynamo::cli
