#include "reconciler/component/plan.hpp"

#include <algorithm>
#include <array>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "api/kind.hpp"
#include "api/kinds/objects.hpp"
#include "desired/action.hpp"
#include "desired/desired_objects_plan.hpp"
#include "desired/kinds.hpp"
#include "desired/status_write.hpp"
#include "json/parser.hpp"
#include "json/writer.hpp"
#include "kube/object/conditions.hpp"
#include "kube/object/object_meta.hpp"
#include "manifests/desired_objects.hpp"
#include "reconciler/component/workload.hpp"
#include "text/base64.hpp"

namespace dynamo::reconciler::component {
namespace {

constexpr std::string_view kValid = "Valid";
constexpr std::string_view kAvailable = "Available";
constexpr std::string_view kReady = "DynamoComponentReady";
constexpr std::chrono::seconds kLookAgain{60};
constexpr std::array<std::string_view, 3> kOfPods = {"Deployment", "LeaderWorkerSet", "PodGroup"};

bool runs_pods(std::string_view kind) {
  return std::ranges::find(kOfPods, kind) != kOfPods.end();
}

std::string_view reason_of(Problem::Kind kind) {
  switch (kind) {
    case Problem::Kind::kTaken:
      return "NameTaken";
    case Problem::Kind::kWaiting:
      return "WaitingForDeletion";
    case Problem::Kind::kNotServed:
    case Problem::Kind::kMissing:
    case Problem::Kind::kRefused:
      break;
  }
  return "Reconciling";
}

// Deletes keys up to `end`, exclusive; a single key if `end` is empty.
void write_deletion(json::Writer& out, std::string_view key, std::string_view end) {
  out.start_object().key("request_delete_range").start_object();
  out.member("key", text::encode_base64(key));
  if (!end.empty()) out.member("range_end", text::encode_base64(end));
  out.end_object().end_object();
}

// Adds the call that deletes the keys that the component's pods left in etcd, if discovery uses
// etcd and its address is known. Adds an event instead if others use the same keys.
void delete_etcd_keys(const ObservedState& observed, std::vector<Action>& actions) {
  const json::Value spec = observed.object.root()["spec"];
  const std::string_view space = spec["dynamoNamespace"].string_or_empty();
  const std::string_view service = spec["serviceName"].string_or_empty();
  const bool through_etcd =
      observed.environment.profile.discovery == render::DiscoveryBackend::kEtcd;
  if (!through_etcd || observed.etcd_url.empty() || space.empty() || service.empty()) return;
  if (!observed.keep_keys_reason.empty()) {
    actions.push_back(
        event(target_of(kComponents, observed.object.namespace_name(), observed.object.name(),
                        &observed.object),
              true, "EtcdNotCleaned",
              "its keys stay in etcd until their leases end: " + observed.keep_keys_reason));
    return;
  }
  const std::string prefix = "/" + std::string(space) + "/components/" + std::string(service);
  // Deletes the component's own key and all keys below it in one transaction, but not those of a
  // service whose name starts with this one.
  std::string text;
  json::Writer out(text);
  out.start_object().key("success").start_array();
  write_deletion(out, prefix, {});
  write_deletion(out, prefix + '/', prefix + static_cast<char>('/' + 1));
  out.end_array().end_object();
  actions.push_back(http_call("POST", observed.etcd_url + "/v3/kv/txn", std::move(text)));
}

class Planner {
 public:
  explicit Planner(const ObservedState& observed)
      : observed_(observed),
        root_(observed.object.root()),
        owner_{.resource = kComponents,
               .namespace_name = observed.object.namespace_name(),
               .name = observed.object.name(),
               .uid = observed.object.uid()},
        desired_objects_(owner_, observed.objects, plan_.actions),
        before_(kube::Conditions::read(root_["status"]["conditions"])),
        now_(before_) {}

