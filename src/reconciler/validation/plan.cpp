#include "reconciler/validation/plan.hpp"

#include <algorithm>
#include <array>
#include <optional>
#include <utility>

#include "json/writer.hpp"
#include "kube/client/writes.hpp"
#include "kube/object/conditions.hpp"
#include "kube/object/object_meta.hpp"
#include "reconciler/verdict/operator_validator.hpp"
#include "text/presentable.hpp"

namespace dynamo::reconciler::validation {
namespace {

using kube::Condition;
using kube::Conditions;
using kube::ConditionStatus;

constexpr std::string_view kFailed = "ValidationFailed";
constexpr std::string_view kPassed = "ValidationPassed";
constexpr std::string_view kChanged = "ImmutableFieldChanged";
constexpr std::string_view kImmutable = "Immutable";
constexpr std::string_view kNotValidated = "NotJudged";
constexpr std::string_view kUnreadable = "RecordUnreadable";
constexpr std::string_view kTooLong = "RecordTooLong";
constexpr std::string_view kServed = "ControllerRuns";
constexpr std::string_view kUnservedOccasion = "served";

// The parts of the status that we want to own.
struct DesiredStatus {
  std::vector<Condition> conditions = {};
  std::string_view state = {};  // "": the current one stays
};

Condition condition(std::string_view type, bool is_true, std::string_view reason,
                    std::string message) {
  Condition made;
  made.type = type;
  made.status = is_true ? ConditionStatus::kTrue : ConditionStatus::kFalse;
  made.reason = reason;
  made.message = std::move(message);
  return made;
}

Condition verdict_condition(std::string_view type, const ValidationResult& verdict) {
  return verdict.is_valid() ? condition(type, true, kPassed, "every rule holds")
                            : condition(type, false, kFailed, verdict.message);
}

Condition change_condition(std::string_view type, const ValidationResult& change) {
  return condition(type, false, kChanged,
                   change.message +
                       "; this was not admitted: change it back under an exemption of the policy, "
                       "without which a webhook refuses that change too, or delete the object and "
                       "create it again");
}

std::string unserved_note(const kube::Resource& resource) {
  std::string note = "dynamo-reconciler replaces the Dynamo operator and has no controller for ";
  note += resource.kind;
  note += ": nothing will happen; delete the object, or let a Dynamo operator serve its namespace";
  return note;
}

// Why the admitted state is unknown, or not recorded.
struct RecordNote {
  std::string_view reason = {};  // empty: it is known and recorded
  std::string text = {};
};

RecordNote edited_note() {
  return {kUnreadable, "the annotation " + std::string(kRecordAnnotation) +
                           " must be unchanged since we wrote it, and was edited: the admitted "
                           "values are not known; do not write it"};
}

RecordNote too_long_note() {
  return {kTooLong, "what must not change of it takes more than " +
                        std::to_string(kMaxRecordBytes) +
                        " bytes and is not recorded: what changes past the webhooks is not found"};
}

// Truncates the message, because conditions have a maximum length and the note after it must remain
// complete.
std::string before_note(const std::string& message) {
  constexpr std::size_t kMaxBeforeNote = 31'000;
  if (message.size() <= kMaxBeforeNote) return message;
  std::string cut;
  text::append_presentable(cut, message, kMaxBeforeNote);
  return cut;
}

// Plans for one object.
class Planner {
 public:
  Planner(const ObservedState& observed, const ValidationSettings& settings,
          std::chrono::system_clock::time_point now)
      : observed_(observed),
        settings_(settings),
        now_(now),
        status_(observed.object.root()["status"]),
        conditions_(Conditions::read(status_["conditions"])),
        note_(record_note()) {}

