#include "validators/validate.hpp"

#include <array>
#include <cstddef>
#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <utility>
#include <variant>
#include <vector>

#include "render/document/sorted_members.hpp"
#include "validators/catalog.hpp"
#include "validators/ratchet.hpp"
#include "validators/rendering.hpp"
#include "validators/unchanged_parts.hpp"

namespace dynamo::validators {
namespace {

// The only rule on rendered objects that runs if the object is too large to render.
constexpr std::string_view kTooMuchRule = "pod.too-much";

// Passes the findings of a rule to the ratchet and records none.
class Collector final : public ReportFilter {
 public:
  using Side = void (RatchetComparison::*)(std::optional<api::ErrorType>, std::string_view,
                                           std::string_view, const FindingOrigin&);
  Collector(RatchetComparison& comparison, Side side) : comparison_(comparison), side_(side) {}

  bool passes(std::optional<api::ErrorType> type, const api::FieldPath& path,
              std::string_view detail, const FindingOrigin& origin) override {
    field_.clear();
    path.append_to(field_);
    (comparison_.*side_)(type, field_, detail, origin);
    return false;
  }

  // The result of a full comparison is not used.
  bool wants_more() const override { return !comparison_.is_full(); }

 private:
  RatchetComparison& comparison_;
  const Side side_;
  std::string field_;
};

// Records only the findings that are not excused, when the rule runs again and reports the same
// ones.
class ExcusedFilter final : public ReportFilter {
 public:
  explicit ExcusedFilter(std::vector<bool> excused) : excused_(std::move(excused)) {}

  bool passes(std::optional<api::ErrorType>, const api::FieldPath&, std::string_view,
              const FindingOrigin&) override {
    const std::size_t index = next_++;
    return index >= excused_.size() || !excused_[index];
  }

 private:
  const std::vector<bool> excused_;
  std::size_t next_ = 0;
};

// The number of findings of one rule that are compared with the old ones individually. More would
// cost more than the rest of a review.
constexpr std::size_t kMaxCompared = 250;

std::size_t findings_since(const api::ErrorList::Mark& mark, const api::ErrorList::Mark& now) {
  return now.errors - mark.errors + now.warnings - mark.warnings + now.omitted_errors -
         mark.omitted_errors + now.omitted_warnings - mark.omitted_warnings;
}

// One of the two calls of a rule. It calls the function it was constructed from, which must outlive
// it.
class RuleCall {
 public:
  template <typename Run>
  explicit RuleCall(const Run& run)
      : run_(&run),
        call_([](const void* what, Report& report) { (*static_cast<const Run*>(what))(report); }) {}
  void operator()(Report& report) const { call_(run_, report); }

 private:
  const void* run_;
  void (*call_)(const void* run, Report& report);
};

// Compares the findings of a ratcheted rule since the mark with its findings on the old object.
// Kept out of run() so that other rules do not pay for its stack frame.
void drop_old_findings(const Rule& rule, Severity severity, ObjectUpdate& update,
                       api::ErrorList& findings, const api::ErrorList::Mark& mark,
                       const RuleCall& run_on_new, const RuleCall& run_on_old) {
  const auto return_if_unchanged = [&] {
    if (update.leaves_unchanged()) findings.return_to(mark);
  };
  // If the object is too large to render, no other rules on rendered objects run, so the update may
  // change nothing else. The same applies if there are too many findings to compare.
  if (rule.id == kTooMuchRule || findings_since(mark, findings.mark()) > kMaxCompared) {
    return return_if_unchanged();
  }
  RatchetComparison comparison{update};
  Collector old_collector{comparison, &RatchetComparison::add_old};
  Report old_report{rule.id, severity, findings, &old_collector};
  run_on_old(old_report);
  if (comparison.has_no_old_findings()) return;
  if (comparison.is_full()) return return_if_unchanged();
  // The list may lack findings, and it has no discriminators. Run the rule again to collect them:
  // on the same object, a rule always reports the same findings.
  Collector new_collector{comparison, &RatchetComparison::add_new};
  Report new_report{rule.id, severity, findings, &new_collector};
  run_on_new(new_report);
  if (comparison.is_full()) return return_if_unchanged();
  findings.return_to(mark);
  ExcusedFilter filter{comparison.excused()};
  Report filtered{rule.id, severity, findings, &filter};
  run_on_new(filtered);
}

// The rules for one kind and one operation, so that a request does not iterate over the others.
struct RulePlan {
  struct Row {
    const Rule* rule;
    std::size_t index;  // in the catalog
  };
  std::array<std::vector<Row>, kPhases.size()> phases;

