#include "cli/check/repeated.hpp"

#include <algorithm>
#include <ostream>

#include "cli/options/options.hpp"
#include "cli/report/wording.hpp"

namespace dynamo::cli {

void RepeatedObjects::note(const ObjectReport& report, const std::string& default_namespace) {
  constexpr std::size_t kMaxOthers = 3;
  if (report.name.empty() || report.name.ends_with('*')) return;  // generateName
  const std::string& given = report.namespace_name;
  std::string object =
      report.kind + ' ' + (given.empty() ? default_namespace : given) + '/' + report.name;
  std::string place = where(report.file, report.place);
  const auto [at, is_new] = objects_.try_emplace(std::move(object));
  Occurrences& occurrences = at->second;
  if (is_new) {
    occurrences.first = std::move(place);
    return;
  }
  if (occurrences.others.empty()) repeated_.push_back(&*at);
  if (occurrences.others.size() < kMaxOthers) {
    occurrences.others.push_back(std::move(place));
  } else {
    ++occurrences.more;
  }
}

void RepeatedObjects::print(std::ostream& out) const {
  constexpr std::size_t kMaxShown = 10;
  if (repeated_.empty()) return;
  out << kProgramName << ": " << count_of(repeated_.size(), "object")
      << (repeated_.size() == 1 ? " appears" : " appear")
      << " more than once among the inputs; the one applied last counts\n";
  for (std::size_t i = 0; i < std::min(repeated_.size(), kMaxShown); ++i) {
    const auto& [object, occurrences] = *repeated_[i];
    std::string line = object + ": " + occurrences.first;
    for (const std::string& other : occurrences.others) line += ", " + other;
    if (occurrences.more > 0) line += " and " + std::to_string(occurrences.more) + " more";
    std::string printable;
    append_printable(printable, line);
    out << "  " << printable << '\n';
  }
  if (repeated_.size() > kMaxShown) {
    out << "  and " << repeated_.size() - kMaxShown << " more\n";
  }
}

}  // namespace dynamo::cli