  ValidationPlan run() {
    if (kube::is_terminating(observed_.object)) return {};
    if (observed_.verdict.exemption != admission::Exemption::kNone) return {};
    plan_.is_evaluated = is_validated() || !observed_.change.is_valid();
    plan_.is_valid =
        (!is_validated() || observed_.verdict.is_valid()) && observed_.change.is_valid();
    if (has_conditions(observed_.kind)) write_status(desired_status());
    emit_events();
    report_note();
    report_unserved();
    write_record();
    return std::move(plan_);
  }

 private:
  bool is_companion() const { return settings_.mode == Mode::kCompanion; }

  // The reference's controllers always validate DGD, DCD and DM, and DGDR before its first state.
  bool is_validated() const {
    if (is_companion()) return true;
    if (settings_.webhooks_enabled) return false;
    if (is_reported_elsewhere())
      return is_reported_in_part() && (is_denied_by_nonblocking_rule() || was_refused());
    return observed_.kind != api::Kind::kGraphDeploymentRequest || is_initial_request();
  }
  bool is_reported_elsewhere() const {
    return std::ranges::find(settings_.reported_elsewhere, observed_.kind) !=
           settings_.reported_elsewhere.end();
  }
  // Controllers that create objects are blocked by the operator's rules and report these. Denials
  // of other rules block no controller, and are reported here, in our own condition.
  bool is_reported_in_part() const {
    return !is_companion() && is_reported_elsewhere() && observed_.kind != api::Kind::kModel;
  }
  bool is_denied_by_nonblocking_rule() const {
    return std::ranges::any_of(observed_.verdict.rules,
                               [](std::string_view rule) { return !blocks_controllers(rule); });
  }
  bool is_initial_request() const { return status_["state"].string_or_empty().empty(); }

  // The type of the condition that reports the verdict; "" if there is none.
  std::string_view verdict_type() const {
    if (!has_conditions(observed_.kind)) return "";
    if (is_companion() || is_reported_in_part()) return kOwnCondition;
    switch (observed_.kind) {
      case api::Kind::kModel:
      case api::Kind::kComponentDeployment:
        return "Valid";
      case api::Kind::kGraphDeployment:
        return "Ready";
      case api::Kind::kGraphDeploymentRequest:
        return "Validation";
      case api::Kind::kCheckpoint:
      case api::Kind::kScalingAdapter:
        break;
    }
    return "";
  }

  bool is_unserved() const {
    return !is_companion() &&
           std::ranges::find(settings_.unserved, observed_.kind) != settings_.unserved.end();
  }
  bool was_unserved() const {
    const Condition* const found = conditions_.find(kServedCondition);
    return found != nullptr && found->reason == kUnservedEvent;
  }

  DesiredStatus desired_status() const {
    DesiredStatus desired =
        is_companion() ? desired_status_of_companion() : desired_status_of_replacement();
    if (is_unserved()) {
      desired.conditions.push_back(
          condition(kServedCondition, false, kUnservedEvent, unserved_note(observed_.resource)));
    } else if (was_unserved()) {
      desired.conditions.push_back(
          condition(kServedCondition, true, kServed, "a controller serves this kind"));
    }
    return desired;
  }

  DesiredStatus desired_status_of_replacement() const {
    DesiredStatus desired;
    if (is_validated()) {
      add_verdict(desired);
    } else if (observed_.kind == api::Kind::kGraphDeploymentRequest && was_refused() &&
               !is_reported_elsewhere()) {
      // A failed request stays failed: its condition is unchanged, and names its generation.
      desired.state = "Failed";
    } else if (was_refused() && (is_reported_in_part() || !is_reported_elsewhere())) {
      give_back(desired, kNotValidated, "webhooks validate this object");
    }
    if (!observed_.change.is_valid()) {
      desired.conditions.push_back(change_condition(kImmutable, observed_.change));
    } else if (!note_.reason.empty()) {
      desired.conditions.push_back(condition(kImmutable, false, note_.reason, note_.text));
      desired.conditions.back().status = ConditionStatus::kUnknown;
    } else if (refusal_in(kImmutable) != nullptr || is_immutable_unknown()) {
      desired.conditions.push_back(
          condition(kImmutable, true, kPassed, "it is as it was admitted"));
    }
    return desired;
  }

