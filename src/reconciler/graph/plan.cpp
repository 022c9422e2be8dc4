#include "reconciler/graph/plan.hpp"

#include <algorithm>
#include <array>
#include <cstdint>
#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "api/kinds/objects.hpp"
#include "desired/action.hpp"
#include "desired/desired_objects_plan.hpp"
#include "desired/graph_cliques.hpp"
#include "desired/graph_pathway.hpp"
#include "desired/graph_services.hpp"
#include "desired/kinds.hpp"
#include "desired/object_diff.hpp"
#include "desired/observed_objects.hpp"
#include "desired/status_write.hpp"
#include "json/sorted_members.hpp"
#include "json/writer.hpp"
#include "kube/object/conditions.hpp"
#include "kube/object/object.hpp"
#include "kube/object/object_meta.hpp"
#include "manifests/desired_objects.hpp"
#include "manifests/secret.hpp"
#include "reconciler/graph/prerequisites.hpp"
#include "render/document/well_known.hpp"

namespace dynamo::reconciler::graph {
namespace {

constexpr std::string_view kReady = "Ready";
constexpr std::string_view kFailedReason = "failed_to_reconcile_the_resources";
constexpr std::string_view kNotReadyReason = "some_resources_are_not_ready";
constexpr std::chrono::seconds kLookAgain{60};
constexpr std::string_view kComponentChanged = "UpdateDynamoComponentDeployment";

bool is_waiting(const Problem& problem) {
  return problem.kind == Problem::Kind::kWaiting;
}

std::string joined(const std::vector<Problem>& problems) {
  constexpr std::size_t kMaxReported = 5;
  std::string text;
  for (std::size_t i = 0; i < std::min(problems.size(), kMaxReported); ++i) {
    text += (text.empty() ? "" : "; ") + problems[i].message;
  }
  if (problems.size() <= kMaxReported) return text;
  return text + "; and " + std::to_string(problems.size() - kMaxReported) + " more";
}

bool is_orphan(const kube::Object& adapter, const kube::Object& graph) {
  const json::Value labels = adapter.root()["metadata"]["labels"];
  if (labels[render::label::kGraph].string_or_empty() != graph.name()) return false;
  const std::string_view service =
      adapter.root()["spec"]["dgdRef"]["serviceName"].string_or_empty();
  return !graph.root()["spec"]["services"][service].exists();
}

// Deletes adapters that carry the graph's label and scale a service it does not have, including
// those created by hand: they have no effect. Skips names that `plan` has added, which that plan
// decides, and adapters that another object controls.
void remove_orphans(const kube::Object& graph, const Owner& owner, const ObservedObjects& objects,
                    const DesiredObjectsPlan& plan, std::vector<Action>& actions) {
  const ManagedKind* const kind = find_managed_kind(kAdapterKind);
  for (const auto& [name, adapter] : objects.all(kAdapterKind)) {
    if (kube::is_terminating(adapter) || !is_orphan(adapter, graph)) continue;
    // The plan has already processed the graph's own names.
    if (plan.is_added_or_kept(kAdapterKind, name)) continue;
    if (kube::controller_of(adapter) && !is_ours(adapter, owner)) continue;
    Delete removed = remove(target_of(kind->resource, owner.namespace_name, name, &adapter));
    removed.is_independent = true;
    actions.push_back(std::move(removed));
    actions.push_back(event_of_write(
        target_of(owner.resource, owner.namespace_name, owner.name, &graph), "AdapterDeleted",
        "Deleted scaling adapter " + name + ", whose service does not exist"));
  }
}

class Planner {
 public:
  explicit Planner(const ObservedState& observed)
      : observed_(observed),
        graph_{observed.object.root()},
        owner_{.resource = kGraphs,
               .namespace_name = observed.object.namespace_name(),
               .name = observed.object.name(),
               .uid = observed.object.uid()},
        desired_objects_(owner_, observed.objects, plan_.actions),
        before_(kube::Conditions::read(graph_.status()["conditions"])),
        now_(before_) {}