  std::vector<Row>& of(Phase phase) { return phases[static_cast<std::size_t>(phase)]; }
  const std::vector<Row>& of(Phase phase) const { return phases[static_cast<std::size_t>(phase)]; }
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
          plans_[kind][operation].of(phase_of(rule.function)).push_back({&rule, index});
        }
      }
    }
  }

  const RulePlan& of(const api::Context& context) const {
    return plans_[static_cast<std::size_t>(context.kind)]
                 [static_cast<std::size_t>(context.operation)];
  }

 private:
  std::array<std::array<RulePlan, api::kOperationNames.size()>, api::kKindCount> plans_;
};

const RulePlan& plan_for(const api::Context& context) {
  static const Plans plans;
  return plans.of(context);
}

class Validation {
 public:
  Validation(const api::Context& context, json::Value object, json::Value old,
             api::ErrorList& errors, const Severities& severities, render::Arena& arena,
             const HubForms& hub)
      : context_(context),
        object_(object),
        old_(old),
        errors_(errors),
        severities_(severities),
        arena_(arena),
        old_hub_(hub.old),
        renderer_(context, object, arena, hub.object),
        unchanged_(object, context.is_ratcheted ? old : json::Value{}) {}

  void run_catalog() {
    for (const RulePlan::Row& row : plan_.of(Phase::kWritten)) {
      if (!skips_all(*row.rule)) run_on_object(row);
    }
    if (!plan_.of(Phase::kServices).empty()) run_on_services();
    for (const RulePlan::Row& row : plan_.of(Phase::kRendered)) {
      if (!skips_all(*row.rule)) run_on_rendered(row);
    }
  }

 private:
  Severity severity_of(const RulePlan::Row& row) const { return severities_.at(row.index); }
  // Whether the ratchet would drop all findings of the rule.
  bool skips_all(const Rule& rule) const {
    return unchanged_.has_all() && rule.ratchet == Ratchet::kYes;
  }
  // Whether a rule reported anything on a part that existed before the update.
  bool needs_ratchet(bool updated) const { return updated && errors_.mark() != mark_; }

  // For a ratcheted rule, compares the findings since the mark with those of `run_on_old` on the
  // old object. Most rules report nothing, so the mark is updated only after a rule that did, and
  // the two calls are constructed only here.
  template <typename RunOnNew, typename RunOnOld>
  void apply_ratchet(const Rule& rule, Severity severity, const RunOnNew& run_on_new,
                     const RunOnOld& run_on_old) {
    if (context_.is_ratcheted && rule.ratchet != Ratchet::kNo) {
      drop_old_findings(rule, severity, update_, errors_, mark_, RuleCall(run_on_new),
                        RuleCall(run_on_old));
    }
    mark_ = errors_.mark();
  }

  void run_on_object(const RulePlan::Row& row) {
    const Severity severity = severity_of(row);
    if (severity == Severity::kOff) return;
    std::visit(
        [&]<typename Function>(Function function) {
          if constexpr (kPhaseOf<Function> == Phase::kWritten) {
            run_on(*row.rule, severity, function);
          }
        },
        row.rule->function);
  }

  template <typename View>
  void run_on(const Rule& rule, Severity severity, RuleOn<View> function) {
    const View now{object_};
    const View old{old_};
    const View* const before = old_.exists() ? &old : nullptr;
    Report report{rule.id, severity, errors_};
    function(context_, now, before, report);
    if (!needs_ratchet(before != nullptr)) return;
    apply_ratchet(
        rule, severity, [&](Report& again) { function(context_, now, before, again); },
        [&](Report& of_old) { function(context_, old, nullptr, of_old); });
  }

  void run_on_rendered(const RulePlan::Row& row) {
    const Rule& rule = *row.rule;
    const Severity severity = severity_of(row);
    if (severity == Severity::kOff) return;
    Report report{rule.id, severity, errors_};
    run_rendered_rule(rule, now_rendered(), report);
    if (!needs_ratchet(old_.exists())) return;
    apply_ratchet(
        rule, severity, [&](Report& again) { run_rendered_rule(rule, now_rendered(), again); },
        [&](Report& of_old) { run_rendered_rule(rule, old_rendered(), of_old); });
  }

  const RenderedObject& now_rendered() {
    if (!now_rendered_) now_rendered_ = with_changed_pods(renderer_.object(), old_);
    return *now_rendered_;
  }