  // A condition is never removed, because the status might become empty and then be refused.
  // Instead it is Unknown until the object's controller sets it.
  void give_back(DesiredStatus& desired, std::string_view reason, std::string message) const {
    Condition unknown = condition(verdict_type(), false, reason, std::move(message));
    unknown.status = ConditionStatus::kUnknown;
    desired.conditions.push_back(std::move(unknown));
    if (verdict_type() == "Ready") desired.state = "pending";
  }

  DesiredStatus desired_status_of_companion() const {
    DesiredStatus desired;
    Condition own = verdict_condition(kOwnCondition, observed_.verdict);
    if (!observed_.change.is_valid()) {
      Condition changed = change_condition(kOwnCondition, observed_.change);
      if (observed_.verdict.is_valid()) {
        own = std::move(changed);
      } else {
        own.message += "; " + changed.message;
      }
    }
    if (!note_.reason.empty()) own.message = before_note(own.message) + "; " + note_.text;
    desired.conditions.push_back(std::move(own));
    return desired;
  }

  void add_verdict(DesiredStatus& desired) const {
    const std::string_view type = verdict_type();
    const bool is_valid = observed_.verdict.is_valid();
    if (is_reported_in_part()) {
      desired.conditions.push_back(verdict_condition(type, observed_.verdict));
      return;
    }
    switch (observed_.kind) {
      case api::Kind::kModel:
      case api::Kind::kComponentDeployment:
        desired.conditions.push_back(verdict_condition(type, observed_.verdict));
        break;
      case api::Kind::kGraphDeployment:
      case api::Kind::kGraphDeploymentRequest:
        if (is_valid && was_refused()) give_back(desired, kPassed, "every rule holds again");
        if (is_valid) break;
        desired.conditions.push_back(verdict_condition(type, observed_.verdict));
        desired.state = observed_.kind == api::Kind::kGraphDeployment ? "failed" : "Failed";
        break;
      case api::Kind::kCheckpoint:
      case api::Kind::kScalingAdapter:
        break;
    }
  }

  // Our condition, if it reports that the object is refused.
  const Condition* refusal_in(std::string_view type) const {
    const Condition* const found = conditions_.find(type);
    if (found == nullptr || found->status != ConditionStatus::kFalse) return nullptr;
    return found->reason == kFailed || found->reason == kChanged ? found : nullptr;
  }
  bool was_refused() const { return refusal_in(verdict_type()) != nullptr; }
  bool is_immutable_unknown() const {
    const Condition* const found = conditions_.find(kImmutable);
    return found != nullptr && (found->reason == kUnreadable || found->reason == kTooLong);
  }

  void write_status(const DesiredStatus& desired) {
    Conditions all = conditions_;
    bool is_changed = false;
    for (Condition each : desired.conditions) {
      each.observed_generation = kube::generation_of(observed_.object);
      if (all.set(std::move(each), now_)) is_changed = true;
    }
    if (!desired.state.empty() && status_["state"].string_or_empty() != desired.state) {
      is_changed = true;
    }
    if (!is_changed) return;
    Target observed_target = target();
    observed_target.resource_version = observed_.object.resource_version();
    plan_.actions.push_back(reconciler::apply_status(observed_target, status_body(all, desired)));
  }

  // The CRD requires both counts in every model status. They are zero until its controller has
  // counted, so we only write them at the observed version.
  bool writes_counts() const {
    return observed_.kind == api::Kind::kModel &&
           (status_["readyEndpoints"].integer().value_or(0) == 0 ||
            status_["totalEndpoints"].integer().value_or(0) == 0);
  }