  Plan run() {
    if (kube::is_terminating(observed_.object)) {
      // Garbage collection by owner references deletes the owned objects.
      drop_finalizer(kGraphs, observed_.object, plan_.actions);
      return std::move(plan_);
    }
    keep_finalizer(kGraphs, observed_.object, plan_.actions);
    if (!observed_.errors.empty()) return refuse();
    if (is_refused(before_, kReady)) {
      plan_.actions.push_back(event(self(), false, kValidationPassed, "every rule holds again"));
    }
    if (observed_.leaves_grove) return refuse_leaving();
    report_of_grove();
    add_desired_objects();
    return report_state();
  }

  Plan run_unread(const std::string& why) {
    set("failed", kFailedReason, why);
    return end(PlanOutcome::kRetry, why);
  }

  Plan run_after_failure(const std::string& why) {
    if (kube::is_terminating(observed_.object)) return end(PlanOutcome::kRetry, why);
    set("failed", kFailedReason, why);
    if (observed_.errors.empty() && !observed_.leaves_grove) report_what_came_before();
    return end(PlanOutcome::kRetry, why);
  }

 private:
  Target self() const {
    return target_of(kGraphs, owner_.namespace_name, owner_.name, &observed_.object);
  }
  Plan end(PlanOutcome outcome, std::string why) {
    plan_.outcome = outcome;
    plan_.why = std::move(why);
    write();
    return std::move(plan_);
  }

  void set(std::string_view state, std::string_view reason, std::string message) {
    state_ = state;
    const bool ready = state == "successful";
    now_.set({.type = std::string(kReady),
              .status = ready ? kube::ConditionStatus::kTrue : kube::ConditionStatus::kFalse,
              .reason = std::string(reason),
              .message = std::move(message),
              .observed_generation = kube::generation_of(observed_.object),
              .transition = {}},
             observed_.now);
  }

  Plan refuse() {
    std::string message;
    for (const std::string& error : observed_.errors) {
      message += message.empty() ? error : "; " + error;
    }
    set("failed", kValidationFailed, message);
    if (!is_refusal_reported(before_, kReady, observed_.object)) {
      EmitEvent failed = event(self(), true, kValidationFailed, message);
      failed.occasion = occasion_of_generation("graph", kube::generation_of(observed_.object));
      plan_.actions.push_back(std::move(failed));
    }
    return end(PlanOutcome::kRefused, message);
  }

  // After a failed write of an owned object: keep what the plan determines before or without those
  // objects.
  void report_what_came_before() {
    note_grove();
    const render::DesiredObjects objects = desired_objects_of_graph();
    const std::optional<MissingPrerequisite> missing =
        find_missing_prerequisite(observed_, objects);
    const std::size_t count = missing ? missing->before : objects.items.size();
    const auto come_to = std::span(objects.items).first(count);
    checkpoints_known_ = std::ranges::any_of(come_to, is_adapter) &&
                         are_all_checkpoints_observed(graph_, observed_.objects);
  }

  // Reported once, by its event.
  void report_of_grove() {
    note_grove();
    const kube::Condition* const condition = now_.find(kByGrove);
    if (condition == nullptr || !is_news(before_, now_, kByGrove)) return;
    plan_.actions.push_back(event(self(), true, "GroveNotUsed", condition->message));
  }

  void note_grove() {
    if (!observed_.avoids_grove) {
      now_.remove(kByGrove);
      return;
    }
    const std::string message =
        "metadata.annotations[nvidia.com/enable-grove]: must be \"false\" for a graph that must "
        "stay unchanged: Grove was installed after its components, which keep running without "
        "it; to run on Grove the graph must be recreated";
    now_.set({.type = std::string(kByGrove),
              .status = kube::ConditionStatus::kFalse,
              .reason = "ComponentsRunAlready",
              .message = message,
              .observed_generation = kube::generation_of(observed_.object),
              .transition = {}},
             observed_.now);
  }

  Plan refuse_leaving() {
    const std::string message = refusal_of_leaving(graph_);
    set("failed", "pathway_cannot_change", message);
    return end(PlanOutcome::kRefused, message);
  }

  render::Pathway pathway() const { return observed_.environment.profile.pathway; }

