#include "validators/validate.hpp"

#include <algorithm>
#include <array>
#include <cstddef>
#include <functional>
#include <span>
#include <string>
#include <string_view>
#include <type_traits>
#include <utility>
#include <variant>
#include <vector>

#include "validators/catalog.hpp"
#include "validators/list_places.hpp"
#include "validators/rendering.hpp"
#include "validators/sorted_members.hpp"

namespace dynamo::validators {
namespace {

// The only rule about a rendered object that is asked where there is too much to be rendered.
constexpr std::string_view kTooMuchRule = "pod.too-much";

bool same(const api::Error& one, const api::Error& other) {
  return one.type == other.type && one.detail == other.detail;
}

bool same(const api::Warning& one, const api::Warning& other) {
  return one.detail == other.detail;
}

// The object before and after an update.
struct Update {
  json::Value now;
  json::Value before;
};

// Which findings were true before the update too: the update did not change them. Each finding of
// before excuses one: of the same element at its own place first, then wherever the list has moved
// it, then of one that only got another name. Beyond the limit of a list findings are only counted,
// so that what was cut off decides by number there.
template <typename Finding>
class Excused {
 public:
  Excused(const Update& update, std::span<const Finding> found, std::size_t found_omitted,
          std::span<const Finding> known, std::size_t known_omitted)
      : more_(found.size() + found_omitted -
              std::min(found.size() + found_omitted, known.size() + known_omitted)),
        excused_(found.size()),
        used_(known.size()) {
    if (!found.empty() && !known.empty()) match(update, found, known);
    if (found_omitted + known_omitted > 0) settle_omitted(known_omitted);
  }

  // How many of those that were only counted are new.
  std::size_t new_omitted() const { return more_ - std::min(more_, new_ones()); }

  bool operator[](std::size_t index) const { return excused_[index]; }

 private:
  // Paths and the names of the elements that they lead through.
  using Names = std::vector<std::vector<std::string_view>>;

  // What tells findings apart, as a number; equal numbers are looked at again.
  using Keys = std::vector<std::size_t>;

  static std::size_t joined(std::size_t one, std::size_t other) {
    constexpr std::size_t kFactor = 0x9E3779B97F4A7C15U;
    return (one + 1) * kFactor ^ other;
  }

  static std::size_t hash(std::string_view text) { return std::hash<std::string_view>{}(text); }

  static Names names_of(std::span<const Finding> findings, PathWalk& walk) {
    Names names;
    names.reserve(findings.size());
    for (const Finding& finding : findings) {
      names.push_back(names_on_the_way(finding.field, walk));
    }
    return names;
  }

  // A key for each finding: of what is said, joined with what `key_of(index)` adds.
  template <typename KeyOf>
  static Keys keys(std::span<const Finding> findings, KeyOf key_of) {
    Keys made;
    made.reserve(findings.size());
    for (std::size_t i = 0; i < findings.size(); ++i) {
      made.push_back(joined(hash(findings[i].detail), key_of(i)));
    }
    return made;
  }

  static Keys place_keys(std::span<const Finding> findings) {
    return keys(findings, [&](std::size_t i) { return hash(findings[i].field); });
  }

  static Keys moved_keys(std::span<const Finding> findings, const Names& names) {
    return keys(findings, [&](std::size_t i) {
      std::size_t key = hash_but_for_places(findings[i].field);
      for (const std::string_view name : names[i]) key = joined(key, hash(name));
      return key;
    });
  }

