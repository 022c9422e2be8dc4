// Creates the graph of a request and follows its state.
#include <string>
#include <utility>

#include "desired/action.hpp"
#include "desired/desired_objects_plan.hpp"
#include "desired/kinds.hpp"
#include "json/writer.hpp"
#include "kube/object/conditions.hpp"
#include "kube/object/object_meta.hpp"
#include "reconciler/request/generated.hpp"
#include "reconciler/request/plan.hpp"
#include "reconciler/request/planner.hpp"
#include "text/names.hpp"
#include "text/presentable.hpp"
#include "text/quoted.hpp"

namespace dynamo::reconciler::request {
namespace {

using kube::ConditionStatus;

constexpr std::string_view kSuccessful = "successful";

std::string named_graph(const kube::ObjectKey& key) {
  return "DynamoGraphDeployment " + to_string(key);
}

}  // namespace

void Planner::set_deployment(const kube::ObjectKey& key, std::string_view state) {
  std::string text;
  json::Writer out(text);
  out.start_object().key("created").boolean(true);
  out.member("name", key.name).member("namespace", key.namespace_name);
  if (!state.empty()) out.member("state", state);
  out.end_object();
  set_member("deployment", std::move(text));
}

Plan Planner::deploy() {
  if (!applies_itself(request_)) {
    set_state(states::kReady);
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
  if (!is_new && is_older(*observed_.graph, observed_.object)) return keep_older_graph(key);
  const std::string note = named_graph(key) + " was created";
  set_false(kDeploymentReady, "DeploymentCreated", note + " and is not ready yet");
  write();
  emit(false, "DeploymentCreated", note);
  return std::move(plan_);
}

Plan Planner::keep_older_graph(const kube::ObjectKey& key) {
  const std::string note =
      named_graph(key) +
      " existed before the request and is followed; it was not changed: to deploy the graph of "
      "status.generatedDeployment, delete the existing one, then delete the request and create it "
      "again";
  set_false(kDeploymentReady, "DeploymentExisted", note);
  write_and_warn(kDeploymentReady, "DeploymentExisted", note);
  return std::move(plan_);
}

std::string Planner::foreign_owner() const {
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

Plan Planner::hold_graph(std::string_view reason, const std::string& why) {
  set_false(kDeploymentReady, reason, why);
  write_and_warn(kDeploymentReady, kCreationFailed, why);
  return wait(why);
}

Plan Planner::follow() {
  const kube::ObjectKey key = created_graph(observed_.object);
  if (!observed_.graph) return end_deployment(key);
  const std::string_view state = observed_.graph->root()["status"]["state"].string_or_empty();
  const bool was_ready = state_of(observed_.object) == states::kReady;
  const bool is_ready = state == kSuccessful;
  set_deployment(key, state);
  if (was_ready == is_ready) {
    write();
    return std::move(plan_);
  }
  std::string note = named_graph(key) + (is_ready ? " is " : " must be successful; found ") +
                     (state.empty() ? "no state" : std::string(state));
  const bool is_labelled = labelled_request(*observed_.graph) == kube::key_of(observed_.object);
  if (is_labelled && is_older(*observed_.graph, observed_.object)) {
    note += "; it existed before the request and was not changed";
  }
  set_state(is_ready ? states::kReady : states::kDeploying);
  set(kDeploymentReady, is_ready ? ConditionStatus::kTrue : ConditionStatus::kFalse,
      is_ready ? kDeploymentReady : "DeploymentDegraded", note);
  write();
  emit(!is_ready, is_ready ? kDeploymentReady : "DeploymentDegraded", note);
  return std::move(plan_);
}

Plan Planner::end_deployment(const kube::ObjectKey& key) {
  const std::string note =
      "there must be a " + named_graph(key) +
      "; found none, because it was deleted: create the request again to deploy it again";
  set_deployment(key, "");
  set_state(states::kDeleted);
  set_false(kDeploymentReady, states::kDeleted, note);
  write();
  warn(states::kDeleted, note);
  return std::move(plan_);
}

}  // namespace dynamo::reconciler::request
