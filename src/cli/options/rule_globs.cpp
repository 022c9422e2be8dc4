#include "cli/options/rule_globs.hpp"

#include <algorithm>
#include <vector>

#include "cli/options/options.hpp"
#include "cli/report/rule_book.hpp"
#include "cli/report/wording.hpp"
#include "schema/suggest.hpp"
#include "text/blanks.hpp"
#include "text/glob.hpp"

namespace dynamo::cli {
namespace {

std::vector<std::string> split_globs(std::string_view list) {
  std::vector<std::string> items;
  while (!list.empty()) {
    const std::size_t comma = std::min(list.find(','), list.size());
    std::string_view item = list.substr(0, comma);
    list.remove_prefix(std::min(comma + 1, list.size()));
    const std::size_t first = item.find_first_not_of(text::kBlanks);
    if (first == std::string_view::npos) continue;
    item = item.substr(first, item.find_last_not_of(text::kBlanks) - first + 1);
    items.emplace_back(item);
  }
  return items;
}

}  // namespace

std::optional<std::string> find_useless(std::span<const std::string> globs) {
  std::vector<std::string_view> ids;
  for (const RuleEntry& entry : rule_book()) ids.push_back(entry.id);
  for (const std::string& glob : globs) {
    if (std::ranges::any_of(
            ids, [&glob](std::string_view id) { return text::matches_glob(glob, id); })) {
      continue;
    }
    std::string reason = "must match the id of a rule; none matches \"";
    append_printable(reason, glob);
    reason += '"';
    if (const auto near = schema::nearest_word(ids, glob); !near.empty()) {
      reason += "; did you mean " + std::string(near) + "?";
    }
    return reason + "; `" + std::string(kInvocation) + " rules` lists all";
  }
  return std::nullopt;
}

std::optional<std::string> why_no_rule(std::string_view globs) {
  return find_useless(split_globs(globs));
}

}  // namespace dynamo::cli