  // Grove copies replica counts from the set only when it creates the cliques.
  void scale_cliques() {
    const json::Value services = graph_.services();
    for (const json::Member& service : json::sorted_members(services)) {
      const std::optional<std::int64_t> wanted = service.value["replicas"].integer();
      if (!wanted) continue;
      const std::string name = clique_name(owner_.name, service.name);
      const std::string_view kind = clique_resource_of(service.value).kind;
      const auto scale = std::ranges::find_if(observed_.scales, [&](const ObservedScale& each) {
        return each.resource.kind == kind && each.name == name;
      });
      if (scale == observed_.scales.end() || scale->replicas == *wanted) continue;
      Target target = target_of(scale->resource, owner_.namespace_name, name, nullptr);
      target.uid = scale->uid;
      plan_.actions.push_back(scale_to(target, *wanted));
    }
  }

  render::DesiredObjects desired_objects_of_graph() {
    render::RenderEnvironment environment = observed_.environment;
    restart_ = restart_of(graph_, owner_.uid, observed_.objects, pathway());
    environment.restarts = restart_.marks;
    return render::desired_objects_of(graph_, owner_.namespace_name, environment);
  }

  static bool is_adapter(const render::DesiredObject& desired) {
    return desired.kind == kAdapterKind;
  }

  void add_desired_objects() {
    const render::DesiredObjects objects = desired_objects_of_graph();
    const std::optional<MissingPrerequisite> missing =
        find_missing_prerequisite(observed_, objects);
    const std::size_t count = missing ? missing->before : objects.items.size();
    // Every graph that reaches this point has adapters in its list, wanted or not.
    bool past_adapters = false;
    all_added_ = !missing && !objects.refused;
    for (std::size_t i = 0; i < count; ++i) {
      const render::DesiredObject& desired = objects.items[i];
      if (desired.kind == "Secret") create_mpi_source();
      const std::optional<Problem::Kind> obstacle = desired_objects_.add(desired);
      if (desired.kind == kPodCliqueSets.kind && !obstacle) scale_cliques();
      report_generated_key(desired);
      // Pods would run with the account and permissions of another owner.
      if (obstacle == Problem::Kind::kTaken && is_right(desired.kind)) {
        all_added_ = false;
        break;
      }
      past_adapters = past_adapters || is_adapter(desired);
    }
    report_changed_services();
    // After the components, so that a refusal of a deletion here blocks none of them.
    if (past_adapters) {
      remove_orphans(observed_.object, owner_, observed_.objects, desired_objects_, plan_.actions);
    }
    checkpoints_known_ = past_adapters;
    if (missing) {
      desired_objects_.note(missing->problem);
    } else if (objects.refused) {
      desired_objects_.note(
          {Problem::Kind::kRefused, objects.refused->path + ": " + objects.refused->reason});
    }
  }

  // Before its copy: if another graph has just created it with another key, the copy must wait.
  void create_mpi_source() {
    const std::string& where = observed_.new_mpi_source_namespace;
    if (where.empty()) return;
    const render::DesiredObject source =
        render::build_generated_secret(observed_.environment.mpi_secret_source, where);
    plan_.actions.push_back(
        create(target_of(kube::kSecrets, where, source.name, nullptr), source.manifest));
    plan_.actions.push_back(event_of_write(self(), "MpiKeyCreated",
                                           "Secret " + where + "/" + source.name +
                                               ": created with an SSH key pair for MPI that all "
                                               "namespaces with a copy share"));
  }

  void report_generated_key(const render::DesiredObject& desired) {
    if (desired.kind != "Secret" || !observed_.environment.mpi_secret_is_generated) return;
    if (!desired_objects_.writes(desired.kind, desired.name)) return;
    plan_.actions.push_back(event_of_write(self(), "MpiKeyCreated",
                                           "Secret " + desired.name +
                                               ": created with an SSH key pair for MPI that only "
                                               "this namespace has"));
  }

  static bool is_right(std::string_view kind) {
    return kind == "ServiceAccount" || kind == "Role" || kind == "RoleBinding";
  }

  // Pods mount it, even if the graph did not create it.
  void keep_referenced_configs() {
    const json::Value services = graph_.services();
    for (const json::Member& service : services.members()) {
      const json::Value reference = service.value["eppConfig"]["configMapRef"];
      desired_objects_.keep("ConfigMap", reference["name"].string_or_empty());
    }
  }

  // Another operator left them when it moved the graph to Grove; their pods may still serve.
  void keep_components_of_another_pathway() {
    if (!is_run_by_grove(graph_, pathway())) return;
    for (const auto& [name, component] : observed_.objects.all(kComponents.kind)) {
      desired_objects_.keep(kComponents.kind, name);
    }
  }

