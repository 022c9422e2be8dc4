#include "validators/validate.hpp"

#include <algorithm>
#include <array>
#include <cstddef>
#include <span>
#include <type_traits>
#include <variant>
#include <vector>

#include "validators/catalog.hpp"
#include "validators/rendering.hpp"
#include "validators/sorted_members.hpp"

namespace dynamo::validators {
namespace {

bool same(const api::Error& one, const api::Error& other) {
  return one.type == other.type && one.field == other.field && one.detail == other.detail;
}

bool same(const api::Warning& one, const api::Warning& other) {
  return one.field == other.field && one.detail == other.detail;
}

template <typename Finding>
bool contains(std::span<const Finding> known, const Finding& found) {
  return std::ranges::any_of(known, [&](const Finding& each) { return same(found, each); });
}

// How much had been found before a rule was asked.
class Mark {
 public:
  explicit Mark(api::ErrorList& findings)
      : findings_(findings),
        errors_(findings.errors().size()),
        warnings_(findings.warnings().size()) {}

  bool nothing_new() const {
    return findings_.errors().size() == errors_ && findings_.warnings().size() == warnings_;
  }

  // Drops what is new and was true before the update too: the update did not change it.
  void drop(const api::ErrorList& known) const {
    findings_.drop_errors_from(
        errors_, [&](const api::Error& error) { return contains(known.errors(), error); });
    findings_.drop_warnings_from(warnings_, [&](const api::Warning& warning) {
      return contains(known.warnings(), warning);
    });
  }

 private:
  api::ErrorList& findings_;
  const std::size_t errors_;
  const std::size_t warnings_;
};

// Calls one rule; a ratcheted one that says something about the old object too.
template <typename View>
void run(const api::Context& context, const Rule& rule, Severity severity, RuleOn<View> function,
         const View& now, const View* old, api::ErrorList& findings) {
  const Mark mark{findings};
  Report report{rule.id, severity, findings};
  function(context, now, old, report);
  if (rule.ratchet == Ratchet::kNo || old == nullptr || mark.nothing_new()) return;
  api::ErrorList known;
  Report known_report{rule.id, severity, known};
  function(context, *old, nullptr, known_report);
  mark.drop(known);
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
    run(context_, rule, severity, function, now, old_.exists() ? &old : nullptr, errors_);
  }

  // The rule is asked about the object as it will be; if it says something, about the old one too.
  void run_on_rendered(const Plan::Row& row) {
    const Rule& rule = *row.rule;
    const Severity severity = severity_of(row);
    if (severity == Severity::kOff) return;
    const Mark mark{errors_};
    Report report{rule.id, severity, errors_};
    judge(rule, rendering_.object(), report);
    if (rule.ratchet == Ratchet::kNo || !old_.exists() || mark.nothing_new()) return;
    api::ErrorList known;
    Report known_report{rule.id, severity, known};
    judge(rule, old_rendering_.object(), known_report);
    mark.drop(known);
  }

  void judge(const Rule& rule, const RenderedObject& rendered, Report& report) const {
    if (const PodRule* const function = std::get_if<PodRule>(&rule.function)) {
      for (const RenderedPod& pod : rendered.pods) (*function)(context_, pod, report);
    } else {
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
    for (const Plan::Row& row : plan_.services) {
      const Severity severity = severity_of(row);
      if (severity == Severity::kOff) continue;
      run(context_, *row.rule, severity, std::get<RuleOn<PlacedService>>(row.rule->function), now,
          old_spec.is_object() ? &old : nullptr, errors_);
    }
  }

  const api::Context& context_;
  const Plan& plan_ = plan_for(context_);
  json::Value object_;
  json::Value old_;
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
  errors.sort_by_field();
}

void validate(const api::Context& context, json::Value object, json::Value old,
              api::ErrorList& errors) {
  render::Arena arena;
  validate(context, object, old, errors, default_severities(), arena);
}

}  // namespace dynamo::validators