  void match(const Update& update, std::span<const Finding> found, std::span<const Finding> known) {
    PathWalk walk_now(update.now);
    PathWalk walk_before(update.before);
    const Names now = names_of(found, walk_now);
    const Names before = names_of(known, walk_before);
    const auto same_field = [&](std::size_t i, std::size_t k) {
      return found[i].field == known[k].field;
    };
    const Keys places = place_keys(found);
    const Keys known_places = place_keys(known);
    pair(found, known, places, known_places,
         [&](std::size_t i, std::size_t k) { return same_field(i, k) && now[i] == before[k]; });
    if (all_excused()) return;
    pair(found, known, moved_keys(found, now), moved_keys(known, before),
         [&](std::size_t i, std::size_t k) {
           return same_but_for_places(found[i].field, known[k].field) && now[i] == before[k];
         });
    if (all_excused()) return;
    pair(found, known, places, known_places, [&](std::size_t i, std::size_t k) {
      return same_field(i, k) && only_renamed(found[i].field, walk_now, walk_before);
    });
  }

  bool all_excused() const { return new_ones() == 0; }

  template <typename SameElement>
  void pair(std::span<const Finding> found, std::span<const Finding> known, const Keys& keys,
            const Keys& known_keys, SameElement same_element) {
    // The known ones by their keys; of equal keys in their order.
    std::vector<std::pair<std::size_t, std::size_t>> by_key;
    by_key.reserve(known.size());
    for (std::size_t k = 0; k < known.size(); ++k) {
      if (!used_[k]) by_key.emplace_back(known_keys[k], k);
    }
    std::ranges::sort(by_key);
    for (std::size_t i = 0; i < found.size(); ++i) {
      if (excused_[i]) continue;
      auto at = std::ranges::lower_bound(by_key, std::pair{keys[i], std::size_t{0}});
      for (; at != by_key.end() && at->first == keys[i]; ++at) {
        const std::size_t k = at->second;
        if (used_[k] || !same(found[i], known[k]) || !same_element(i, k)) continue;
        excused_[i] = used_[k] = true;
        break;
      }
    }
  }

  void settle_omitted(std::size_t known_omitted) {
    const std::size_t unmatched = new_ones();
    // As many as there are more than before are new for sure.
    const std::size_t surely = std::min(more_, excused_.size());
    if (unmatched > surely) {
      flip_last(std::min(unmatched - surely, known_omitted), false);
    } else {
      flip_last(surely - unmatched, true);
    }
  }

  std::size_t new_ones() const {
    return static_cast<std::size_t>(std::ranges::count(excused_, false));
  }

  // The last `count` that are `now` become the opposite.
  void flip_last(std::size_t count, bool now) {
    for (std::size_t i = excused_.size(); i > 0 && count > 0; --i) {
      if (excused_[i - 1] != now) continue;
      excused_[i - 1] = !now;
      --count;
    }
  }

  const std::size_t more_;  // than before the update, all counted
  std::vector<bool> excused_;
  std::vector<bool> used_;
};

// How much had been found before a rule was asked.
class Mark {
 public:
  explicit Mark(api::ErrorList& findings)
      : findings_(findings),
        errors_(findings.errors().size()),
        warnings_(findings.warnings().size()),
        omitted_errors_(findings.omitted_errors()),
        omitted_warnings_(findings.omitted_warnings()) {}

  bool nothing_new() const {
    return findings_.errors().size() == errors_ && findings_.warnings().size() == warnings_ &&
           findings_.omitted_errors() == omitted_errors_ &&
           findings_.omitted_warnings() == omitted_warnings_;
  }

  // Drops what is new and was true before the update too, and does not count it either.
  void drop(const Update& update, const api::ErrorList& known) const {
    const std::size_t omitted_errors = findings_.omitted_errors() - omitted_errors_;
    const Excused<api::Error> errors(update, findings_.errors().subspan(errors_), omitted_errors,
                                     known.errors(), known.omitted_errors());
    findings_.uncount_errors(omitted_errors - errors.new_omitted());
    findings_.drop_errors_from(
        errors_, [&, at = std::size_t{0}](const api::Error&) mutable { return errors[at++]; });
    const std::size_t omitted_warnings = findings_.omitted_warnings() - omitted_warnings_;
    const Excused<api::Warning> warnings(update, findings_.warnings().subspan(warnings_),
                                         omitted_warnings, known.warnings(),
                                         known.omitted_warnings());
    findings_.uncount_warnings(omitted_warnings - warnings.new_omitted());
    findings_.drop_warnings_from(warnings_, [&, at = std::size_t{0}](const api::Warning&) mutable {
      return warnings[at++];
    });
  }

