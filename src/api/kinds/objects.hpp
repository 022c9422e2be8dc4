// Thin read-only views of the kinds of nvidia.com/v1alpha1, one class per kind. They copy nothing
// and are valid while the document is. A field with the wrong type reads as absent.
#pragma once

#include <string_view>

#include "api/kinds/object_meta.hpp"
#include "api/kinds/service.hpp"
#include "json/document.hpp"

namespace dynamo::api {

// The operator version that created a graph; set by defaulting.
inline constexpr std::string_view kOriginVersionAnnotation =
    "nvidia.com/dynamo-operator-origin-version";
// Later operators record in it which controller runs a graph, when the graph is created.
inline constexpr std::string_view kProviderAnnotation = "nvidia.com/workload-provider";

// Fields that all kinds have.
class Object {
 public:
  explicit Object(json::Value object) : object_(object) {}
  json::Value value() const { return object_; }
  ObjectMeta metadata() const { return ObjectMeta{object_["metadata"]}; }
  json::Value spec() const { return object_["spec"]; }
  json::Value status() const { return object_["status"]; }

 private:
  json::Value object_;
};

class GraphDeployment : public Object {
 public:
  using Object::Object;
  std::string_view backend_framework() const {
    return spec()["backendFramework"].string_or_empty();
  }
  json::Value pvcs() const { return spec()["pvcs"]; }
  json::Value services() const { return spec()["services"]; }
  json::Value restart() const { return spec()["restart"]; }
  json::Value restart_order() const { return restart()["strategy"]["order"]; }
};

class ComponentDeployment : public Object {
 public:
  using Object::Object;
  std::string_view backend_framework() const {
    return spec()["backendFramework"].string_or_empty();
  }
  Service service() const { return Service{spec()}; }
};

class Model : public Object {
 public:
  using Object::Object;
  std::string_view model_name() const { return spec()["modelName"].string_or_empty(); }
  std::string_view base_model_name() const { return spec()["baseModelName"].string_or_empty(); }
  std::string_view model_type() const { return spec()["modelType"].string_or_empty(); }
  json::Value source() const { return spec()["source"]; }
  std::string_view source_uri() const { return source()["uri"].string_or_empty(); }
};

class GraphDeploymentRequest : public Object {
 public:
  using Object::Object;
  std::string_view model() const { return spec()["model"].string_or_empty(); }
  std::string_view backend() const { return spec()["backend"].string_or_empty(); }
  bool is_gpu_discovery_enabled() const {
    return spec()["enableGpuDiscovery"].boolean().value_or(false);
  }
  json::Value profiling() const { return spec()["profilingConfig"]; }
  json::Value profiler_config() const { return profiling()["config"]; }
  std::string_view state() const { return status()["state"].string_or_empty(); }
};

class Checkpoint : public Object {
 public:
  using Object::Object;
  json::Value identity() const { return spec()["identity"]; }
  json::Value job() const { return spec()["job"]; }
};

class ScalingAdapter : public Object {
 public:
  using Object::Object;
  json::Value graph_reference() const { return spec()["dgdRef"]; }
};

}  // namespace dynamo::api
