// DynamoModels and EndpointSlices for tests.
#pragma once

#include <string>
#include <string_view>
#include <vector>

#include "json/writer.hpp"
#include "kube/object/object.hpp"
#include "tests/support/json_tree.hpp"

namespace dynamo::test {

struct ModelShape {
  std::string type = "lora";
  std::string status = "{}";
  std::string finalizers = R"(["nvidia.com/finalizer"])";
  bool going = false;
  std::string name = "a";
};

inline std::string model_text(const ModelShape& shape, const std::string& spec = "") {
  const std::string usual =
      R"({"modelName":"my lora/v1","baseModelName":"Qwen/Qwen3-0.6B","modelType":")" + shape.type +
      R"(","source":{"uri":"s3://b/k?x=<1>&y=2"}})";
  return R"({"apiVersion":"nvidia.com/v1alpha1","kind":"DynamoModel","metadata":{"name":")" +
         shape.name +
         R"(","namespace":"team-a","uid":"u-1","resourceVersion":"7","generation":4,)"
         R"("finalizers":)" +
         shape.finalizers + (shape.going ? R"(,"deletionTimestamp":"2026-01-01T00:00:00Z")" : "") +
         R"(},"spec":)" + (spec.empty() ? usual : spec) + R"(,"status":)" + shape.status + "}";
}

inline kube::Object model_of(const ModelShape& shape) {
  return kube::Object::parse(model_text(shape)).value();
}

inline kube::Object model_with_spec(const std::string& spec) {
  return kube::Object::parse(model_text({}, spec)).value();
}

// The model with a status merge patch applied.
inline kube::Object merged(const kube::Object& model, std::string_view patch) {
  Tree tree = Tree::of(model.root());
  const Tree whole = Tree::parse(patch);
  const Tree* const status = whole.find("status");
  for (std::size_t i = 0; status != nullptr && i < status->names.size(); ++i) {
    Tree& into = tree["status"];
    if (status->children[i].type == json::Type::kNull) {
      into.erase(status->names[i]);
    } else {
      into[status->names[i]] = status->children[i];
    }
  }
  return kube::Object::parse(tree.to_text()).value();
}

struct PodAddress {
  std::string address;
  std::string pod;
};

struct SliceShape {
  std::string service = "svc-a";
  std::string space = "team-a";
  std::string hash = "fb68f5a6";  // of Qwen/Qwen3-0.6B
};

inline std::string slice_text(std::string_view name, const std::string& endpoints,
                              const SliceShape& shape = {}) {
  std::string text;
  json::Writer writer(text);
  writer.start_object().member("apiVersion", "discovery.k8s.io/v1").member("kind", "EndpointSlice");
  writer.member("addressType", "IPv4");
  writer.key("metadata").start_object().member("name", name).member("namespace", shape.space);
  writer.key("labels").start_object();
  if (!shape.service.empty()) writer.member("kubernetes.io/service-name", shape.service);
  writer.member("nvidia.com/dynamo-base-model-hash", shape.hash).end_object().end_object();
  writer.key("endpoints").raw(endpoints).end_object();
  return text;
}

// One endpoint per address.
inline std::string endpoints_text(const std::vector<PodAddress>& addresses) {
  std::string text;
  json::Writer writer(text);
  writer.start_array();
  for (const PodAddress& each : addresses) {
    writer.start_object().key("addresses").start_array().string(each.address).end_array();
    writer.key("targetRef").start_object().member("kind", "Pod").member("name", each.pod);
    writer.end_object().end_object();
  }
  writer.end_array();
  return text;
}

inline kube::Object slice_of(std::string_view name, const std::vector<PodAddress>& addresses,
                             const SliceShape& shape = {}) {
  return kube::Object::parse(slice_text(name, endpoints_text(addresses), shape)).value();
}

inline kube::Object slice_with_endpoints(const std::string& endpoints) {
  return kube::Object::parse(slice_text("s", endpoints)).value();
}

}  // namespace dynamo::test
