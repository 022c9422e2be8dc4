#include "reconciler/request/plan.hpp"

#include <algorithm>
#include <array>
#include <map>
#include <optional>
#include <utility>
#include <vector>

#include "api/kind.hpp"
#include "api/kinds/objects.hpp"
#include "desired/action.hpp"
#include "desired/desired_objects_plan.hpp"
#include "desired/object_diff.hpp"
#include "desired/retry_annotation.hpp"
#include "desired/status_write.hpp"
#include "json/parser.hpp"
#include "json/writer.hpp"
#include "kube/object/conditions.hpp"
#include "kube/object/object_meta.hpp"
#include "manifests/desired_objects.hpp"
#include "manifests/profiling_config.hpp"
#include "reconciler/request/diagnosis.hpp"
#include "reconciler/request/generated.hpp"
#include "render/component/names.hpp"
#include "text/names.hpp"
#include "text/presentable.hpp"
#include "text/quoted.hpp"

namespace dynamo::reconciler::request {
namespace {

using kube::ConditionStatus;

constexpr std::string_view kPending = "Pending";
constexpr std::string_view kProfiling = "Profiling";
constexpr std::string_view kDeploying = "Deploying";
constexpr std::string_view kReady = "Ready";
constexpr std::string_view kDeleted = "DeploymentDeleted";
constexpr std::string_view kFailed = "Failed";

constexpr std::string_view kValidation = "Validation";
constexpr std::string_view kSpecGenerated = "SpecGenerated";
constexpr std::string_view kDeploymentReady = "DeploymentReady";
// kProfiling is also a condition.
constexpr std::array<std::string_view, 4> kOwnConditions = {kValidation, kProfiling, kSpecGenerated,
                                                            kDeploymentReady};

constexpr std::string_view kJobFailed = "ProfilingJobFailed";
constexpr std::string_view kJobCreationFailed = "JobCreationFailed";
constexpr std::string_view kCreationFailed = "DeploymentCreationFailed";
constexpr std::string_view kUnknownState = "UnknownState";
constexpr std::string_view kSuccessful = "successful";

constexpr std::chrono::seconds kPause{60};
// For a Job that no watch covers.
constexpr std::chrono::seconds kUnwatchedPause{10};
constexpr std::size_t kMaxQuotedText = 128;

std::string_view state_of(const kube::Object& request) {
  return request.root()["status"]["state"].string_or_empty();
}

std::int64_t observed_generation_of(const kube::Object& request) {
  return request.root()["status"]["observedGeneration"].integer().value_or(0);
}

// The newest generation that a failed request has reported. A request that was refused from the
// start has no observedGeneration, but its condition has one.
std::int64_t failed_generation_of(const kube::Object& request) {
  std::int64_t newest = observed_generation_of(request);
  const auto conditions = kube::Conditions::read(request.root()["status"]["conditions"]);
  for (const std::string_view type : kOwnConditions) {
    if (const kube::Condition* const found = conditions.find(type)) {
      newest = std::max(newest, found->observed_generation);
    }
  }
  return newest;
}

bool should_retry(const kube::Object& request) {
  if (has_new_retry(request)) return true;
  const std::int64_t failed = failed_generation_of(request);
  return failed > 0 && kube::generation_of(request) > failed;
}

bool has_no_name(json::Value object) {
  const json::Value name = object["metadata"]["name"];
  return name.is_nothing() || name.string() == "";
}

std::string json_text(std::string_view text) {
  std::string quoted;
  json::append_quoted(quoted, text);
  return quoted;
}

std::string named_graph(const kube::ObjectKey& key) {
  return "DynamoGraphDeployment " + to_string(key);
}

class Planner {
 public:
  explicit Planner(const ObservedState& observed)
      : observed_(observed),
        root_(observed.object.root()),
        request_(root_),
        owner_{.resource = kRequests,
               .namespace_name = observed.object.namespace_name(),
               .name = observed.object.name(),
               .uid = observed.object.uid()},
        before_(kube::Conditions::read(root_["status"]["conditions"])),
        now_(before_) {}