  // Based on the observed version: if the definition does not declare conditions as a map by type,
  // as the operator's own does not, an apply of some conditions replaces all. And an apply removes
  // fields that we applied before and now omit, unless another manager owns them.
  std::string status_body(const Conditions& all, const DesiredStatus& desired) const {
    std::string text;
    json::Writer writer(text);
    writer.start_object().member("apiVersion", observed_.resource.api_version());
    writer.member("kind", observed_.resource.kind).key("metadata").start_object();
    writer.member("name", observed_.object.name());
    writer.member("namespace", observed_.object.namespace_name());
    writer.member("uid", observed_.object.uid());
    writer.member("resourceVersion", observed_.object.resource_version());
    writer.end_object().key("status").start_object();
    if (writes_counts()) {
      for (const std::string_view field : {"readyEndpoints", "totalEndpoints"}) {
        writer.key(field).integer(status_[field].integer().value_or(0));
      }
    }
    write_state(writer, desired);
    write_conditions(writer, all, desired);
    writer.end_object().end_object();
    return text;
  }

  // A state that may have been ours is kept.
  void write_state(json::Writer& writer, const DesiredStatus& desired) const {
    constexpr std::array<std::string_view, 3> kOnceOurs = {"failed", "Failed", "pending"};
    const std::string_view stored = status_["state"].string_or_empty();
    const bool can_be_ours = std::ranges::find(kOnceOurs, stored) != kOnceOurs.end();
    if (!desired.state.empty()) {
      writer.member("state", desired.state);
    } else if (can_be_ours) {
      writer.member("state", stored);
    }
  }

  // Conditions of other controllers are kept unchanged.
  void write_conditions(json::Writer& writer, const Conditions& all,
                        const DesiredStatus& desired) const {
    const auto is_ours = [&desired](std::string_view type) {
      return std::ranges::find(desired.conditions, type, &Condition::type) !=
             desired.conditions.end();
    };
    const json::Value stored = status_["conditions"];
    if (desired.conditions.empty() && stored.size() == 0) return;
    writer.key("conditions").start_array();
    for (const json::Value each : stored.elements()) {
      const std::string_view type = each["type"].string_or_empty();
      if (!type.empty() && !is_ours(type)) writer.value(each);
    }
    for (const Condition& each : desired.conditions) {
      if (const Condition* const set = all.find(each.type)) kube::write_condition(writer, *set);
    }
    writer.end_array();
  }

  // One event per generation that is invalid, and one when it is valid again.
  void emit_events() {
    const std::int64_t generation = kube::generation_of(observed_.object);
    bool was_invalid = observed_.reported_generation != 0;
    bool was_reported = was_invalid && observed_.reported_generation == generation;
    for (const std::string_view type : {verdict_type(), kImmutable}) {
      const Condition* const refusal = refusal_in(type);
      if (refusal == nullptr) continue;
      was_invalid = true;
      was_reported = was_reported || refusal->observed_generation == generation;
    }
    if (!plan_.is_valid) {
      if (was_reported) return;
      // There may be no condition that stores this for the next leader, or it may not be writable.
      add_event(true, kFailedEvent, refusal(), occasion_of_generation("validation", generation));
    } else if (was_invalid && is_validated()) {
      add_event(false, kPassedEvent, "every rule holds again");
    }
  }

  std::string refusal() const {
    std::string text = "refused by ";
    bool is_first = true;
    const auto add = [&text, &is_first](const ValidationResult& verdict) {
      for (const std::string_view rule : verdict.rules) {
        if (!is_first) text += ", ";
        text += rule;
        is_first = false;
      }
    };
    if (is_validated()) add(observed_.verdict);
    add(observed_.change);
    text += ": ";
    text += is_validated() && !observed_.verdict.is_valid() ? observed_.verdict.message
                                                            : observed_.change.message;
    return text;
  }

