#include "reconciler/request/prerequisites.hpp"

#include <cstddef>

#include "api/field_path.hpp"
#include "render/component/names.hpp"
#include "text/quoted.hpp"

namespace dynamo::reconciler::request {
namespace {

constexpr std::size_t kMaxObjectName = 253;
// The Job's name becomes a label of its pods.
constexpr std::size_t kMaxJobName = 63;

std::string found_no(std::string_view kind, std::string_view name) {
  return std::string("; found no ").append(kind) + " " + text::quoted(name, kMaxObjectName);
}

bool has_key(const kube::Object& config_map, std::string_view key) {
  return config_map.root()["data"][key].exists() || config_map.root()["binaryData"][key].exists();
}

}  // namespace

NamedObjects named_objects(const api::GraphDeploymentRequest& request) {
  constexpr std::string_view kUsualKey = "disagg.yaml";
  const json::Value reference = request.profiling()["configMapRef"];
  const json::Value cache = request.profiler_config()["deployment"]["modelCache"];
  const std::string_view key = reference["key"].string_or_empty();
  return {.config_map = reference["name"].string_or_empty(),
          .config_map_key = key.empty() ? kUsualKey : key,
          .claim = cache["pvcName"].string_or_empty()};
}

std::vector<std::string> missing_prerequisites(const api::GraphDeploymentRequest& request,
                                               const ObservedObjects& objects) {
  std::vector<std::string> missing;
  const render::Name job = render::profiling_job_name(request.metadata().name());
  if (job.size() > kMaxJobName) {
    missing.push_back("metadata.name: must leave room for the name of the Job " + job.str() +
                      ", which has at most " + std::to_string(kMaxJobName) + " characters; found " +
                      std::to_string(job.size()) + ": create the request with a shorter name");
  }
  const NamedObjects named = named_objects(request);
  constexpr api::FieldPath kSpec{"spec"};
  const api::FieldPath profiling = kSpec.child("profilingConfig");
  const api::FieldPath reference = profiling.child("configMapRef");
  if (!named.config_map.empty()) {
    const kube::Object* const config_map = objects.find("ConfigMap", named.config_map);
    const std::string key = text::quoted(named.config_map_key, kMaxObjectName);
    if (config_map == nullptr) {
      missing.push_back(
          reference.render() + ": must name a ConfigMap of the namespace with the key " + key +
          found_no("ConfigMap", named.config_map) + ": create it, then retry the request");
    } else if (!has_key(*config_map, named.config_map_key)) {
      missing.push_back(reference.render() + ": must name a key of ConfigMap " +
                        text::quoted(named.config_map, kMaxObjectName) + "; found no key " + key +
                        ": add it, then retry the request");
    }
  }
  if (!named.claim.empty() && objects.find("PersistentVolumeClaim", named.claim) == nullptr) {
    const api::FieldPath config = profiling.child("config");
    missing.push_back(config.child("deployment.modelCache.pvcName").render() +
                      ": must name a claim of the namespace" +
                      found_no("PersistentVolumeClaim", named.claim) +
                      ": create it, then retry the request");
  }
  return missing;
}

}  // namespace dynamo::reconciler::request
