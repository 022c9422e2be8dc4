// A request, a checkpoint, a graph that needs Jobs or a graph over Grove, on its way to the final
// state. Next to the cluster, the fixture simulates the Job controller, the profiler, Grove, and
// the user.
#pragma once

#include <array>
#include <cstddef>
#include <cstdint>
#include <map>
#include <optional>
#include <set>
#include <string>
#include <utility>
#include <vector>

#include "tests/reconciler/fault_injection/fault_injection_fixture.hpp"

namespace dynamo::reconciler {

inline constexpr kube::Resource kJobs{"batch", "v1", "jobs", "Job"};
inline constexpr kube::Resource kAccounts{"", "v1", "serviceaccounts", "ServiceAccount"};
inline constexpr kube::Resource kBindings{"rbac.authorization.k8s.io", "v1", "rolebindings",
                                          "RoleBinding"};

enum class Scenario : std::uint8_t {
  kAppliedRequest,      // its Job completes, and its graph becomes successful
  kClusterWideRequest,  // its reconciler creates the account of its Job; the user applies the graph
  kRetriedRequest,      // its Job fails until the user retries it; the user applies the graph
  kCheckpoint,          // its Job completes
  kRetriedCheckpoint,   // its Job fails until the user retries it
  kLateCheckpoint,      // its Job fails, and succeeds later
  kAutoGraph,           // it creates a checkpoint, and starts from it
  kGroveGraph,          // Grove runs it; the user scales and restarts it
};
inline constexpr std::array kScenarios = {
    Scenario::kAppliedRequest, Scenario::kClusterWideRequest, Scenario::kRetriedRequest,
    Scenario::kCheckpoint,     Scenario::kRetriedCheckpoint,  Scenario::kLateCheckpoint,
    Scenario::kAutoGraph,      Scenario::kGroveGraph};
std::string to_string(Scenario scenario);

class ScenarioFixture final : public FaultInjectionFixture {
 public:
  explicit ScenarioFixture(Scenario scenario);

  // Creates the first object of the scenario.
  void put_subject();
  void start() {
    put_subject();
    start_process();
  }
  // Each Job starts, and ends a round later. A result precedes the end of its Job. The user retries
  // a failure that the status reports.
  void advance_cluster() override;
  // Runs a round, and then advances the cluster.
  void advance() {
    run_round();
    advance_cluster();
  }

  kube::Resource resource() const;
  std::string name() const { return is_graph() ? "g" : "a"; }
  std::optional<kube::Object> subject() const { return find(resource(), name()); }
  // status.state or status.phase.
  std::string progress() const;
  void expect_final_state() const;
  // snapshot() without the uid of the subject, which the environment of a Job contains.
  std::vector<std::string> state_of_all() const;
  // Settles in the state of a run without faults.
  void settle_as_golden();
  // No object was created twice, except the Job of a retry.
  void expect_one_job_per_attempt() const;

 private:
  RenderSettings settings() const override;
  bool is_graph() const {
    return scenario_ == Scenario::kAutoGraph || scenario_ == Scenario::kGroveGraph;
  }
  std::size_t jobs() const { return scenario_ == Scenario::kGroveGraph ? 0 : 1; }
  bool is_retried() const {
    return scenario_ == Scenario::kRetriedRequest || scenario_ == Scenario::kRetriedCheckpoint;
  }
  bool should_fail(const kube::Object& job) const;
  void advance_job(const kube::Object& job);
  void put_result(const std::string& request);
  void change_graph();

  const Scenario scenario_;
};

// The run of the scenario without faults.
struct ScenarioGolden {
  std::vector<std::string> snapshot = {};
  std::size_t writes = 0;
  std::set<std::size_t> writes_of_graph = {};  // numbers of the writes of a graph's controllers
};
const ScenarioGolden& golden(Scenario scenario);

}  // namespace dynamo::reconciler