  // The condition that reports the record; a companion has only one.
  std::string_view note_type() const { return is_companion() ? kOwnCondition : kImmutable; }
  bool is_noted(const RecordNote& note) const {
    const Condition* const found = conditions_.find(note_type());
    if (found == nullptr || found->observed_generation != kube::generation_of(observed_.object)) {
      return false;
    }
    return is_companion() ? found->message.ends_with(note.text) : found->reason == note.reason;
  }
  // An edited record is rewritten, and is reported until the object changes.
  RecordNote record_note() const {
    if (!settings_.keeps_record || !has_conditions(observed_.kind)) return {};
    RecordNote edited = edited_note();
    if (observed_.record.state == RecordState::kUnreadable || is_noted(edited)) return edited;
    return observed_.is_record_too_long ? too_long_note() : RecordNote();
  }

  void report_note() {
    if (note_.reason.empty() || is_noted(note_)) return;
    add_event(note_.reason == kUnreadable, note_.reason, note_.text);
  }

  // Once per object: the condition stores it.
  void report_unserved() {
    if (!is_unserved() || was_unserved()) return;
    add_event(true, kUnservedEvent, unserved_note(observed_.resource),
              std::string(kUnservedOccasion));
  }

  // The observed state is admitted: later changes are compared with it.
  void write_record() {
    if (!settings_.keeps_record) return;
    const bool is_admitted = observed_.verdict.is_valid() && observed_.change.is_valid();
    const std::string& spec = is_admitted ? observed_.immutable_part : observed_.pending;
    const bool is_recorded = observed_.record.state == RecordState::kRead &&
                             (!is_admitted || observed_.record.spec == spec);
    if (is_recorded) return;
    const std::string text = spec.empty() ? "" : record_text(observed_.object, spec);
    // If the new record is too large, the previous one must be removed, so that it is not compared
    // with later changes.
    if (text.empty()) {
      if (is_admitted && observed_.record.state == RecordState::kRead) add_record("");
      return;
    }
    // An existing record is always updated at once: a stale one would give wrong findings.
    if (observed_.record.state == RecordState::kAbsent && !observed_.is_record_due) {
      plan_.pending = spec;
      return;
    }
    add_record(text);
  }

  // At the observed version, unless the status is written before it. "" removes an existing record.
  void add_record(const std::string& text) {
    Target recorded = target();
    const bool is_alone = std::ranges::none_of(plan_.actions, [](const Action& each) {
      return action_kind_of(each) == ActionKind::kApply;
    });
    if (is_alone) recorded.resource_version = observed_.object.resource_version();
    std::string body;
    json::Writer writer(body);
    writer.start_object();
    kube::ApplyHeader header{.key = kube::key_of(observed_.object),
                             .uid = recorded.uid,
                             .resource_version = recorded.resource_version};
    if (!text.empty()) header.annotations = {{std::string(kRecordAnnotation), text}};
    kube::write_apply_header(writer, observed_.resource, header);
    writer.end_object();
    plan_.actions.push_back(reconciler::apply(recorded, std::move(body)));
  }

  Target target() const {
    return {.resource = observed_.resource,
            .namespace_name = std::string(observed_.object.namespace_name()),
            .name = std::string(observed_.object.name()),
            .uid = std::string(observed_.object.uid())};
  }

  void add_event(bool is_warning, std::string_view reason, std::string_view note,
                 std::string occasion = {}) {
    EmitEvent event = reconciler::event(target(), is_warning, reason, note_of(note));
    event.occasion = std::move(occasion);
    plan_.actions.push_back(std::move(event));
  }

  const ObservedState& observed_;
  const ValidationSettings& settings_;
  const std::chrono::system_clock::time_point now_;
  const json::Value status_;
  const Conditions conditions_;
  const RecordNote note_;
  ValidationPlan plan_;
};

}  // namespace

bool has_conditions(api::Kind kind) {
  return kind != api::Kind::kScalingAdapter;
}

ValidationPlan plan(const ObservedState& observed, const ValidationSettings& settings,
                    std::chrono::system_clock::time_point now) {
  return Planner(observed, settings, now).run();
}

}  // namespace dynamo::reconciler::validation