 private:
  api::ErrorList& findings_;
  const std::size_t errors_;
  const std::size_t warnings_;
  const std::size_t omitted_errors_;
  const std::size_t omitted_warnings_;
};

// Asks one rule: `ask_now` hands it a report. What a ratcheted one says is held against what
// `ask_old` makes it say of the object as it was, where there is such a one.
template <typename AskNow, typename AskOld>
void run(const Rule& rule, Severity severity, const Update* update, api::ErrorList& findings,
         AskNow ask_now, AskOld ask_old) {
  Report report{rule.id, severity, findings};
  if (update == nullptr || rule.ratchet == Ratchet::kNo) return ask_now(report);
  const Mark mark{findings};
  ask_now(report);
  if (mark.nothing_new()) return;
  api::ErrorList known;
  Report known_report{rule.id, severity, known};
  ask_old(known_report);
  mark.drop(*update, known);
}

// The rules for one kind and one operation, so that a request does not ask those of the others.
struct Plan {
  struct Row {
    const Rule* rule;
    std::size_t index;  // in the catalogue
  };
  std::vector<Row> written;   // about the object as it is written
  std::vector<Row> services;  // about its services
  std::vector<Row> rendered;  // about what will be made of it
};

class Plans {
 public:
  Plans() {
    for (std::size_t index = 0; index < catalog().size(); ++index) {
      const Rule& rule = catalog()[index];
      for (std::size_t kind = 0; kind < plans_.size(); ++kind) {
        if (!rule.kinds.has(static_cast<api::Kind>(kind))) continue;
        for (std::size_t operation = 0; operation < plans_[kind].size(); ++operation) {
          if (!rule.operations.has(static_cast<api::Operation>(operation))) continue;
          rows_for(plans_[kind][operation], rule).push_back({&rule, index});
        }
      }
    }
  }

  const Plan& of(const api::Context& context) const {
    return plans_[static_cast<std::size_t>(context.kind)]
                 [static_cast<std::size_t>(context.operation)];
  }

 private:
  static std::vector<Plan::Row>& rows_for(Plan& plan, const Rule& rule) {
    if (std::holds_alternative<RuleOn<PlacedService>>(rule.function)) return plan.services;
    const bool rendered = std::holds_alternative<PodRule>(rule.function) ||
                          std::holds_alternative<RenderedRule>(rule.function);
    return rendered ? plan.rendered : plan.written;
  }

  std::array<std::array<Plan, api::kOperationNames.size()>, api::kKindCount> plans_;
};

const Plan& plan_for(const api::Context& context) {
  static const Plans plans;
  return plans.of(context);
}

class Validation {
 public:
  Validation(const api::Context& context, json::Value object, json::Value old,
             api::ErrorList& errors, const Severities& severities, render::Arena& arena)
      : context_(context),
        object_(object),
        old_(old),
        errors_(errors),
        severities_(severities),
        arena_(arena),
        rendering_(context, object, arena),
        old_rendering_(context, old, arena) {}

  void run_catalog() {
    for (const Plan::Row& row : plan_.written) run_on_object(row);
    if (!plan_.services.empty()) run_on_services();
    for (const Plan::Row& row : plan_.rendered) run_on_rendered(row);
  }

 private:
  Severity severity_of(const Plan::Row& row) const { return severities_.at(row.index); }
  const Update* update_if(bool updated) const {
    return updated && context_.forgives_what_was ? &update_ : nullptr;
  }

  void run_on_object(const Plan::Row& row) {
    const Severity severity = severity_of(row);
    if (severity == Severity::kOff) return;
    std::visit(
        [&]<typename Function>(Function function) {
          if constexpr (kOnObject<Function>) run_on(*row.rule, severity, function);
        },
        row.rule->function);
  }

