#include "validators/validate.hpp"

#include <algorithm>
#include <optional>
#include <span>
#include <type_traits>
#include <variant>
#include <vector>

#include "validators/catalog.hpp"
#include "validators/sorted_members.hpp"

namespace dynamo::validators {
namespace {

bool same(const api::Error& one, const api::Error& other) {
  return one.type == other.type && one.field == other.field && one.detail == other.detail;
}

// Calls one rule. A ratcheted one is asked about the old object too, and what it says of both is
// dropped: the update did not change it.
template <typename View>
void run(const api::Context& context, const Rule& rule, Severity severity, RuleOn<View> function,
         const View& now, const View* old, api::ErrorList& errors) {
  const std::size_t before = errors.errors().size();
  Report report{rule.id, severity, errors};
  function(context, now, old, report);
  if (rule.ratchet == Ratchet::kNo || old == nullptr || errors.errors().size() == before) return;
  api::ErrorList known;
  Report known_report{rule.id, severity, known};
  function(context, *old, nullptr, known_report);
  errors.drop_errors_from(before, [&](const api::Error& error) {
    return std::ranges::any_of(known.errors(),
                               [&](const api::Error& other) { return same(error, other); });
  });
}

class Validation {
 public:
  Validation(const api::Context& context, json::Value object, json::Value old,
             api::ErrorList& errors, const Severities& severities)
      : context_(context), object_(object), old_(old), errors_(errors), severities_(severities) {}

  void run_catalog() {
    const std::span<const Rule> rules = catalog();
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
  bool applies(const Rule& rule) const {
    return rule.kinds.has(context_.kind) && rule.operations.has(context_.operation) &&
           severities_.of(rule) != Severity::kOff;
  }

  static bool is_service_rule(const Rule& rule) {
    return std::holds_alternative<RuleOn<PlacedService>>(rule.function);
  }

  void run_on_object(const Rule& rule) {
    std::visit(
        [&]<typename View>(RuleOn<View> function) {
          if constexpr (!std::is_same_v<View, PlacedService>) {
            const View now{object_};
            const View old{old_};
            run(context_, rule, severities_.of(rule), function, now, old_.exists() ? &old : nullptr,
                errors_);
          }
        },
        rule.function);
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
      run(context_, rule, severities_.of(rule), std::get<RuleOn<PlacedService>>(rule.function), now,
          old_spec.is_object() ? &old : nullptr, errors_);
    }
  }

  const api::Context& context_;
  json::Value object_;
  json::Value old_;
  api::ErrorList& errors_;
  const Severities& severities_;
};

}  // namespace

void validate(const api::Context& context, json::Value object, json::Value old,
              api::ErrorList& errors, const Severities& severities) {
  Validation(context, object, old, errors, severities).run_catalog();
  errors.sort_by_field();
}

}  // namespace dynamo::validators
