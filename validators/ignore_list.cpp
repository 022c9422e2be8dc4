#include "validators/ignore_list.hpp"

#include <algorithm>

#include "text/glob.hpp"

namespace dynamo::validators {
namespace {

std::string_view trimmed(std::string_view text) {
  constexpr std::string_view kBlanks = " \t\r\n";
  const std::size_t first = text.find_first_not_of(kBlanks);
  if (first == std::string_view::npos) return {};
  return text.substr(first, text.find_last_not_of(kBlanks) - first + 1);
}

}  // namespace

IgnoreList::IgnoreList(std::string_view annotation) {
  while (!annotation.empty()) {
    const std::size_t comma = std::min(annotation.find(','), annotation.size());
    const std::string_view entry = trimmed(annotation.substr(0, comma));
    annotation.remove_prefix(std::min(comma + 1, annotation.size()));
    if (entry.empty()) continue;
    if (count_ == kMaxEntries) {
      is_cut_ = true;
      return;
    }
    entries_[count_++] = entry;
  }
}

bool IgnoreList::matches(std::string_view rule) const {
  return std::ranges::any_of(entries(),
                             [rule](std::string_view entry) { return matches_entry(entry, rule); });
}

bool matches_entry(std::string_view entry, std::string_view rule) {
  return entry.size() <= IgnoreList::kMaxEntryBytes && text::matches_glob(entry, rule);
}

}  // namespace dynamo::validators