  const RenderedObject& old_rendered() {
    if (!old_rendered_) {
      old_renderer_.emplace(context_, old_, arena_, old_hub_);
      old_rendered_ = with_changed_pods(old_renderer_->object(), object_);
    }
    return *old_rendered_;
  }

  // `other` is the other state of the object.
  RenderedObject with_changed_pods(RenderedObject rendered, json::Value other) const {
    if (!unchanged_.has_shared()) return rendered;
    const json::Value services = other["spec"]["services"];
    render::ArenaList<RenderedPod> changed(arena_, rendered.pods.size());
    for (const RenderedPod& pod : rendered.pods) {
      const render::Component& component = *pod.component;
      if (unchanged_.has_service(component.service.value(), services[component.service_name])) {
        continue;
      }
      changed.push(pod);
    }
    rendered.changed = changed.items();
    return rendered;
  }

  void run_rendered_rule(const Rule& rule, const RenderedObject& rendered, Report& report) const {
    const bool is_ratcheted = rule.ratchet == Ratchet::kYes;
    if (const PodRule* const function = std::get_if<PodRule>(&rule.function)) {
      const auto pods = is_ratcheted ? rendered.changed_pods() : rendered.pods;
      for (const RenderedPod& pod : pods) (*function)(context_, pod, report);
    } else if (rendered.limit_violations.empty() || rule.id == kTooMuchRule) {
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
    const std::span<const json::Member> services =
        render::sorted_members(now.spec()["services"], arena_);
    const std::span<const json::Member> before =
        render::sorted_members(old.spec()["services"], arena_);
    // Both are sorted by name, so one traversal finds the old service of each.
    auto old_service = before.begin();
    for (const json::Member& service : services) {
      while (old_service != before.end() && old_service->name < service.name) ++old_service;
      const bool was_there = old_service != before.end() && old_service->name == service.name;
      run_on_service(now, old, service.value, was_there ? old_service->value : json::Value{},
                     path.key(service.name));
    }
  }

  void run_on_service(const api::Object& now_in, const api::Object& old_in, json::Value now_spec,
                      json::Value old_spec, const api::FieldPath& path) {
    // The type rule reports a service that is not an object.
    if (now_spec.exists() && !now_spec.is_object()) return;
    const ServiceView now{now_spec, path, now_in};
    const ServiceView old{old_spec, path, old_in};
    const ServiceView* const before = old_spec.is_object() ? &old : nullptr;
    const bool is_unchanged = unchanged_.has_service(now_spec, old_spec);
    for (const RulePlan::Row& row : plan_.of(Phase::kServices)) {
      if (is_unchanged && row.rule->ratchet == Ratchet::kYes) continue;
      const Severity severity = severity_of(row);
      if (severity == Severity::kOff) continue;
      const auto function = std::get<RuleOn<ServiceView>>(row.rule->function);
      Report report{row.rule->id, severity, errors_};
      function(context_, now, before, report);
      if (!needs_ratchet(before != nullptr)) continue;
      apply_ratchet(
          *row.rule, severity, [&](Report& again) { function(context_, now, before, again); },
          [&](Report& of_old) { function(context_, old, nullptr, of_old); });
    }
    if (before == nullptr)
      mark_ = errors_.mark();  // so that a later, existing service starts from here
  }

  const api::Context& context_;
  const RulePlan& plan_ = plan_for(context_);
  json::Value object_;
  json::Value old_;
  ObjectUpdate update_{object_, old_};
  api::ErrorList& errors_;
  api::ErrorList::Mark mark_ = errors_.mark();
  const Severities& severities_;
  render::Arena& arena_;
  json::Value old_hub_;
  render::ObjectRenderer renderer_;
  // Rendered when the first rule needs it.
  std::optional<render::ObjectRenderer> old_renderer_;
  std::optional<RenderedObject> now_rendered_;
  std::optional<RenderedObject> old_rendered_;
  // On an update by which ratcheted rules report only what is new.
  const UnchangedParts unchanged_;
};

}  // namespace

void validate(const api::Context& context, json::Value object, json::Value old,
              api::ErrorList& errors, const Severities& severities, render::Arena& arena,
              const HubForms& hub) {
  arena.reset();
  Validation(context, object, old, errors, severities, arena, hub).run_catalog();
  arena.reset();  // findings hold no references into the arena
  errors.sort_by_field();
}

void validate(const api::Context& context, json::Value object, json::Value old,
              api::ErrorList& errors) {
  render::Arena arena;
  validate(context, object, old, errors, default_severities(), arena);
}

}  // namespace dynamo::validators