  // Events on the graph list what rolls, so users need not know its components.
  void report_changed_services() {
    std::vector<Action> all;
    const json::Value services = graph_.services();
    for (Action& action : plan_.actions) {
      all.push_back(std::move(action));
      const auto* const changed = std::get_if<EmitEvent>(&all.back());
      if (changed == nullptr || changed->reason != kComponentChanged) continue;
      const std::size_t changes = changed->note.find(": ");
      if (changes == std::string::npos) continue;
      const std::string name = changed->regarding.name;
      const std::string what = changed->note.substr(changes);
      for (const json::Member service : services.members()) {
        if (component_name(owner_.name, service.name) != name) continue;
        all.push_back(event_of_write(self(), "ServiceChanged",
                                     "Service " + std::string(service.name) + what));
      }
    }
    plan_.actions = std::move(all);
  }

  // A problem of one object does not affect the others: unwanted objects are removed, and running
  // ones are counted. If the reconcile stopped before the last object, both are unknown.
  void look_at_all() {
    if (!all_added_) return;
    keep_referenced_configs();
    keep_components_of_another_pathway();
    desired_objects_.clean_up(&ManagedKind::of_graph);
    service_readiness_ =
        service_readiness_of(graph_, owner_.uid, observed_.objects, desired_objects_, pathway());
    services_known_ = true;
  }

  Plan report_state() {
    look_at_all();
    const std::vector<Problem>& problems = desired_objects_.problems();
    const auto hard = std::ranges::find_if_not(problems, is_waiting);
    if (hard != problems.end()) {
      const bool taken = hard->kind == Problem::Kind::kTaken;
      const std::string message = joined(problems);
      set("failed", taken ? "name_is_taken" : kFailedReason, message);
      if (hard->kind == Problem::Kind::kRefused) return end(PlanOutcome::kRetry, message);
      plan_.pause = kLookAgain;
      return end(PlanOutcome::kWait, message);
    }
    if (!problems.empty()) {
      const std::string message = joined(problems);
      set("pending", kNotReadyReason, message);
      plan_.pause = kLookAgain;
      return end(PlanOutcome::kWait, message);
    }
    if (service_readiness_.ready) {
      set("successful", "all_resources_are_ready", service_readiness_.message);
    } else {
      set("pending", kNotReadyReason, service_readiness_.message);
    }
    return end(PlanOutcome::kDone, {});
  }

  static void write_map(json::Writer& out, std::string_view name, const std::string& text) {
    constexpr std::string_view kEmpty = "{}";
    if (text != kEmpty) out.key(name).raw(text);
  }

  void write_restart(json::Writer& out) const {
    if (!restart_.status) return;
    out.key("restart").start_object().member("observedID", restart_.status->id);
    out.member("phase", restart_.status->phase);
    if (!restart_.status->in_progress.empty()) {
      out.key("inProgress").start_array();
      for (const std::string& service : restart_.status->in_progress) out.string(service);
      out.end_array();
    }
    out.end_object();
  }

  // Writes what this reconcile has determined; nothing if it stopped before.
  void write() {
    if (state_.empty()) return;
    std::vector<std::string_view> names = {"state", "conditions"};
    std::string status;
    json::Writer out(status);
    out.start_object().member("state", state_).key("conditions");
    now_.write(out);
    if (checkpoints_known_) {
      names.push_back("checkpoints");
      write_map(out, "checkpoints", checkpoint_status(graph_, observed_.objects));
    }
    if (services_known_) {
      names.push_back("services");
      write_map(out, "services", service_readiness_.counted);
      names.push_back("restart");
      write_restart(out);
    }
    out.end_object();
    write_status(kGraphs, observed_.object, status, names, plan_.actions);
  }

  const ObservedState& observed_;
  const api::GraphDeployment graph_;
  const Owner owner_;
  Plan plan_;
  DesiredObjectsPlan desired_objects_;
  const kube::Conditions before_;
  kube::Conditions now_;
  Restart restart_;
  ServiceReadiness service_readiness_;
  std::string state_;
  bool checkpoints_known_ = false;
  bool services_known_ = false;
  bool all_added_ = false;  // all desired objects were added
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

}  // namespace dynamo::reconciler::graph
