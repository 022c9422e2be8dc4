// What there is of Dynamo in a cluster at one moment, as it was read: objects whole, of pods and
// events only what is shown.
#pragma once

#include <array>
#include <cstdint>
#include <optional>
#include <string>
#include <vector>

#include "api/kind.hpp"
#include "doctor/evidence.hpp"
#include "kube/object.hpp"

namespace dynamo::doctor::status {

struct Pod {
  std::string namespace_name = {};
  std::string name = {};
  std::string graph = {};      // of its labels, as the next two; may be empty
  std::string component = {};  // the service of the graph
  std::string selector = {};
  std::string state = {};  // "Running", "Pending", or why it waits: "ImagePullBackOff"
  std::int64_t ready = 0;  // containers
  std::int64_t containers = 0;
  std::int64_t restarts = 0;
  std::optional<TimePoint> created = {};

  bool is_ready() const { return containers > 0 && ready == containers && state == "Running"; }
  bool is_over() const { return state == "Succeeded"; }
};

struct Event {
  std::string kind = {};  // of the object that it is about, as the next two
  std::string namespace_name = {};
  std::string name = {};
  std::string uid = {};  // empty: whoever wrote the event did not know it
  bool is_warning = false;
  std::string reason = {};
  std::string note = {};
  std::int64_t count = 1;
  TimePoint last{};
};

struct TerminatingNamespace {
  std::string name = {};
  std::optional<TimePoint> since = {};
  std::string message = {};  // why the API server still waits, as its conditions say; may be empty
};

struct Kind {
  bool is_absent = false;  // the cluster does not serve it
  Looked<std::vector<kube::Object>> objects = {};
};

struct Snapshot {
  TimePoint now{};
  std::string namespace_name = {};               // empty: all
  std::array<Kind, api::kKindCount> kinds = {};  // by api::Kind
  Looked<std::vector<Pod>> pods = {};
  Looked<std::vector<Event>> events = {};
  // None as well if namespaces may not be read.
  std::vector<TerminatingNamespace> terminating_namespaces = {};

  const Kind& of(api::Kind kind) const { return kinds[static_cast<std::size_t>(kind)]; }
};

}  // namespace dynamo::doctor::status
