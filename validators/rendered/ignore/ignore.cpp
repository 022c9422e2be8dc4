#include <algorithm>
#include <string>
#include <string_view>
#include <vector>

#include "schema/catalog.hpp"
#include "schema/suggest.hpp"
#include "schema/wording.hpp"
#include "validators/catalog.hpp"
#include "validators/ignore_list.hpp"
#include "validators/rule.hpp"

namespace dynamo::validators::ignore {
namespace {

// The ids of all findings: those of the catalog and of the schema.
std::vector<std::string_view> ids_of_findings() {
  std::vector<std::string_view> ids;
  ids.reserve(catalog().size() + schema::catalog().size());
  for (const Rule& rule : catalog()) ids.push_back(rule.id);
  for (const schema::CheckText& check : schema::catalog()) ids.push_back(check.id);
  return ids;
}

std::string detail_of(std::string_view entry, std::span<const std::string_view> ids) {
  const std::string_view near = schema::nearest_word(ids, entry);
  return "must name rules, by id or glob; found " + quoted(entry) + ", which matches none" +
         (near.empty() ? "; `kubectl dynamo rules` lists all" : schema::did_you_mean(near));
}

[[gnu::cold]] void check(std::string_view annotation, Report& report) {
  static const std::vector<std::string_view> ids = ids_of_findings();
  const IgnoreList list(annotation);
  constexpr api::FieldPath kMetadata{"metadata"};
  const api::FieldPath annotations = kMetadata.child("annotations");
  const api::FieldPath path = annotations.key(kIgnoreAnnotation);
  for (const std::string_view entry : list.entries()) {
    const bool is_known =
        std::ranges::any_of(ids, [entry](std::string_view id) { return matches_entry(entry, id); });
    if (is_known) continue;
    report.add(
        api::ErrorType::kNotFound, path, [&] { return detail_of(entry, ids); },
        [&] { return about({entry}); });
  }
  if (!list.is_cut()) return;
  report.add(api::ErrorType::kTooMany, path,
             "must name at most " + std::to_string(IgnoreList::kMaxEntries) +
                 " rules; the others are not read; write globs for several of one group",
             about({"cut"}));
}

void unknown_rule(const api::Context&, const api::Object& now, const api::Object*, Report& report) {
  const std::string_view annotation =
      now.metadata().annotation(kIgnoreAnnotation).string_or_empty();
  if (!annotation.empty()) check(annotation, report);
}

}  // namespace

extern constexpr Rule kUnknownRuleRule{
    .id = "ignore.unknown-rule",
    .kinds = kinds::kAll,
    .severity = Severity::kWarn,
    .function = &unknown_rule,
    .field = "metadata.annotations[dynamo-admission.nvidia.com/ignore]",
};

}  // namespace dynamo::validators::ignore
