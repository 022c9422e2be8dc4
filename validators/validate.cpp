#include "validators/validate.hpp"

#include <algorithm>
#include <optional>
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

template <typename... Functions>
struct Overloaded : Functions... {
  using Functions::operator()...;
};
template <typename... Functions>
Overloaded(Functions...) -> Overloaded<Functions...>;

class Validation {
 public:
  Validation(const api::Context& context, json::Value object, json::Value old,
             api::ErrorList& errors, const Severities& severities, render::Arena& arena)
      : context_(context),
        object_(object),
        old_(old),
        errors_(errors),
        severities_(severities),
        rendering_(context, object, arena),
        old_rendering_(context, old, arena) {}

  void run_catalog() {
    const std::span<const Rule> rules = rules_;
    for (std::size_t at = 0; at < rules.size(); ++at) {
      if (!applies(rules[at])) continue;
      if (!is_service_rule(rules[at])) {
        run_on_object(rules[at]);
        continue;
      }
      std::size_t end = at;
      while (end < rules.size() && is_service_rule(rules[end])) ++end;
      run_on_services(rules.subspan(at, end - at));
      at = end - 1;
    }
  }

 private:
  Severity severity_of(const Rule& rule) const {
    return severities_.at(static_cast<std::size_t>(&rule - rules_.data()));
  }

  bool applies(const Rule& rule) const {
    return rule.kinds.has(context_.kind) && rule.operations.has(context_.operation) &&
           severity_of(rule) != Severity::kOff;
  }

  static bool is_service_rule(const Rule& rule) {
    return std::holds_alternative<RuleOn<PlacedService>>(rule.function);
  }

  void run_on_object(const Rule& rule) {
    std::visit(
        Overloaded{[&]<typename View>(RuleOn<View> function) {
                     if constexpr (!std::is_same_v<View, PlacedService>) {
                       const View now{object_};
                       const View old{old_};
                       run(context_, rule, severity_of(rule), function, now,
                           old_.exists() ? &old : nullptr, errors_);
                     }
                   },
                   [&](PodRule function) {
                     run_on_rendered(rule, [&](const RenderedObject& rendered, Report& report) {
                       for (const RenderedPod& pod : rendered.pods) {
                         function(context_, pod, report);
                       }
                     });
                   },
                   [&](RenderedRule function) {
                     run_on_rendered(rule, [&](const RenderedObject& rendered, Report& report) {
                       function(context_, rendered, report);
                     });
                   }},
        rule.function);
  }

  // `judge` is called with the object as it will be; if it says something, with the old one too.
  template <typename Judge>
  void run_on_rendered(const Rule& rule, Judge judge) {
    const Mark mark{errors_};
    Report report{rule.id, severity_of(rule), errors_};
    judge(rendering_.object(), report);
    if (rule.ratchet == Ratchet::kNo || !old_.exists() || mark.nothing_new()) return;
    api::ErrorList known;
    Report known_report{rule.id, severity_of(rule), known};
    judge(old_rendering_.object(), known_report);
    mark.drop(known);
  }

  void run_on_services(std::span<const Rule> rules) {
    const api::FieldPath spec{"spec"};
    const api::Object now{object_};
    const api::Object old{old_};
    if (context_.kind == api::Kind::kComponentDeployment) {
      return run_on_service(rules, now, old, now.spec(), old.spec(), spec);
    }
    const api::FieldPath path = spec.child("services");
    const std::vector<json::Member> services = sorted_members(now.spec()["services"]);
    const std::vector<json::Member> before = sorted_members(old.spec()["services"]);
    for (const json::Member& service : services) {
      run_on_service(rules, now, old, service.value, find_member(before, service.name),
                     path.key(service.name));
    }
  }

  void run_on_service(std::span<const Rule> rules, const api::Object& now_in,
                      const api::Object& old_in, json::Value now_spec, json::Value old_spec,
                      const api::FieldPath& path) {
    // That it is no object is said by the type rule.
    if (now_spec.exists() && !now_spec.is_object()) return;
    const PlacedService now{now_spec, path, now_in};
    const PlacedService old{old_spec, path, old_in};
    for (const Rule& rule : rules) {
      if (!applies(rule)) continue;
      run(context_, rule, severity_of(rule), std::get<RuleOn<PlacedService>>(rule.function), now,
          old_spec.is_object() ? &old : nullptr, errors_);
    }
  }

  const std::span<const Rule> rules_ = catalog();
  const api::Context& context_;
  json::Value object_;
  json::Value old_;
  api::ErrorList& errors_;
  const Severities& severities_;
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