  Plan run() {
    if (kube::is_terminating(observed_.object)) return end_of_life();
    if (!observed_.errors.empty()) return refuse();
    if (is_refused(before_, kValid)) {
      plan_.actions.push_back(event(self(), false, kValidationPassed, "every rule holds again"));
    }
    set_valid();
    keep_finalizer(kComponents, observed_.object, plan_.actions);
    const render::DesiredObjects objects = render::desired_objects_of(
        api::ComponentDeployment{root_}, observed_.object.namespace_name(), observed_.environment);
    bool pods_are_held_up = false;
    for (const render::DesiredObject& desired : objects.items) {
      const bool held_up = desired_objects_.add(desired).has_value();
      pods_are_held_up = pods_are_held_up || (held_up && runs_pods(desired.kind));
    }
    if (objects.refused) {
      // The state of the objects after the refused one is unknown.
      desired_objects_.note(
          {Problem::Kind::kRefused, objects.refused->path + ": " + objects.refused->reason});
      return stop_at(desired_objects_.problems(), nullptr);
    }
    if (pods_are_held_up) keep_other_workloads(objects);
    desired_objects_.clean_up(&ManagedKind::of_component);
    if (pods_are_held_up) return stop_at(desired_objects_.problems(), nullptr);
    const WorkloadStatus workload = workload_of(observed_, objects, desired_objects_);
    if (!desired_objects_.problems().empty())
      return stop_at(desired_objects_.problems(), &workload);
    if (!workload.ready && !observed_.missing.empty()) return wait_for_missing(workload);
    if (!workload.ready && observed_.is_missing_unknown && was_missing()) return wait_longer();
    report_workload(workload);
    return std::move(plan_);
  }

  Plan run_unread(const std::string& why) {
    fail("Reconciling", why, nullptr);
    return end(PlanOutcome::kRetry, why);
  }

  Plan run_after_failure(const std::string& why) {
    if (kube::is_terminating(observed_.object)) {
      drop_finalizer(kComponents, observed_.object, plan_.actions);
    } else {
      if (!observed_.errors.empty()) return write_refusal(why);
      set_valid();
      fail("Reconciling", why, nullptr);
    }
    return end(PlanOutcome::kRetry, why);
  }

 private:
  Target self() const {
    return target_of(kComponents, owner_.namespace_name, owner_.name, &observed_.object);
  }
  Plan end(PlanOutcome outcome, std::string why) {
    plan_.outcome = outcome;
    plan_.why = std::move(why);
    return std::move(plan_);
  }
  void set(std::string_view type, bool is_true, std::string_view reason, std::string message) {
    now_.set({.type = std::string(type),
              .status = is_true ? kube::ConditionStatus::kTrue : kube::ConditionStatus::kFalse,
              .reason = std::string(reason),
              .message = std::move(message),
              .observed_generation = kube::generation_of(observed_.object),
              .transition = {}},
             observed_.now);
  }

  Plan end_of_life() {
    if (!kube::has_finalizer(observed_.object, api::kFinalizer)) return std::move(plan_);
    delete_etcd_keys(observed_, plan_.actions);
    drop_finalizer(kComponents, observed_.object, plan_.actions);
    return std::move(plan_);
  }

  void set_valid() { set(kValid, true, kValidationPassed, "The operator's rules found no error"); }
  std::string set_invalid() {
    std::string message;
    for (const std::string& error : observed_.errors) {
      message += message.empty() ? error : "; " + error;
    }
    set(kValid, false, kValidationFailed, message);
    return message;
  }

  // In such a reconcile, only this write can have failed.
  Plan write_refusal(const std::string& why) {
    set_invalid();
    write(nullptr, false);
    return end(PlanOutcome::kRetry, why);
  }

  Plan refuse() {
    const std::string message = set_invalid();
    if (!is_refusal_reported(before_, kValid, observed_.object)) {
      EmitEvent failed = event(self(), true, kValidationFailed, message);
      failed.occasion = occasion_of_generation("component", kube::generation_of(observed_.object));
      plan_.actions.push_back(std::move(failed));
    }
    write(nullptr, false);
    return end(PlanOutcome::kRefused, message);
  }

  // The running pods are not those of the spec, so observedGeneration is not updated. Previous
  // counts stay until they can be counted again.
  void fail(std::string_view reason, const std::string& message, const WorkloadStatus* workload) {
    set(kAvailable, false, reason, message);
    if (is_news(before_, now_, kAvailable)) {
      plan_.actions.push_back(event(self(), true, "ReconcileError", message));
    }
    write(workload, false);
  }