  Plan run() {
    const RequestStep step = step_of(observed_.object);
    if (step == RequestStep::kDelete) {
      drop_finalizer(kRequests, observed_.object, plan_.actions);
      return std::move(plan_);
    }
    keep_finalizer(kRequests, observed_.object, plan_.actions);
    // An unknown state becomes Failed, and then the retry follows.
    if (step != RequestStep::kAccept && step != RequestStep::kUnknown) ignore_retry();
    switch (step) {
      case RequestStep::kReject:
        return reject();
      case RequestStep::kAccept:
        return accept();
      case RequestStep::kStartJob:
        return start_job();
      case RequestStep::kProfile:
        return profile();
      case RequestStep::kDeploy:
        return deploy();
      case RequestStep::kFollow:
        return follow();
      case RequestStep::kUnknown:
        return refuse_state();
      case RequestStep::kDelete:
      case RequestStep::kRest:
        break;
    }
    return std::move(plan_);
  }

  Plan run_after_failure(const std::string& why) {
    switch (step_of(observed_.object)) {
      case RequestStep::kAccept:
        report_failure(kValidation, "Retrying", "ReconcileError", why);
        break;
      case RequestStep::kStartJob:
        report_failure(kProfiling, kJobCreationFailed, kJobFailed, why);
        break;
      case RequestStep::kProfile:
        report_failure(kSpecGenerated, "Retrying", "ReconcileError", why);
        break;
      case RequestStep::kDeploy:
        report_failure(kDeploymentReady, kCreationFailed, kCreationFailed, why);
        break;
      default:
        break;
    }
    return end(PlanOutcome::kRetry, why);
  }

 private:
  // --- Status and events.
  Target self() const {
    return target_of(kRequests, owner_.namespace_name, owner_.name, &observed_.object);
  }
  Plan end(PlanOutcome outcome, std::string why) {
    plan_.outcome = outcome;
    plan_.why = std::move(why);
    return std::move(plan_);
  }
  // Asks for the next step at once.
  Plan next() { return end(PlanOutcome::kWait, "the next step follows"); }
  // No watch reports the end of the obstacle.
  Plan wait(std::string why) {
    plan_.pause = kPause;
    return end(PlanOutcome::kWait, std::move(why));
  }

  void set(std::string_view type, ConditionStatus status, std::string_view reason,
           std::string message) {
    now_.set({.type = std::string(type),
              .status = status,
              .reason = std::string(reason),
              .message = std::move(message),
              .observed_generation = kube::generation_of(observed_.object),
              .transition = {}},
             observed_.now);
  }
  void set_false(std::string_view type, std::string_view reason, std::string message) {
    set(type, ConditionStatus::kFalse, reason, std::move(message));
  }
  void set_true(std::string_view type, std::string_view reason, std::string message) {
    set(type, ConditionStatus::kTrue, reason, std::move(message));
  }
  // "" removes the member.
  void set_member(std::string_view name, std::string json) {
    members_.insert_or_assign(name, std::move(json));
  }
  void set_state(std::string_view state) { set_member("state", json_text(state)); }
  void set_observed_generation() {
    const std::int64_t generation = kube::generation_of(observed_.object);
    if (generation > 0) set_member("observedGeneration", std::to_string(generation));
  }
  void write() {
    std::vector<std::string_view> names = {"conditions"};
    std::string status;
    json::Writer out(status);
    out.start_object();
    if (!now_.all().empty()) {
      out.key("conditions");
      now_.write(out);
    }
    for (const auto& [name, text] : members_) {
      names.push_back(name);
      if (!text.empty()) out.key(name).raw(text);
    }
    out.end_object();
    write_status(kRequests, observed_.object, status, names, plan_.actions);
  }
  void emit(bool is_warning, std::string_view reason, std::string_view note) {
    plan_.actions.push_back(event(self(), is_warning, reason, note_of(note)));
  }
  void warn(std::string_view reason, std::string_view note) { emit(true, reason, note); }
  // Writes the status, then warns unless the condition has reported the same.
  void write_and_warn(std::string_view type, std::string_view reason, const std::string& note) {
    write();
    if (is_news(before_, now_, type)) warn(reason, note);
  }
  void report_failure(std::string_view type, std::string_view condition_reason,
                      std::string_view event_reason, const std::string& why) {
    set_false(type, condition_reason, why);
    write_and_warn(type, event_reason, why);
  }

