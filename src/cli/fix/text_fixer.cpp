#include "cli/fix/text_fixer.hpp"

#include <algorithm>
#include <compare>
#include <optional>
#include <set>
#include <utility>

#include "cli/input/templates.hpp"
#include "cli/input/whole_text.hpp"
#include "schema/catalog.hpp"
#include "schema/check_ids.hpp"

namespace dynamo::cli {
namespace {

constexpr std::size_t kMaxRounds = 8;
constexpr std::size_t kMaxAttempts = 64;  // of a single fix

// Identifies a fix by the finding it is for.
struct FixKey {
  std::size_t object = 0;  // index among the objects of the text
  std::string_view rule;
  std::string field;
  auto operator<=>(const FixKey&) const = default;
};

// Counts of problems in a text.
struct ProblemCounts {
  std::size_t unreadable = 0;
  std::size_t errors = 0;
  std::size_t warnings = 0;
  auto operator<=>(const ProblemCounts&) const = default;
};

// True when both touch the same bytes, or insert at the same place.
bool are_overlapping(const Edit& left, const Edit& right) {
  if (left.offset == right.offset) return true;
  const Edit& first = left.offset < right.offset ? left : right;
  const Edit& second = left.offset < right.offset ? right : left;
  return first.offset + first.length > second.offset;
}

// The text after all edits, given in any order. Precondition: no two overlap, none ends past the
// end of the text.
std::string apply_edits(std::string_view text, std::vector<Edit> edits) {
  std::ranges::sort(edits, {}, &Edit::offset);
  std::string out;
  std::size_t at = 0;
  for (const Edit& edit : edits) {
    out += text.substr(at, edit.offset - at);
    out += edit.text;
    at = edit.offset + edit.length;
  }
  out += text.substr(at);
  return out;
}

// Whether a finding is about text that must be rendered first.
bool is_about_a_template(const Finding& finding) {
  const Place& place = finding.place;
  if (place.column == 0 || place.column > place.text.size()) return false;
  const std::string_view rest = std::string_view(place.text).substr(place.column - 1);
  return rest.starts_with("{{") || rest.starts_with("{%") || !expression_advice(place).empty();
}

bool is_of_the_schema(const Finding& finding) {
  return schema::find_check(finding.rule) != nullptr;
}

// Drops fixes of a text that several values share through aliases. Of other overlapping fixes, such
// as the removal of a member and an insertion before it, keeps the first: the next round applies
// the rest.
void drop_overlapping(std::vector<Fix>& fixes) {
  std::vector<Fix> kept;
  for (const Fix& fix : fixes) {
    const auto is_same_text = [&fix](const Fix& other) {
      return &other != &fix && other.edit.offset == fix.edit.offset &&
             other.edit.length == fix.edit.length;
    };
    const auto overlaps = [&fix](const Fix& other) {
      return are_overlapping(other.edit, fix.edit);
    };
    if (std::ranges::none_of(fixes, is_same_text) && std::ranges::none_of(kept, overlaps)) {
      kept.push_back(fix);
    }
  }
  fixes = std::move(kept);
}

}  // namespace

// Selects the fixes of a text to apply.
struct TextFixer::FixSelection {
  std::set<FixKey> refused;
  std::optional<FixKey> only;

  bool has(const FixKey& key) const { return only ? key == *only : !refused.contains(key); }
};

// The content of a text.
struct TextFixer::TextContent {
  std::vector<std::string> objects;   // as JSON, as written
  std::vector<std::string> intended;  // the same after the fixes
  std::size_t others = 0;             // documents without objects of ours
  ProblemCounts problems;
  std::size_t duplicates = 0;  // duplicate fields
  std::set<FixKey> findings;
  std::vector<Fix> fixes;  // the selected ones
  std::vector<FixKey> keys;
};

class TextFixer::Reader final : public ManifestVisitor {
 public:
  Reader(std::string_view text, std::string_view name, ManifestValidator& validator,
         const FindingFilter& filter, const FixSelection& selection)
      : lines_(text, 0),
        name_(name),
        validator_(validator),
        filter_(filter),
        selection_(selection) {}

  void object(const Manifest& manifest) override {
    ObjectReport report = validator_.validate(manifest, name_);
    const std::size_t index = content_.objects.size();
    content_.objects.push_back(apply_effects(manifest.written, {}));
    for (const Finding& finding : report.findings) {
      ++(finding.level == Level::kError ? content_.problems.errors : content_.problems.warnings);
      content_.findings.insert({index, finding.rule, finding.field});
      if (finding.rule == schema::ids::kDuplicateField) ++content_.duplicates;
    }
    content_.problems.errors += report.omitted_findings;
    std::vector<FixEffect> effects;
    for (Fix& fix : fixes_of(manifest, std::move(report))) {
      FixKey key{index, fix.rule, fix.field};
      if (!selection_.has(key)) continue;
      effects.push_back(fix.effect);
      content_.keys.push_back(std::move(key));
      content_.fixes.push_back(std::move(fix));
    }
    content_.intended.push_back(apply_effects(manifest.written, effects));
  }
  void other(OtherDocument) override { ++content_.others; }
  void fault(InputFault) override { ++content_.problems.unreadable; }

