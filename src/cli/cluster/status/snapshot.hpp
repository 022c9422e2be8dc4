// The Dynamo objects of a cluster at one moment: complete objects, but only the displayed fields of
// pods and events.
#pragma once

#include <array>
#include <cstdint>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "aio/task.hpp"
#include "api/kind.hpp"
#include "doctor/evidence.hpp"
#include "kube/client/client.hpp"
#include "kube/object/conditions.hpp"
#include "kube/object/object.hpp"

namespace dynamo::cli::status {

using doctor::TimePoint;

struct PodSummary {
  std::string namespace_name = {};
  std::string name = {};
  std::string graph = {};      // from its labels, like the next two; may be empty
  std::string component = {};  // the service of the graph
  std::string selector = {};
  std::string state = {};  // "Running", "Pending", or why it waits: "ImagePullBackOff"
  std::int64_t ready = 0;  // containers
  std::int64_t containers = 0;
  std::int64_t restarts = 0;
  std::string job = {};      // the Job that created it; may be empty
  std::string trouble = {};  // of a Job's pod: its exit code, or why it waits; may be empty
  std::optional<TimePoint> created = {};

  bool is_ready() const { return containers > 0 && ready == containers && state == "Running"; }
  bool is_over() const { return state == "Succeeded"; }
};

// A profiling Job of a request, or the Job of a checkpoint.
struct JobSummary {
  std::string namespace_name = {};
  std::string name = {};
  std::string uid = {};
  std::string owner_uid = {};  // of its controller
  std::int64_t active = 0;     // pods, like the next one
  std::int64_t failed = 0;
  std::vector<kube::Condition> conditions = {};
  std::optional<TimePoint> created = {};
  std::optional<TimePoint> started = {};
  std::optional<TimePoint> ended = {};

  bool has(std::string_view condition) const;  // with the status True
  bool is_over() const { return has("Complete") || has("Failed"); }
  // It has no pod yet, or a quota refuses its pods.
  bool is_waiting() const { return !is_over() && active == 0; }
};

struct EventSummary {
  std::string kind = {};  // of the object it is about, like the next two
  std::string namespace_name = {};
  std::string name = {};
  std::string uid = {};  // empty: the event's author did not set it
  bool is_warning = false;
  std::string reason = {};
  std::string note = {};
  std::int64_t count = 1;
  TimePoint last{};
};

struct TerminatingNamespace {
  std::string name = {};
  std::optional<TimePoint> since = {};
  std::string message = {};  // why deletion is not finished, from its conditions; may be empty
};

struct KindObjects {
  bool is_absent = false;  // the cluster does not serve it
  doctor::Lookup<std::vector<kube::Object>> objects = {};
};

struct Snapshot {
  TimePoint now{};
  std::string namespace_name = {};                      // empty: all
  std::array<KindObjects, api::kKindCount> kinds = {};  // by api::Kind
  doctor::Lookup<std::vector<PodSummary>> pods = {};
  doctor::Lookup<std::vector<EventSummary>> events = {};
  // Read only if requests or checkpoints exist.
  doctor::Lookup<std::vector<JobSummary>> jobs = {};
  // The pods of those Jobs that have not succeeded; they are not among `pods`.
  doctor::Lookup<std::vector<PodSummary>> job_pods = {};
  // Also empty if namespaces may not be read.
  std::vector<TerminatingNamespace> terminating_namespaces = {};

  const KindObjects& of(api::Kind kind) const { return kinds[static_cast<std::size_t>(kind)]; }
};

struct Query {
  Query() = default;
  std::string namespace_name;  // empty: all
  std::string name;            // of a graph or another object; empty: all
};

// Reads a snapshot from the API server and changes nothing. Fails only if the API server cannot be
// queried at all; kinds that are forbidden or absent are part of the snapshot. `client` must
// outlive the coroutine.
aio::Task<kube::Result<Snapshot>> gather(kube::Client client, Query query, TimePoint now);

}  // namespace dynamo::cli::status