  template <typename Function>
  static constexpr bool kOnObject =
      !std::is_same_v<Function, RuleOn<PlacedService>> && !std::is_same_v<Function, PodRule> &&
      !std::is_same_v<Function, RenderedRule>;

  template <typename View>
  void run_on(const Rule& rule, Severity severity, RuleOn<View> function) {
    const View now{object_};
    const View old{old_};
    const View* const before = old_.exists() ? &old : nullptr;
    run(
        rule, severity, update_if(before != nullptr), errors_,
        [&](Report& report) { function(context_, now, before, report); },
        [&](Report& report) { function(context_, old, nullptr, report); });
  }

  void run_on_rendered(const Plan::Row& row) {
    const Rule& rule = *row.rule;
    const Severity severity = severity_of(row);
    if (severity == Severity::kOff) return;
    run(
        rule, severity, update_if(old_.exists()), errors_,
        [&](Report& report) { judge(rule, rendering_.object(), report); },
        [&](Report& report) { judge(rule, old_rendering_.object(), report); });
  }

  void judge(const Rule& rule, const RenderedObject& rendered, Report& report) const {
    if (const PodRule* const function = std::get_if<PodRule>(&rule.function)) {
      for (const RenderedPod& pod : rendered.pods) (*function)(context_, pod, report);
    } else if (rendered.too_much.empty() || rule.id == kTooMuchRule) {
      std::get<RenderedRule>(rule.function)(context_, rendered, report);
    }
  }

  void run_on_services() {
    const api::FieldPath spec{"spec"};
    const api::Object now{object_};
    const api::Object old{old_};
    if (context_.kind == api::Kind::kComponentDeployment) {
      return run_on_service(now, old, now.spec(), old.spec(), spec);
    }
    const api::FieldPath path = spec.child("services");
    const std::span<const json::Member> services = sorted_members(now.spec()["services"], arena_);
    const std::span<const json::Member> before = sorted_members(old.spec()["services"], arena_);
    for (const json::Member& service : services) {
      run_on_service(now, old, service.value, find_member(before, service.name),
                     path.key(service.name));
    }
  }

  void run_on_service(const api::Object& now_in, const api::Object& old_in, json::Value now_spec,
                      json::Value old_spec, const api::FieldPath& path) {
    // That it is no object is said by the type rule.
    if (now_spec.exists() && !now_spec.is_object()) return;
    const PlacedService now{now_spec, path, now_in};
    const PlacedService old{old_spec, path, old_in};
    const PlacedService* const before = old_spec.is_object() ? &old : nullptr;
    for (const Plan::Row& row : plan_.services) {
      const Severity severity = severity_of(row);
      if (severity == Severity::kOff) continue;
      const auto function = std::get<RuleOn<PlacedService>>(row.rule->function);
      run(
          *row.rule, severity, update_if(before != nullptr), errors_,
          [&](Report& report) { function(context_, now, before, report); },
          [&](Report& report) { function(context_, old, nullptr, report); });
    }
  }

  const api::Context& context_;
  const Plan& plan_ = plan_for(context_);
  json::Value object_;
  json::Value old_;
  const Update update_{object_, old_};
  api::ErrorList& errors_;
  const Severities& severities_;
  render::Arena& arena_;
  Rendering rendering_;
  Rendering old_rendering_;
};

}  // namespace

void validate(const api::Context& context, json::Value object, json::Value old,
              api::ErrorList& errors, const Severities& severities, render::Arena& arena) {
  arena.reset();
  Validation(context, object, old, errors, severities, arena).run_catalog();
  arena.reset();  // what was said refers to nothing in it
  errors.sort_by_field();
}

void validate(const api::Context& context, json::Value object, json::Value old,
              api::ErrorList& errors) {
  render::Arena arena;
  validate(context, object, old, errors, default_severities(), arena);
}

}  // namespace dynamo::validators