  TextContent& content() { return content_; }

 private:
  std::vector<Fix> fixes_of(const Manifest& manifest, ObjectReport report) {
    std::vector<Fix> fixes;
    if (std::ranges::any_of(report.findings, is_about_a_template)) return fixes;
    // With schema errors, a field that a default would set may be present under a wrong name.
    if (std::ranges::none_of(report.findings, is_of_the_schema)) {
      for (Finding& missing : missing_defaults(manifest.written, validator_.stored())) {
        report.findings.push_back(std::move(missing));
      }
    }
    FindingFilter filter = filter_;  // a copy, because it counts what it removes
    Summary ignored;
    filter.apply(report, ignored);
    for (const Finding& finding : report.findings) {
      if (auto fix = offer_fix(manifest, finding, lines_)) fixes.push_back(*std::move(fix));
    }
    drop_overlapping(fixes);
    return fixes;
  }

  Lines lines_;
  std::string_view name_;
  ManifestValidator& validator_;
  const FindingFilter& filter_;
  const FixSelection& selection_;
  TextContent content_;
};

TextFixer::TextFixer(const EvaluationOptions& evaluation_options, FindingFilter filter)
    : validator_(evaluation_options, nullptr), filter_(std::move(filter)) {}

TextFixer::TextContent TextFixer::read(std::string_view text, std::string_view name,
                                       const FixSelection& selection) {
  Reader reader(text, name, validator_, filter_, selection);
  read_whole_text(text, name, reader);
  return std::move(reader.content());
}

// Returns whether the result was kept, or nothing had to be done.
bool TextFixer::attempt(FixedText& fixed, std::string_view name, const FixSelection& selection,
                        bool strict) {
  const TextContent before = read(fixed.text, name, selection);
  if (before.fixes.empty()) return true;
  std::vector<Edit> edits;
  edits.reserve(before.fixes.size());
  for (const Fix& fix : before.fixes) edits.push_back(fix.edit);
  std::string text = apply_edits(fixed.text, std::move(edits));
  const TextContent after = read(text, name, FixSelection{});
  const bool as_intended = after.objects == before.intended && after.others == before.others &&
                           after.problems.unreadable == before.problems.unreadable &&
                           after.duplicates <= before.duplicates;
  const bool found_again = std::ranges::any_of(
      before.keys, [&after](const FixKey& key) { return after.findings.contains(key); });
  if (!as_intended || found_again || (strict && after.problems > before.problems)) return false;
  for (const Fix& fix : before.fixes) {
    fixed.done.push_back({fix.rule, fix.field, fix.title, fix.line});
  }
  fixed.text = std::move(text);
  return true;
}

// If strict, no step may make the verdict worse; otherwise a corrected name may first reveal
// mistakes below it.
FixedText TextFixer::run(std::string_view text, std::string_view name, bool strict) {
  FixedText fixed{std::string(text), {}, 0};
  FixSelection selection;
  std::size_t attempts = 0;
  for (std::size_t round = 0; round < kMaxRounds; ++round) {
    const std::size_t done = fixed.done.size();
    if (!attempt(fixed, name, selection, strict)) {
      const TextContent content = read(fixed.text, name, selection);
      for (const FixKey& key : content.keys) {
        if (++attempts > kMaxAttempts) return fixed;
        if (!attempt(fixed, name, {{}, key}, strict)) selection.refused.insert(key);
      }
    }
    if (fixed.done.size() == done) break;
  }
  return fixed;
}

FixedText TextFixer::fix(std::string_view text, std::string_view name) {
  const std::size_t mark = length_of_mark(text);
  FixedText fixed = fix_without_mark(text.substr(mark), name);
  fixed.text.insert(0, text.substr(0, mark));
  return fixed;
}

FixedText TextFixer::fix_without_mark(std::string_view text, std::string_view name) {
  if (text.size() > kLongestFixedText || has_template_statement(text)) {
    return {std::string(text), {}, 0};
  }
  const ProblemCounts before = read(text, name, {}).problems;
  FixedText fixed = run(text, name, false);
  if (!fixed.done.empty() && read(fixed.text, name, {}).problems > before) {
    fixed = run(text, name, true);
  }
  fixed.unreadable = before.unreadable;
  return fixed;
}

std::vector<Fix> TextFixer::fixes_of(std::string_view text, std::string_view name) {
  const std::size_t mark = length_of_mark(text);
  text.remove_prefix(mark);
  if (text.size() > kLongestFixedText || has_template_statement(text)) return {};
  std::vector<Fix> fixes = read(text, name, {}).fixes;
  for (Fix& fix : fixes) fix.edit.offset += mark;
  return fixes;
}

}  // namespace dynamo::cli
