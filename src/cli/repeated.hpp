// Objects that stand more than once among the inputs: whichever is applied last would win.
#pragma once

#include <cstddef>
#include <iosfwd>
#include <map>
#include <string>
#include <vector>

#include "cli/formats/report.hpp"

namespace dynamo::cli {

// Keeps a line for each object. Not thread-safe.
class RepeatedObjects {
 public:
  // What has no name yet repeats nothing. `default_namespace`: of objects that name none.
  void note(const ObjectReport& report, const std::string& default_namespace);

  // How many objects stand more than once.
  std::size_t count() const { return repeated_.size(); }

  // The first few with their places, as lines for people; nothing when there is none.
  void print(std::ostream& out) const;

 private:
  struct Places {
    std::string first;
    std::vector<std::string> others;
    std::size_t more = 0;
  };
  std::map<std::string, Places, std::less<>> objects_;  // by what they are
  std::vector<const std::pair<const std::string, Places>*> repeated_;
};

}  // namespace dynamo::cli
