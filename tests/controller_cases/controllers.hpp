// How the reconciles of a case are played: one row per controller, each a plan over the store.
#pragma once

#include <map>
#include <string>
#include <string_view>
#include <vector>

#include "tests/controller_cases/store.hpp"
#include "tests/controller_cases/value.hpp"

namespace dynamo::cases {

// The inputs of a reconcile. `flags`: input.operator, or null.
struct ReconcileInputs {
  Store& store;
  const Value& flags;
  std::string space;
  std::map<std::string, int> reconcile_counts = {};  // number of reconciles by object
  // The reported reason why an adapter is blocked.
  std::map<std::string, std::string> reported = {};
};

// The result of one reconcile. Statuses and objects are in the store.
struct ReconcileOutput {
  std::string result = "done";                  // "error": retry; "requeue after 30s"
  std::vector<std::string> events = {};         // "Normal CreateService on Service/w"
  std::vector<std::string> http_calls = {};     // "POST http://127.0.0.1:9090/v1/loras"
  std::vector<std::string> scale_calls = {};    // "GET podcliques/g-0-a", "PUT podcliques/g-0-a 2"
  std::vector<std::string> etcd_prefixes = {};  // prefixes of the deleted keys
  std::map<std::string, Object> desired = {};   // the desired objects, by key
  bool refuses = false;  // we refuse some objects that upstream creates; `desired` lacks them
};

// Reconciles the object of that name; does nothing if it does not exist.
using ReconcileFunction = ReconcileOutput (*)(ReconcileInputs& inputs, std::string_view name);

struct ControllerRow {
  std::string_view controller;  // the controller's name in the cases: "dgd"
  std::string_view kind;
  bool ordered_events;  // false: services are visited in no particular order
  // Repeated reconciles settle if the cluster state does not change.
  bool settles;
  ReconcileFunction reconcile;
};

// Null if there is no such controller.
const ControllerRow* find_controller(std::string_view controller);

// --- The controllers.
ReconcileOutput reconcile_graph(ReconcileInputs& inputs, std::string_view name);
ReconcileOutput reconcile_component(ReconcileInputs& inputs, std::string_view name);
ReconcileOutput reconcile_model(ReconcileInputs& inputs, std::string_view name);
ReconcileOutput reconcile_adapter(ReconcileInputs& inputs, std::string_view name);
ReconcileOutput reconcile_checkpoint(ReconcileInputs& inputs, std::string_view name);
ReconcileOutput reconcile_request(ReconcileInputs& inputs, std::string_view name);

}  // namespace dynamo::cases
