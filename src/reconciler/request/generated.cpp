#include "reconciler/request/generated.hpp"

#include <array>
#include <cstddef>
#include <map>
#include <vector>

#include "desired/kinds.hpp"
#include "json/parser.hpp"
#include "json/writer.hpp"
#include "kube/object/resource.hpp"
#include "render/document/well_known.hpp"
#include "text/names.hpp"
#include "text/presentable.hpp"
#include "text/quoted.hpp"
#include "text/timestamp.hpp"

namespace dynamo::reconciler::request {
namespace {

constexpr std::string_view kOperatorName = "dynamo-operator";

using Texts = std::map<std::string, std::string, std::less<>>;

// Later values win.
void merge_texts(Texts& texts, json::Value map) {
  for (const json::Member member : map.members()) {
    if (const auto text = member.value.string())
      texts.insert_or_assign(std::string(member.name), *text);
  }
}

void write_texts(json::Writer& out, std::string_view name, const Texts& texts) {
  if (texts.empty()) return;
  out.key(name).start_object();
  for (const auto& [key, text] : texts) out.member(key, text);
  out.end_object();
}

void add_tracking(const api::GraphDeploymentRequest& request, Texts& labels) {
  labels.insert_or_assign(std::string(kRequestName), request.metadata().name());
  labels.insert_or_assign(std::string(kRequestNamespace),
                          request.value()["metadata"]["namespace"].string_or_empty());
  labels.insert_or_assign(std::string(render::label::kManagedBy), kOperatorName);
}

std::string quoted_name(std::string_view name) {
  constexpr std::size_t kMaxShown = 128;
  return text::quoted(name, kMaxShown);
}

std::string described_target(const api::GraphDeploymentRequest& request) {
  const bool is_overridden =
      !request.spec()["deploymentOverrides"]["namespace"].string_or_empty().empty();
  return quoted_name(target_namespace(request)) +
         (is_overridden ? ", the namespace of spec.deploymentOverrides"
                        : ", the namespace of the request");
}

std::string named_object(std::string_view namespace_name, std::string_view kind,
                         std::string_view name) {
  std::string text = "namespace " + quoted_name(namespace_name) + " for ";
  text += kind;
  if (!name.empty()) text += " " + quoted_name(name);
  return text;
}

std::string listed(const std::vector<std::string>& items) {
  constexpr std::size_t kMaxItems = 5;
  std::string list;
  for (std::size_t i = 0; i < items.size() && i < kMaxItems; ++i) {
    if (i > 0) list += ", ";
    list += items[i];
  }
  return items.size() > kMaxItems ? list + " and more" : list;
}

}  // namespace

std::string target_namespace(const api::GraphDeploymentRequest& request) {
  const std::string_view wanted =
      request.spec()["deploymentOverrides"]["namespace"].string_or_empty();
  return std::string(wanted.empty() ? request.value()["metadata"]["namespace"].string_or_empty()
                                    : wanted);
}

kube::ObjectKey target_graph(const api::GraphDeploymentRequest& request, json::Value generated) {
  const std::string_view wanted = request.spec()["deploymentOverrides"]["name"].string_or_empty();
  return {.namespace_name = target_namespace(request),
          .name = std::string(wanted.empty() ? generated["metadata"]["name"].string_or_empty()
                                             : wanted)};
}

std::string graph_manifest(const api::GraphDeploymentRequest& request, json::Value generated) {
  const json::Value overrides = request.spec()["deploymentOverrides"];
  const kube::ObjectKey key = target_graph(request, generated);
  Texts labels;
  merge_texts(labels, generated["metadata"]["labels"]);
  merge_texts(labels, overrides["labels"]);
  add_tracking(request, labels);
  Texts annotations;
  merge_texts(annotations, generated["metadata"]["annotations"]);
  merge_texts(annotations, overrides["annotations"]);
  std::string text;
  json::Writer out(text);
  out.start_object().member("apiVersion", kGraphs.api_version()).member("kind", kGraphs.kind);
  out.key("metadata").start_object();
  out.member("name", key.name).member("namespace", key.namespace_name);
  write_texts(out, "labels", labels);
  write_texts(out, "annotations", annotations);
  out.end_object().key("spec");
  if (generated["spec"].exists()) {
    out.value(generated["spec"]);
  } else {
    out.start_object().end_object();
  }
  out.end_object();
  return text;
}

bool can_be_created(const AdditionalResource& resource) {
  return resource.kind == kube::kConfigMaps.kind && text::is_dns_subdomain(resource.name);
}

std::string config_map_manifest(const api::GraphDeploymentRequest& request,
                                const AdditionalResource& resource) {
  constexpr std::array<std::string_view, 3> kContent = {"data", "binaryData", "immutable"};
  const auto document = json::parse_copy(resource.manifest);
  const json::Value metadata = document->root()["metadata"];
  Texts labels;
  merge_texts(labels, metadata["labels"]);
  add_tracking(request, labels);
  Texts annotations;
  merge_texts(annotations, metadata["annotations"]);
  std::string text;
  json::Writer out(text);
  out.start_object().member("apiVersion", "v1").member("kind", "ConfigMap");
  out.key("metadata").start_object();
  out.member("name", resource.name).member("namespace", target_namespace(request));
  write_texts(out, "labels", labels);
  write_texts(out, "annotations", annotations);
  out.end_object();
  for (const std::string_view name : kContent) {
    const json::Value content = document->root()[name];
    if (!content.is_nothing()) out.key(name).value(content);
  }
  out.end_object();
  return text;
}

bool applies_itself(const api::GraphDeploymentRequest& request) {
  return request.spec()["autoApply"].boolean().value_or(false);
}

std::string describe_other_namespaces(const api::GraphDeploymentRequest& request,
                                      const ProfilingResult& result) {
  const auto generated = json::parse_copy(result.graph);
  const json::Value metadata = generated->root()["metadata"];
  const std::string_view of_graph = metadata["namespace"].string_or_empty();
  const std::string target = target_namespace(request);
  const bool has_other = !of_graph.empty() && of_graph != target;
  std::string text;
  std::vector<std::string> moved;
  if (has_other && applies_itself(request)) {
    moved.push_back(named_object(of_graph, kGraphs.kind, metadata["name"].string_or_empty()));
  } else if (has_other) {
    text = "status.generatedDeployment names namespace " + quoted_name(of_graph) +
           ", and a client applies it there, not in " + described_target(request);
  }
  for (const AdditionalResource& each : result.additional) {
    if (!can_be_created(each)) continue;
    if (each.namespace_name.empty() || each.namespace_name == target) continue;
    moved.push_back(named_object(each.namespace_name, each.kind, each.name));
  }
  if (moved.empty()) return text;
  if (!text.empty()) text += "; ";
  text += "the result names " + listed(moved);
  text += moved.size() == 1 ? "; it is created in " : "; they are created in ";
  return text + described_target(request);
}

std::string describe_refused_objects(const ProfilingResult& result) {
  constexpr std::size_t kMaxShown = 128;
  std::vector<std::string> refused;
  for (const AdditionalResource& each : result.additional) {
    if (can_be_created(each)) continue;
    text::append_presentable(refused.emplace_back(), each.kind + " " + each.name, kMaxShown);
  }
  return listed(refused);
}

kube::ObjectKey labelled_request(const kube::Object& object) {
  const json::Value labels = object.root()["metadata"]["labels"];
  return {.namespace_name = std::string(labels[kRequestNamespace].string_or_empty()),
          .name = std::string(labels[kRequestName].string_or_empty())};
}

bool is_older(const kube::Object& object, const kube::Object& request) {
  const auto created_at = [](const kube::Object& each) {
    return text::parse_timestamp(each.root()["metadata"]["creationTimestamp"].string_or_empty());
  };
  const auto created = created_at(object);
  const auto requested = created_at(request);
  return created && requested && *created < *requested;
}

}  // namespace dynamo::reconciler::request