  // Running workloads of other kinds stay until the desired one can be created.
  void keep_other_workloads(const render::DesiredObjects& objects) {
    for (const std::string_view kind : kOfPods) {
      const auto is_asked_for = [kind](const render::DesiredObject& desired) {
        return desired.wanted && desired.kind == kind;
      };
      if (std::ranges::any_of(objects.items, is_asked_for)) continue;
      for (const auto& [name, live] : observed_.objects.all(kind))
        desired_objects_.keep(kind, name);
    }
  }

  // Problems that resolve with time are reported only if there is no worse one. `workload`: the
  // counted status; null if pods are blocked, or the plan stopped earlier.
  Plan stop_at(const std::vector<Problem>& problems, const WorkloadStatus* workload) {
    const auto hard = std::ranges::find_if(
        problems, [](const Problem& problem) { return problem.kind != Problem::Kind::kWaiting; });
    const Problem& first = hard == problems.end() ? problems.front() : *hard;
    std::string message = first.message;
    if (problems.size() > 1) message += "; and " + std::to_string(problems.size() - 1) + " more";
    fail(reason_of(first.kind), message, workload);
    // A watch reports the deletion of the blocking object, but a missing object may be of an
    // unwatched kind, so check again later.
    if (first.kind == Problem::Kind::kRefused) return end(PlanOutcome::kRetry, message);
    plan_.pause = kLookAgain;
    return end(PlanOutcome::kWait, message);
  }

  bool was_missing() const {
    const auto* const before = before_.find(kAvailable);
    return before != nullptr && before->reason == kObjectMissing;
  }
  // Keeps the reported status.
  Plan wait_longer() {
    plan_.pause = kLookAgain;
    return end(PlanOutcome::kWait, "objects that it names could not be looked up");
  }

  // Reports a missing object. No watch shows when it appears, so check again later.
  Plan wait_for_missing(WorkloadStatus workload) {
    workload.reason = kObjectMissing;
    workload.message = describe_missing(observed_.missing);
    if (!workload.refusal.empty()) workload.message += "; " + workload.refusal;
    report_workload(workload);
    if (is_news(before_, now_, kAvailable)) {
      plan_.actions.push_back(event(self(), true, kObjectMissing, workload.message));
    }
    plan_.pause = kLookAgain;
    plan_.outcome = PlanOutcome::kWait;
    plan_.why = workload.message;
    return std::move(plan_);
  }

  void report_workload(const WorkloadStatus& workload) {
    set(kAvailable, workload.ready, workload.reason, workload.message);
    set(kReady, workload.ready, workload.ready ? "ComponentReady" : "ComponentNotReady",
        workload.message);
    write(&workload, true);
  }

  // `workload`: the counts; null if only conditions are written. `is_reached`: the owned objects
  // match this generation.
  void write(const WorkloadStatus* workload, bool is_reached) {
    std::vector<std::string_view> names = {"conditions"};
    std::string status;
    json::Writer out(status);
    out.start_object().key("conditions");
    now_.write(out);
    if (workload != nullptr) {
      names.push_back("service");
      if (!workload->service.empty()) out.key("service").raw(workload->service);
    }
    if (is_reached) {
      names.push_back("observedGeneration");
      out.key("observedGeneration").integer(kube::generation_of(observed_.object));
    }
    out.end_object();
    write_status(kComponents, observed_.object, status, names, plan_.actions);
  }

  const ObservedState& observed_;
  const json::Value root_;
  const Owner owner_;
  Plan plan_;
  DesiredObjectsPlan desired_objects_;
  const kube::Conditions before_;
  kube::Conditions now_;
};

}  // namespace

Plan plan(const ObservedState& observed) {
  return Planner(observed).run();
}

Plan plan_after_failure(const ObservedState& observed, const std::string& why) {
  return Planner(observed).run_after_failure(why);
}

Plan plan_after_read_failure(const ObservedState& observed, const std::string& why) {
  return Planner(observed).run_unread(why);
}

}  // namespace dynamo::reconciler::component
