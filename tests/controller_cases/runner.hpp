// How the reconciles of a case are played: one row per controller, each a plan over the store.
#pragma once

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
};

// What came of one pass; statuses and objects stand in the store.
struct Passed {
  bool ours = true;     // false: the part of the controller that this needs is to come
  std::string missing;  // what is not ours, where it is not
  bool failed = false;  // it asks to be tried again
  std::vector<std::string> events = {};           // "Normal CreateService on Service/w"
  std::vector<std::string> http_calls = {};       // "POST http://127.0.0.1:9090/v1/loras"
  std::vector<std::string> etcd_prefixes = {};    // of the keys that were deleted
};

// A pass over the object of that name; nothing happens when there is none.
using Runner = Passed (*)(World& world, std::string_view name);

struct RunnerRow {
  std::string_view controller;  // as the cases call it: "dgd"
  std::string_view kind;
  Runner run;
};

// Null: the controller is not ours yet.
const RunnerRow* find_runner(std::string_view controller);

// --- The runners.
Passed run_graph(World& world, std::string_view name);
Passed run_component(World& world, std::string_view name);

}  // namespace dynamo::cases
