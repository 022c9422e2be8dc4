// Builds the plan of one reconcile of a request, for plan.hpp only. Each state of a request has a
// source: acceptance.cpp, profiling.cpp and deployment.cpp. plan.cpp chooses among them, and writes
// the status and events.
#pragma once

#include <chrono>
#include <cstddef>
#include <cstdint>
#include <map>
#include <optional>
#include <string>
#include <string_view>

#include "api/kinds/objects.hpp"
#include "desired/action.hpp"
#include "desired/object_diff.hpp"
#include "desired/plan.hpp"
#include "json/document.hpp"
#include "kube/object/conditions.hpp"
#include "kube/object/object.hpp"
#include "kube/object/object_key.hpp"
#include "manifests/desired_objects.hpp"
#include "reconciler/request/observed.hpp"
#include "reconciler/request/result.hpp"

namespace dynamo::reconciler::request {

// The states of a request.
namespace states {
inline constexpr std::string_view kPending = "Pending";
inline constexpr std::string_view kProfiling = "Profiling";
inline constexpr std::string_view kDeploying = "Deploying";
inline constexpr std::string_view kReady = "Ready";
inline constexpr std::string_view kDeleted = "DeploymentDeleted";  // also a reason
inline constexpr std::string_view kFailed = "Failed";
}  // namespace states

// Conditions and reasons.
inline constexpr std::string_view kValidation = "Validation";
inline constexpr std::string_view kProfiling = "Profiling";
inline constexpr std::string_view kSpecGenerated = "SpecGenerated";
inline constexpr std::string_view kDeploymentReady = "DeploymentReady";
inline constexpr std::string_view kJobFailed = "ProfilingJobFailed";
inline constexpr std::string_view kJobCreationFailed = "JobCreationFailed";
inline constexpr std::string_view kCreationFailed = "DeploymentCreationFailed";

inline constexpr std::size_t kMaxQuotedText = 128;

std::string_view state_of(const kube::Object& request);
std::int64_t observed_generation_of(const kube::Object& request);
std::string json_text(std::string_view text);

class Planner {
 public:
  explicit Planner(const ObservedState& observed);
  Plan run();
  Plan run_after_failure(const std::string& why);

 private:
  // --- Status and events (plan.cpp).
  Target self() const;
  Plan end(PlanOutcome outcome, std::string why);
  // Asks for the next step at once.
  Plan next();
  // No watch reports the end of the obstacle.
  Plan wait(std::string why);
  void set(std::string_view type, kube::ConditionStatus status, std::string_view reason,
           std::string message);
  void set_false(std::string_view type, std::string_view reason, std::string message);
  void set_true(std::string_view type, std::string_view reason, std::string message);
  // "" removes the member.
  void set_member(std::string_view name, std::string json);
  void set_state(std::string_view state);
  void set_observed_generation();
  void write();
  void emit(bool is_warning, std::string_view reason, std::string_view note);
  void warn(std::string_view reason, std::string_view note);
  // Writes the status, then warns unless the condition has reported the same.
  void write_and_warn(std::string_view type, std::string_view reason, const std::string& note);
  void report_failure(std::string_view type, std::string_view condition_reason,
                      std::string_view event_reason, const std::string& why);
  // `json`: "null" removes the annotation.
  void annotate(std::string_view name, std::string_view json);
  // From now on, only another value of the annotation starts an attempt.
  void note_retry();
  void ignore_retry();

  // --- Acceptance (acceptance.cpp).
  Plan reject();
  Plan refuse();
  // Another client wrote the state, or a version of this controller that has more of them.
  Plan refuse_state();
  // Removes the results of an earlier attempt. The condition Validation keeps its time if it stays
  // False.
  void forget_outcome();
  Plan accept();
  void delete_old_job();

  // --- The Job and its result (profiling.cpp).
  std::string job_name() const;
  std::string output_name() const;
  const kube::Object* live_job() const;
  bool controls(const kube::Object& job) const;
  std::string running_message() const;
  Plan start_job();
  // Returns why the account or its binding cannot be created.
  std::optional<std::string> create_job(const render::DesiredObjects& desired,
                                        const ObjectDiff& job);
  std::string missing_role() const;
  // The request stays Pending until the obstacle is removed.
  Plan hold_back(std::string_view reason, const std::string& why);
  Plan wait_for_slot();
  // An edit of the spec or the annotation retries it.
  Plan fail_for_good(std::string_view type, std::string_view condition_reason,
                     std::string_view event_reason, const std::string& why);
  Plan profile();
  Plan fail_profiling(const std::string& why);
  Plan report_running(const kube::Object& job);
  Plan read_result();
  std::string note_of_namespaces(const ProfilingResult& result) const;
  Plan fail_generation(const std::string& why);
  void keep_additional(const ProfilingResult& result);
  void create_config_maps(const ProfilingResult& result);
  // The graph does not wait for a ConfigMap that cannot be created.
  void report_config_maps(const ProfilingResult& result);
  // No ConfigMap is changed that another request or client created.
  void report_older_config_maps();
  void refuse_other_kinds(const ProfilingResult& result);

  // --- The graph (deployment.cpp).
  void set_deployment(const kube::ObjectKey& key, std::string_view state);
  Plan deploy();
  // The object that owns the graph; "" if there is none. A request creates its graph without an
  // owner and marks it with labels.
  std::string foreign_owner() const;
  Plan hold_graph(std::string_view reason, const std::string& why);
  // The graph of an earlier request of this name is followed; a user decides on its deletion.
  Plan keep_older_graph(const kube::ObjectKey& key);
  Plan follow();
  Plan end_deployment(const kube::ObjectKey& key);

  const ObservedState& observed_;
  const json::Value root_;
  const api::GraphDeploymentRequest request_;
  const Owner owner_;
  Plan plan_;
  std::map<std::string_view, std::string> members_;  // of the status, as JSON
  const kube::Conditions before_;
  kube::Conditions now_;
};

}  // namespace dynamo::reconciler::request
