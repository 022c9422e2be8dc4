#include "manifests/builders.hpp"

#include <vector>

#include "json/writer.hpp"
#include "render/component/names.hpp"
#include "render/document/well_known.hpp"

namespace dynamo::render {

DesiredObject build_inference_pool(const Component& picker, const OwnerMetadata& owner,
                                   Arena& arena) {
  const std::vector<Label> labels = picker_labels(picker);
  std::string spec = "\"spec\":";
  json::Writer out(spec);
  out.start_object().key("endpointPickerRef").start_object().member("kind", "Service");
  out.member("name", access_name(picker).in(arena)).key("port").start_object();
  out.key("number").integer(port::kGrpc).end_object().end_object();
  out.key("selector").start_object().key("matchLabels").start_object();
  if (picker.has_later_operator()) {
    out.member(label::kComponentClass, "worker");
  } else {
    out.member(label::kComponentType, "frontend");
  }
  out.member(label::kDynamoNamespace, dynamo_namespace(picker).in(arena));
  out.end_object().end_object().key("targetPorts").start_array().start_object();
  out.key("number").integer(port::kHttp).end_object().end_array().end_object();
  return make_desired_object({.api_version = "inference.networking.k8s.io/v1",
                              .kind = "InferencePool",
                              .name = inference_pool_name(picker.graph_name).in(arena),
                              .namespace_name = picker.namespace_name,
                              .labels = labels,
                              .owner = owner},
                             spec);
}

}  // namespace dynamo::render