  // `json`: "null" removes the annotation.
  void annotate(std::string_view name, std::string_view json) {
    Target target = self();
    target.resource_version = observed_.object.resource_version();
    std::string body;
    json::Writer out(body);
    out.start_object().key("metadata").start_object();
    out.member("uid", observed_.object.uid());
    out.member("resourceVersion", observed_.object.resource_version());
    out.key("annotations").start_object().key(name).raw(json);
    out.end_object().end_object().end_object();
    plan_.actions.push_back(merge_patch(target, std::move(body)));
  }
  // From now on, only another value of the annotation starts an attempt.
  void note_retry() {
    const std::string_view requested = retry_of(observed_.object);
    if (requested == observed_retry_of(observed_.object)) return;
    annotate(kObservedRetryAnnotation, requested.empty() ? "null" : json_text(requested));
  }
  void ignore_retry() {
    if (!has_new_retry(observed_.object)) return;
    note_retry();
    // A retry that was interrupted before this write.
    if (state_of(observed_.object) == kPending) return;
    warn("RetryIgnored", "the annotation " + std::string(kRetryAnnotation) +
                             " must be set on a failed request; found state " +
                             text::quoted(state_of(observed_.object), kMaxQuotedText) +
                             ": set another value after a failure");
  }

  // --- Acceptance.
  Plan reject() {
    const std::int64_t generation = kube::generation_of(observed_.object);
    const std::string note =
        "spec must not change after profiling began; found generation " +
        std::to_string(generation) + " in state " + std::string(state_of(observed_.object)) +
        ", and generation " + std::to_string(observed_generation_of(observed_.object)) +
        " is in use: delete the request and create it again to profile the new spec";
    if (observed_.reported_generation != generation) {
      EmitEvent rejected = event(self(), true, "SpecChangeRejected", note);
      rejected.occasion = occasion_of_generation("request", generation);
      plan_.actions.push_back(std::move(rejected));
    }
    return end(PlanOutcome::kRefused, note);
  }

  Plan refuse() {
    std::string message;
    for (const std::string& error : observed_.errors) {
      message += message.empty() ? error : "; " + error;
    }
    forget_outcome();
    set_false(kValidation, kValidationFailed, message);
    set_state(kFailed);
    write();
    if (!is_refusal_reported(before_, kValidation, observed_.object)) {
      EmitEvent failed = event(self(), true, kValidationFailed, note_of(message));
      failed.occasion = occasion_of_generation("request", kube::generation_of(observed_.object));
      plan_.actions.push_back(std::move(failed));
    }
    note_retry();
    return next();
  }

  // Another client wrote the state, or a version of this controller that has more of them.
  Plan refuse_state() {
    const std::string why = "status.state must be one that this controller writes; found " +
                            text::quoted(state_of(observed_.object), kMaxQuotedText) +
                            ": retry the request by an edit of its spec or the annotation " +
                            std::string(kRetryAnnotation);
    set_false(kValidation, kUnknownState, why);
    set_state(kFailed);
    write();
    warn(kUnknownState, why);
    return std::move(plan_);
  }

  // Removes the results of an earlier attempt. The condition Validation keeps its time if it stays
  // False.
  void forget_outcome() {
    for (const std::string_view type : {kProfiling, kSpecGenerated, kDeploymentReady}) {
      now_.remove(type);
    }
    for (const std::string_view name : {"profilingResults", "generatedDeployment", "deployment"}) {
      set_member(name, "");
    }
  }

  Plan accept() {
    const bool is_retry = state_of(observed_.object) == kFailed;
    if (!observed_.errors.empty()) return refuse();
    if (is_retry) delete_old_job();
    forget_outcome();
    now_.remove(kValidation);
    set_state(kPending);
    set_observed_generation();
    set_member("backend", json_text(request_.backend()));
    write();
    emit(false, "Initialized",
         is_retry ? "the failed request is retried: its Job is created again"
                  : "the request is valid: its profiling Job follows");
    note_retry();
    return next();
  }

