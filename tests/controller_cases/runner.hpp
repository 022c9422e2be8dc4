// How the reconciles of a case are played: one row per controller, each a plan over the store.
#pragma once

#include <map>
#include <string>
#include <string_view>
#include <vector>

#include "tests/controller_cases/store.hpp"
#include "tests/controller_cases/value.hpp"

namespace dynamo::cases {

// What a pass runs in. `flags`: input.operator, or null.
struct World {
  Store& store;
  const Value& flags;
  std::string space;
  std::map<std::string, int> passes = {};        // by object, for who counts them
  std::map<std::string, std::string> told = {};  // what stands in the way of an adapter
};

// What came of one pass; statuses and objects stand in the store.
struct Passed {
  std::string not_ours = {};    // what this needs and we do not have; "" where we have all of it
  std::string result = "done";  // "error": to be tried again; "requeue after 30s"
  std::vector<std::string> events = {};         // "Normal CreateService on Service/w"
  std::vector<std::string> http_calls = {};     // "POST http://127.0.0.1:9090/v1/loras"
  std::vector<std::string> etcd_prefixes = {};  // of the keys that were deleted
  std::map<std::string, Object> wanted = {};    // the children that are to be, by key
  bool refuses = false;                         // some that measured has; they are not among them
};

// A pass over the object of that name; nothing happens when there is none.
using Runner = Passed (*)(World& world, std::string_view name);

struct RunnerRow {
  std::string_view controller;  // as the cases call it: "dgd"
  std::string_view kind;
  bool ordered_events;  // false: services are visited in no particular order
  // Passes in a world that stands still come to an end.
  bool settles;
  // What becomes of the objects is ours; results, events and statuses are not yet.
  bool objects_only;
  Runner run;
};

// Null: the controller is not ours yet.
const RunnerRow* find_runner(std::string_view controller);

// --- The runners.
Passed run_graph(World& world, std::string_view name);
Passed run_component(World& world, std::string_view name);
Passed run_model(World& world, std::string_view name);
Passed run_adapter(World& world, std::string_view name);
Passed run_checkpoint(World& world, std::string_view name);
Passed run_request(World& world, std::string_view name);

}  // namespace dynamo::cases
