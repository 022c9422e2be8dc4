// Creates the profiling Job of a request, follows it, and reads its result.
#include <chrono>
#include <optional>
#include <set>
#include <string>
#include <utility>

#include "api/kind.hpp"
#include "desired/action.hpp"
#include "desired/desired_objects_plan.hpp"
#include "desired/object_diff.hpp"
#include "json/parser.hpp"
#include "kube/object/conditions.hpp"
#include "kube/object/object_meta.hpp"
#include "manifests/desired_objects.hpp"
#include "manifests/profiling_config.hpp"
#include "reconciler/request/diagnosis.hpp"
#include "reconciler/request/generated.hpp"
#include "reconciler/request/plan.hpp"
#include "reconciler/request/planner.hpp"
#include "render/component/names.hpp"
#include "text/names.hpp"
#include "text/presentable.hpp"
#include "text/quoted.hpp"

namespace dynamo::reconciler::request {
namespace {

// For a Job that no watch covers.
constexpr std::chrono::seconds kUnwatchedPause{10};

bool has_no_name(json::Value object) {
  const json::Value name = object["metadata"]["name"];
  return name.is_nothing() || name.string() == "";
}

}  // namespace

std::string Planner::job_name() const {
  return render::profiling_job_name(owner_.name).str();
}

std::string Planner::output_name() const {
  return render::profiling_output_name(owner_.name).str();
}

const kube::Object* Planner::live_job() const {
  return observed_.objects.find("Job", job_name());
}

bool Planner::controls(const kube::Object& job) const {
  const auto controller = kube::controller_of(job);
  return controller && controller->uid == owner_.uid;
}

std::string Planner::running_message() const {
  return "the profiling Job " + job_name() + " runs; its result follows when it is complete";
}

Plan Planner::start_job() {
  if (is_edited(observed_.object) && !observed_.errors.empty()) return refuse();
  if (const auto refused = render::refusal_of_config(request_)) {
    return fail_for_good(kProfiling, kJobCreationFailed, kJobFailed,
                         refused->path + ": " + refused->reason);
  }
  // Nothing else was observed.
  if (!observed_.has_free_slot) return wait_for_slot();
  const render::DesiredObjects desired =
      render::desired_objects_of(request_, owner_.namespace_name, observed_.environment);
  if (desired.refused) {
    return hold_back(kJobCreationFailed, desired.refused->path + " " + desired.refused->reason);
  }
  if (const std::string missing = missing_role(); !missing.empty()) {
    return hold_back(kJobCreationFailed, missing);
  }
  ObjectDiff job = diff_object(desired.items.back(), owner_, observed_.objects);
  const bool is_free = job.live == nullptr || job.step == Step::kWait || controls(*job.live);
  if (!is_free && job.step != Step::kTaken) {
    job = {.step = Step::kTaken, .live = job.live, .note = "an object without a controller"};
  }
  const bool is_taken = job.step == Step::kTaken;
  if (is_taken || job.step == Step::kWait) {
    Plan held = hold_back(is_taken ? "NameTaken" : "WaitingForDeletion",
                          "Job " + job_name() + " " + obstacle_of(job));
    const bool is_watched = job.live->root()["metadata"]["labels"][kJobLabel].exists();
    if (!is_watched) held.pause = kUnwatchedPause;
    return held;
  }
  if (job.step == Step::kCreate) {
    if (auto problem = create_job(desired, job)) return hold_back(kJobCreationFailed, *problem);
  }
  set_false(kProfiling, "ProfilingRunning", running_message());
  now_.remove(kValidation);
  set_state(states::kProfiling);
  set_observed_generation();
  if (is_edited(observed_.object)) set_member("backend", json_text(request_.backend()));
  write();
  emit(false, "ProfilingJobCreated", "the profiling Job " + job_name() + " was created");
  return next();
}

std::optional<std::string> Planner::create_job(const render::DesiredObjects& desired,
                                               const ObjectDiff& job) {
  // The result of an earlier Job must not be mistaken for that of this one, by any client.
  const kube::Object* const old = observed_.objects.find("ConfigMap", output_name());
  if (old != nullptr && !kube::is_terminating(*old)) {
    plan_.actions.push_back(
        remove(target_of(kube::kConfigMaps, owner_.namespace_name, old->name(), old)));
  }
  DesiredObjectsPlan access(owner_, observed_.objects, plan_.actions);
  for (const render::DesiredObject& each : desired.items) {
    if (each.wanted && each.kind != "Job") access.add(each);
  }
  if (!access.problems().empty()) return access.problems().front().message;
  const Target target =
      target_of(find_managed_kind("Job")->resource, owner_.namespace_name, job_name(), nullptr);
  // Never an apply: that would change another Job of the name, and no Job can be changed.
  plan_.actions.push_back(create(target, job.body));
  plan_.actions.push_back(event_of_write(target, "CreateJob", "Created Job " + job_name()));
  return std::nullopt;
}

std::string Planner::missing_role() const {
  const std::string& role = observed_.environment.profiling_cluster_role;
  const bool is_needed = !observed_.environment.namespace_restricted && !role.empty();
  if (!is_needed || observed_.objects.find("ClusterRole", role) != nullptr) return {};
  return "there must be a ClusterRole " + text::quoted(role, kMaxQuotedText) +
         " for the profiling Job (--dgdr-profiling-cluster-role-name); found none";
}

Plan Planner::hold_back(std::string_view reason, const std::string& why) {
  set_false(kProfiling, reason, why);
  write_and_warn(kProfiling, kJobFailed, why);
  return wait(why);
}

Plan Planner::wait_for_slot() {
  // The message names no count, which changes all the time.
  set_false(kProfiling, "WaitingForProfilingSlot",
            "at most " + std::to_string(observed_.max_jobs) +
                " profiling Jobs may run at once (--max-profiling-jobs), and as many do: the "
                "Job is created when one of them ends");
  write();
  return wait("as many profiling Jobs run as --max-profiling-jobs allows");
}

Plan Planner::fail_for_good(std::string_view type, std::string_view condition_reason,
                            std::string_view event_reason, const std::string& why) {
  set_false(type, condition_reason, why);
  set_state(states::kFailed);
  write();
  warn(event_reason, why);
  return next();
}

Plan Planner::profile() {
  const kube::Object* const job = live_job();
  if (job == nullptr) {
    return fail_profiling("there must be a Job " + job_name() +
                          "; found none: it was deleted before its result was read");
  }
  // A Job without any owner counts, as in the first operators: a restored backup may lack owners.
  const auto owners = kube::owners_of(*job);
  if (!owners.empty() && !controls(*job)) {
    const auto controller = kube::controller_of(*job);
    const kube::OwnerReference& other = controller ? *controller : owners.front();
    return fail_profiling("Job " + job_name() +
                          " must have this request as its controller; found one of " + other.kind +
                          " " + other.name);
  }
  switch (job_state_of(*job)) {
    case JobState::kFailed: {
      std::string why = "the profiling Job " + job_name() + " failed";
      if (const auto message = job_failure_of(*job); !message.empty()) {
        why += ": ";
        text::append_presentable(why, message, kMaxEventNote);
      }
      if (!observed_.pods.empty()) why += "; " + observed_.pods;
      return fail_profiling(why);
    }
    case JobState::kRunning:
      return report_running(*job);
    case JobState::kComplete:
      break;
  }
  return read_result();
}

Plan Planner::fail_profiling(const std::string& why) {
  return fail_for_good(kProfiling, "ProfilingFailed", "ProfilingCheckFailed", why);
}

Plan Planner::report_running(const kube::Object& job) {
  const kube::Condition* const old = before_.find(kProfiling);
  std::string message = is_suspended(job) ? "the profiling Job " + job_name() +
                                                " is suspended: it runs when its spec.suspend is "
                                                "no longer true"
                                          : running_message();
  if (!observed_.pods.empty()) message += "; " + observed_.pods;
  if (message == running_message() && old == nullptr) return std::move(plan_);
  const bool was_held_up = old != nullptr && old->message != running_message();
  set_false(kProfiling, "ProfilingRunning", std::move(message));
  write();
  if (!observed_.pods.empty() && !was_held_up) warn("ProfilingPodWaits", observed_.pods);
  return std::move(plan_);
}

Plan Planner::read_result() {
  set_true(kProfiling, "ProfilingCompleted", "the profiling Job " + job_name() + " is complete");
  if (!observed_.extraction) return std::move(plan_);
  if (!observed_.extraction->result) return fail_generation(observed_.extraction->problem);
  const ProfilingResult& result = *observed_.extraction->result;
  const auto graph = json::parse_copy(result.graph);
  const kube::ObjectKey key = target_graph(request_, graph->root());
  const bool is_applied = applies_itself(request_);
  // A user who applies the graph can still name it.
  const bool is_unnamed = !is_applied && has_no_name(graph->root());
  if (!is_unnamed && !text::is_dns_subdomain(key.name)) {
    return fail_generation("the generated graph must have a name; found " +
                           text::quoted(key.name, kMaxQuotedText) +
                           ": set spec.deploymentOverrides.name");
  }
  if (!observed_.denial.empty()) {
    return fail_generation("the generated graph must be admitted; found " + observed_.denial);
  }
  keep_additional(result);
  if (observed_.refused_namespace.empty()) create_config_maps(result);
  set_member("profilingResults", json_text("configmap/" + output_name()));
  set_member("generatedDeployment", result.graph);
  std::string message = "the graph was generated: apply status.generatedDeployment";
  if (is_applied) message = "the graph was generated and is created next";
  if (is_unnamed) message += " with a metadata.name, which it lacks";
  const std::string namespaces = note_of_namespaces(result);
  message += namespaces;
  const std::string refused = describe_refused_objects(result);
  if (!refused.empty()) message += "; " + refused + " must be created by a user if needed";
  set_true(kSpecGenerated, "SpecGenerated", std::move(message));
  set_state(is_applied ? states::kDeploying : states::kReady);
  write();
  const std::string graph_name = is_unnamed ? "without a name" : key.name;
  emit(false, "SpecGenerated", "the graph " + graph_name + " was generated" + namespaces);
  refuse_other_kinds(result);
  report_config_maps(result);
  report_older_config_maps();
  return next();
}

std::string Planner::note_of_namespaces(const ProfilingResult& result) const {
  // Nothing is created there, which the next reconcile reports.
  if (!observed_.refused_namespace.empty()) return {};
  const std::string other = describe_other_namespaces(request_, result);
  return other.empty() ? other : "; " + other;
}

Plan Planner::fail_generation(const std::string& why) {
  return fail_for_good(kSpecGenerated, "GenerationFailed", "GenerationFailed", why);
}

void Planner::keep_additional(const ProfilingResult& result) {
  const json::Value live = root_["metadata"]["annotations"][kAdditionalResources];
  if (live.string_or_empty() == result.annotation) return;
  annotate(kAdditionalResources, result.annotation.empty() ? "null" : json_text(result.annotation));
}

void Planner::create_config_maps(const ProfilingResult& result) {
  std::set<std::string> known = observed_.existing_config_maps;
  for (const AdditionalResource& each : result.additional) {
    if (!can_be_created(each)) continue;
    if (!known.insert(each.name).second) continue;
    if (observed_.refused_config_maps.contains(each.name)) continue;
    plan_.actions.push_back(
        create(target_of(kube::kConfigMaps, target_namespace(request_), each.name, nullptr),
               config_map_manifest(request_, each)));
  }
}

void Planner::report_config_maps(const ProfilingResult& result) {
  std::string why;
  if (!result.additional.empty()) why = observed_.refused_namespace;
  for (const auto& [name, reason] : observed_.refused_config_maps) {
    if (!why.empty()) why += "; ";
    why.append("ConfigMap ").append(name).append(": ").append(reason);
  }
  if (why.empty()) return;
  warn("ConfigMapCreationFailed", "create the ConfigMaps from the annotation " +
                                      std::string(kAdditionalResources) +
                                      " if the graph needs them: " + why);
}

void Planner::report_older_config_maps() {
  if (observed_.older_config_maps.empty()) return;
  std::string names;
  for (const std::string& name : observed_.older_config_maps) {
    names += names.empty() ? name : ", " + name;
  }
  warn("ConfigMapExisted",
       "the generated ConfigMaps must be free to be created; these existed before the request and "
       "were not changed: delete them, and create them from the annotation " +
           std::string(kAdditionalResources) + ": " + names);
}

void Planner::refuse_other_kinds(const ProfilingResult& result) {
  const std::string refused = describe_refused_objects(result);
  if (refused.empty()) return;
  warn("ResourceNotCreated",
       "the profiler may generate ConfigMaps with a name next to the graph; found " + refused +
           ": create them from the annotation " + std::string(kAdditionalResources) +
           " if the graph needs them");
}

}  // namespace dynamo::reconciler::request