  void delete_old_job() {
    const kube::Object* const job = live_job();
    if (job == nullptr || kube::is_terminating(*job) || !controls(*job)) return;
    plan_.actions.push_back(remove(
        target_of(find_managed_kind("Job")->resource, owner_.namespace_name, job->name(), job)));
  }

  // --- The Job.
  std::string job_name() const { return render::profiling_job_name(owner_.name).str(); }
  std::string output_name() const { return render::profiling_output_name(owner_.name).str(); }
  const kube::Object* live_job() const { return observed_.objects.find("Job", job_name()); }
  bool controls(const kube::Object& job) const {
    const auto controller = kube::controller_of(job);
    return controller && controller->uid == owner_.uid;
  }
  std::string running_message() const {
    return "the profiling Job " + job_name() + " runs; its result follows when it is complete";
  }

  Plan start_job() {
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
    set_state(kProfiling);
    set_observed_generation();
    write();
    emit(false, "ProfilingJobCreated", "the profiling Job " + job_name() + " was created");
    return next();
  }

  // Returns why the account or its binding cannot be created.
  std::optional<std::string> create_job(const render::DesiredObjects& desired,
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

  std::string missing_role() const {
    const std::string& role = observed_.environment.profiling_cluster_role;
    const bool is_needed = !observed_.environment.namespace_restricted && !role.empty();
    if (!is_needed || observed_.objects.find("ClusterRole", role) != nullptr) return {};
    return "there must be a ClusterRole " + text::quoted(role, kMaxQuotedText) +
           " for the profiling Job (--dgdr-profiling-cluster-role-name); found none";
  }

  // The request stays Pending until the obstacle is removed.
  Plan hold_back(std::string_view reason, const std::string& why) {
    set_false(kProfiling, reason, why);
    write_and_warn(kProfiling, kJobFailed, why);
    return wait(why);
  }

  Plan wait_for_slot() {
    // The message names no count, which changes all the time.
    set_false(kProfiling, "WaitingForProfilingSlot",
              "at most " + std::to_string(observed_.max_jobs) +
                  " profiling Jobs may run at once (--max-profiling-jobs), and as many do: the "
                  "Job is created when one of them ends");
    write();
    return wait("as many profiling Jobs run as --max-profiling-jobs allows");
  }

  // An edit of the spec or the annotation retries it.
  Plan fail_for_good(std::string_view type, std::string_view condition_reason,
                     std::string_view event_reason, const std::string& why) {
    set_false(type, condition_reason, why);
    set_state(kFailed);
    write();
    warn(event_reason, why);
    return next();
  }

  // --- Profiling.
  Plan profile() {
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
                            " must have this request as its controller; found one of " +
                            other.kind + " " + other.name);
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

  Plan fail_profiling(const std::string& why) {
    return fail_for_good(kProfiling, "ProfilingFailed", "ProfilingCheckFailed", why);
  }

  Plan report_running(const kube::Object& job) {
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

  Plan read_result() {
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
    set_true(kSpecGenerated, "SpecGenerated", message + namespaces);
    set_state(is_applied ? kDeploying : kReady);
    write();
    const std::string graph_name = is_unnamed ? "without a name" : key.name;
    emit(false, "SpecGenerated", "the graph " + graph_name + " was generated" + namespaces);
    refuse_other_kinds(result);
    report_config_maps(result);
    return next();
  }

  std::string note_of_namespaces(const ProfilingResult& result) const {
    // Nothing is created there, which the next reconcile reports.
    if (!observed_.refused_namespace.empty()) return {};
    const std::string other = describe_other_namespaces(request_, result);
    return other.empty() ? other : "; " + other;
  }

  Plan fail_generation(const std::string& why) {
    return fail_for_good(kSpecGenerated, "GenerationFailed", "GenerationFailed", why);
  }

  void keep_additional(const ProfilingResult& result) {
    const json::Value live = root_["metadata"]["annotations"][kAdditionalResources];
    if (live.string_or_empty() == result.annotation) return;
    annotate(kAdditionalResources,
             result.annotation.empty() ? "null" : json_text(result.annotation));
  }

  void create_config_maps(const ProfilingResult& result) {
    std::set<std::string> known = observed_.existing_config_maps;
    for (const AdditionalResource& each : result.additional) {
      if (each.kind != "ConfigMap" || !text::is_dns_subdomain(each.name)) continue;
      if (!known.insert(each.name).second) continue;
      if (observed_.refused_config_maps.contains(each.name)) continue;
      plan_.actions.push_back(
          create(target_of(kube::kConfigMaps, target_namespace(request_), each.name, nullptr),
                 config_map_manifest(request_, each)));
    }
  }

  // The graph does not wait for a ConfigMap that cannot be created.
  void report_config_maps(const ProfilingResult& result) {
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

  void refuse_other_kinds(const ProfilingResult& result) {
    std::string refused;
    for (const AdditionalResource& each : result.additional) {
      if (each.kind == "ConfigMap" && text::is_dns_subdomain(each.name)) continue;
      if (!refused.empty()) refused += ", ";
      text::append_presentable(refused, each.kind + " " + each.name, kMaxQuotedText);
    }
    if (refused.empty()) return;
    warn("ResourceNotCreated",
         "the profiler may generate ConfigMaps with a name next to the graph; found " + refused +
             ": create them from the annotation " + std::string(kAdditionalResources) +
             " if the graph needs them");
  }

  // --- The graph.
  void set_deployment(const kube::ObjectKey& key, std::string_view state) {
    std::string text;
    json::Writer out(text);
    out.start_object().key("created").boolean(true);
    out.member("name", key.name).member("namespace", key.namespace_name);
    if (!state.empty()) out.member("state", state);
    out.end_object();
    set_member("deployment", std::move(text));
  }

  Plan deploy() {
    if (!applies_itself(request_)) {
      set_state(kReady);
      write();
      return std::move(plan_);
    }
    const json::Value generated = root_["status"]["generatedDeployment"];
    const kube::ObjectKey key = target_graph(request_, generated);
    if (!generated["spec"].is_object() || !text::is_dns_subdomain(key.name)) {
      return hold_graph(kCreationFailed,
                        "status.generatedDeployment must hold a graph with a name; found none: "
                        "create the request again");
    }
    if (!observed_.refused_namespace.empty()) {
      return hold_graph(kCreationFailed, observed_.refused_namespace);
    }
    if (!observed_.other_request.name.empty()) {
      return hold_graph("NameTaken", named_graph(key) +
                                         " must be free to be created; found that of request " +
                                         to_string(observed_.other_request) +
                                         ": delete it, or set spec.deploymentOverrides.name in a "
                                         "new request");
    }
    if (const std::string owner = foreign_owner(); !owner.empty()) {
      return hold_graph("NameTaken", named_graph(key) +
                                         " must be free to be created; found that of " + owner +
                                         ": delete it, or set spec.deploymentOverrides.name in a "
                                         "new request");
    }
    if (observed_.graph && kube::is_terminating(*observed_.graph)) {
      return hold_graph("WaitingForDeletion",
                        named_graph(key) + " is being deleted; its deletion must finish first");
    }
    set_deployment(key, "pending");
    const bool is_new = !observed_.graph;
    if (is_new) {
      plan_.actions.push_back(create(target_of(kGraphs, key.namespace_name, key.name, nullptr),
                                     graph_manifest(request_, generated)));
    } else if (labelled_request(*observed_.graph) != kube::key_of(observed_.object)) {
      // A user created it: it is followed and not changed.
      if (const kube::Condition* const old = before_.find(kDeploymentReady)) {
        set_false(old->type, "DeploymentCreated", named_graph(key) + " existed and is followed");
      }
      write();
      return std::move(plan_);
    }
    const std::string note = named_graph(key) + " was created";
    set_false(kDeploymentReady, "DeploymentCreated", note + " and is not ready yet");
    write();
    emit(false, "DeploymentCreated", note);
    return std::move(plan_);
  }

  // The object that owns the graph; "" if there is none. A request creates its graph without an
  // owner and marks it with labels.
  std::string foreign_owner() const {
    if (!observed_.graph) return {};
    if (labelled_request(*observed_.graph) == kube::key_of(observed_.object)) return {};
    for (const kube::OwnerReference& each : kube::owners_of(*observed_.graph)) {
      if (each.uid == owner_.uid) continue;
      std::string owner;
      text::append_presentable(owner, each.kind + " " + each.name, kMaxQuotedText);
      return owner;
    }
    return {};
  }

  Plan hold_graph(std::string_view reason, const std::string& why) {
    set_false(kDeploymentReady, reason, why);
    write_and_warn(kDeploymentReady, kCreationFailed, why);
    return wait(why);
  }

  Plan follow() {
    const kube::ObjectKey key = created_graph(observed_.object);
    if (!observed_.graph) return end_deployment(key);
    const std::string_view state = observed_.graph->root()["status"]["state"].string_or_empty();
    const bool was_ready = state_of(observed_.object) == kReady;
    const bool is_ready = state == kSuccessful;
    set_deployment(key, state);
    if (was_ready == is_ready) {
      write();
      return std::move(plan_);
    }
    const std::string note = named_graph(key) +
                             (is_ready ? " is " : " must be successful; found ") +
                             (state.empty() ? "no state" : std::string(state));
    set_state(is_ready ? kReady : kDeploying);
    set(kDeploymentReady, is_ready ? ConditionStatus::kTrue : ConditionStatus::kFalse,
        is_ready ? kDeploymentReady : "DeploymentDegraded", note);
    write();
    emit(!is_ready, is_ready ? kDeploymentReady : "DeploymentDegraded", note);
    return std::move(plan_);
  }

  Plan end_deployment(const kube::ObjectKey& key) {
    const std::string note =
        "there must be a " + named_graph(key) +
        "; found none, because it was deleted: create the request again to deploy it again";
    set_deployment(key, "");
    set_state(kDeleted);
    set_false(kDeploymentReady, kDeleted, note);
    write();
    warn(kDeleted, note);
    return std::move(plan_);
  }

  const ObservedState& observed_;
  const json::Value root_;
  const api::GraphDeploymentRequest request_;
  const Owner owner_;
  Plan plan_;
  std::map<std::string_view, std::string> members_;  // of the status, as JSON
  const kube::Conditions before_;
  kube::Conditions now_;
};

}  // namespace

bool is_edited(const kube::Object& request) {
  const std::int64_t observed = observed_generation_of(request);
  return observed > 0 && observed != kube::generation_of(request);
}

kube::ObjectKey created_graph(const kube::Object& request) {
  const json::Value deployment = request.root()["status"]["deployment"];
  return {.namespace_name = std::string(deployment["namespace"].string_or_empty()),
          .name = std::string(deployment["name"].string_or_empty())};
}

RequestStep step_of(const kube::Object& request) {
  if (kube::is_terminating(request)) return RequestStep::kDelete;
  const std::string_view state = state_of(request);
  if (state.empty()) return RequestStep::kAccept;
  if (state == kPending) return RequestStep::kStartJob;
  if (state == kFailed) return should_retry(request) ? RequestStep::kAccept : RequestStep::kRest;
  constexpr std::array<std::string_view, 4> kFrozen = {kProfiling, kDeploying, kReady, kDeleted};
  if (std::ranges::find(kFrozen, state) == kFrozen.end()) return RequestStep::kUnknown;
  if (is_edited(request)) return RequestStep::kReject;
  if (state == kProfiling) return RequestStep::kProfile;
  if (state == kDeleted) return RequestStep::kRest;
  const bool is_created =
      request.root()["status"]["deployment"]["created"].boolean().value_or(false);
  const bool has_graph = is_created && applies_itself(api::GraphDeploymentRequest{request.root()});
  if (has_graph) return RequestStep::kFollow;
  return state == kDeploying ? RequestStep::kDeploy : RequestStep::kRest;
}

Plan plan(const ObservedState& observed) {
  return Planner(observed).run();
}

Plan plan_after_failure(const ObservedState& observed, const std::string& why) {
  return Planner(observed).run_after_failure(why);
}

}  // namespace dynamo::reconciler::request
