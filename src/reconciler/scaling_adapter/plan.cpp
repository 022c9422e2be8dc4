#include "reconciler/scaling_adapter/plan.hpp"

#include <cstdint>
#include <limits>
#include <optional>
#include <string_view>
#include <tuple>
#include <utility>

#include "cluster/resources.hpp"
#include "json/writer.hpp"
#include "kube/client/writes.hpp"
#include "kube/object/object_meta.hpp"
#include "render/document/well_known.hpp"
#include "text/presentable.hpp"
#include "text/quoted.hpp"
#include "text/timestamp.hpp"

namespace dynamo::reconciler::scaling_adapter {
namespace {

constexpr std::size_t kMaxQuoted = 128;
constexpr std::size_t kMaxNote = 1'000;      // the limit of an Event, with room for an ellipsis
constexpr std::int64_t kReplicasOfNone = 1;  // for a service without the field

// The adapter's request; nullopt if its spec is not valid.
struct ScaleRequest {
  std::string_view graph;
  std::string_view service;
  std::int64_t replicas = 0;
};

std::optional<ScaleRequest> scale_request_of(const kube::Object& adapter) {
  const json::Value spec = adapter.root()["spec"];
  const json::Value reference = spec["dgdRef"];
  const auto replicas = spec["replicas"].integer();
  ScaleRequest request{.graph = reference["name"].string_or_empty(),
                       .service = reference["serviceName"].string_or_empty(),
                       .replicas = replicas.value_or(-1)};
  const bool is_number =
      request.replicas >= 0 && request.replicas <= std::numeric_limits<std::int32_t>::max();
  if (request.graph.empty() || request.service.empty() || !is_number) return std::nullopt;
  return request;
}

Target target_of(const kube::Resource& resource, const kube::Object& object) {
  return {.resource = resource,
          .namespace_name = std::string(object.namespace_name()),
          .name = std::string(object.name()),
          .uid = std::string(object.uid()),
          .resource_version = std::string(object.resource_version())};
}

std::string quoted(std::string_view text) {
  return text::quoted(text, kMaxQuoted);
}

// The service's replica count; nullopt if the field is not a number.
std::optional<std::int64_t> replicas_of(json::Value service) {
  const json::Value replicas = service["replicas"];
  return replicas.is_nothing() ? std::optional(kReplicasOfNone) : replicas.integer();
}

std::string scale_patch(const kube::Object& graph, const ScaleRequest& request) {
  std::string body;
  json::Writer writer(body);
  writer.start_object().key("metadata").start_object();
  writer.member("uid", graph.uid()).member("resourceVersion", graph.resource_version());
  writer.end_object().key("spec").start_object().key("services").start_object();
  writer.key(request.service).start_object().key("replicas").integer(request.replicas);
  writer.end_object().end_object().end_object().end_object();
  return body;
}

std::string scaled_note(const ScaleRequest& request, std::optional<std::int64_t> before) {
  return "service " + quoted(request.service) + " of graph " + quoted(request.graph) +
         " goes from " + (before ? std::to_string(*before) : std::string("no number")) + " to " +
         std::to_string(request.replicas) + " replicas";
}

std::string selector_of(const ScaleRequest& request) {
  std::string selector(render::label::kGraph);
  selector.append("=").append(request.graph).append(",");
  selector.append(render::label::kComponent).append("=").append(request.service);
  return selector;
}

// The status to write; nullopt if it already matches.
std::optional<std::string> status_of(const ObservedState& observed, const ScaleRequest& request,
                                     bool scales, std::chrono::system_clock::time_point now) {
  const json::Value before = observed.adapter.root()["status"];
  const std::string selector = selector_of(request);
  const auto current = before["replicas"].integer();
  const std::string_view last = before["lastScaleTime"].string_or_empty();
  const bool is_same =
      current == request.replicas && before["selector"].string_or_empty() == selector && !scales;
  if (is_same) return std::nullopt;
  std::string status;
  json::Writer writer(status);
  writer.start_object().key("replicas").integer(request.replicas).member("selector", selector);
  if (scales) {
    writer.member("lastScaleTime", text::format_timestamp(now));
  } else if (!last.empty()) {
    writer.member("lastScaleTime", last);
  }
  writer.end_object();
  return status;
}

// The adapter cannot scale; reported unless it was reported before.
AdapterPlan hindered(const ObservedState& observed, const Target& adapter, std::string_view reason,
                     std::string note) {
  AdapterPlan plan;
  plan.reported = std::string(adapter.uid).append(" ").append(note);
  if (observed.reported != plan.reported) {
    plan.actions.push_back(event(adapter, true, reason, std::move(note)));
  }
  return plan;
}

AdapterPlan missing(const ObservedState& observed, const Target& adapter, std::string_view reason,
                    const std::string& note) {
  AdapterPlan plan = hindered(observed, adapter, reason, note);
  plan.missing = note;
  return plan;
}

// The smallest rank takes precedence.
auto rank_of(const kube::Object& adapter) {
  const auto owner = kube::controller_of(adapter);
  const bool is_of_graph = owner && owner->kind == cluster::kGraphDeployments.kind;
  const std::string_view made = adapter.root()["metadata"]["creationTimestamp"].string_or_empty();
  return std::tuple(!is_of_graph, made, adapter.name());
}

AdapterPlan outranked(const ObservedState& observed, const Target& adapter,
                      const ScaleRequest& request) {
  return hindered(observed, adapter, "ServiceHasAnotherAdapter",
                  "a service must have one adapter: service " + quoted(request.service) +
                      " of graph " + quoted(request.graph) + " is scaled by " +
                      quoted(observed.rival->name()) +
                      ", and this one is not followed; delete one");
}

}  // namespace

bool are_rivals(const kube::Object& one, const kube::Object& other) {
  const json::Value first = one.root()["spec"]["dgdRef"];
  const json::Value second = other.root()["spec"]["dgdRef"];
  return one.namespace_name() == other.namespace_name() && one.name() != other.name() &&
         first["name"].string_or_empty() == second["name"].string_or_empty() &&
         first["serviceName"].string_or_empty() == second["serviceName"].string_or_empty();
}

bool takes_precedence(const kube::Object& other, const kube::Object& adapter) {
  return are_rivals(other, adapter) && !kube::is_terminating(other) && scale_request_of(other) &&
         rank_of(other) < rank_of(adapter);
}

EmitEvent update_failed(const kube::Object& adapter, std::string_view why) {
  std::string note = "the graph was not scaled: ";
  text::append_presentable(note, why, kMaxNote - note.size());
  return event(target_of(kScalingAdapters, adapter), true, "UpdateFailed", std::move(note));
}

std::string graph_of(const kube::Object& adapter) {
  return std::string(adapter.root()["spec"]["dgdRef"]["name"].string_or_empty());
}

AdapterPlan plan(const ObservedState& observed, std::chrono::system_clock::time_point now) {
  AdapterPlan plan;
  if (kube::is_terminating(observed.adapter)) return plan;
  const Target adapter = target_of(kScalingAdapters, observed.adapter);
  const auto request = scale_request_of(observed.adapter);
  if (!request) {
    return hindered(observed, adapter, "InvalidSpec",
                    "spec.dgdRef must name a graph and a service, and spec.replicas must be a "
                    "number from 0; nothing is scaled until they do");
  }
  if (observed.rival != nullptr) return outranked(observed, adapter, *request);
  const bool has_graph = observed.graph != nullptr &&
                         observed.graph->namespace_name() == observed.adapter.namespace_name() &&
                         observed.graph->name() == request->graph;
  if (!has_graph) {
    return missing(observed, adapter, "GraphNotFound",
                   "there must be a DynamoGraphDeployment " + quoted(request->graph) +
                       " in the namespace; found none");
  }
  const json::Value service = observed.graph->root()["spec"]["services"][request->service];
  if (!service.is_object()) {
    return missing(observed, adapter, "ServiceNotFound",
                   "graph " + quoted(request->graph) + " must have a service " +
                       quoted(request->service) + "; found none");
  }
  const auto before = replicas_of(service);
  plan.scales = before != request->replicas;
  if (plan.scales) {
    plan.actions.push_back(merge_patch(target_of(cluster::kGraphDeployments, *observed.graph),
                                       scale_patch(*observed.graph, *request)));
    plan.actions.push_back(event(adapter, false, "Scaled", scaled_note(*request, before)));
  }
  const auto status = status_of(observed, *request, plan.scales, now);
  if (status) {
    // Applies only our own fields, independent of the object's version.
    Target whatever = adapter;
    whatever.resource_version.clear();
    plan.actions.push_back(
        apply_status(whatever, kube::apply_status(kScalingAdapters, observed.adapter, *status)));
  }
  return plan;
}

}  // namespace dynamo::reconciler::scaling_adapter
