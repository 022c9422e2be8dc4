// Reads what the profiler of a DynamoGraphDeploymentRequest has generated, from its ConfigMap.
#pragma once

#include <cstddef>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "api/kinds/objects.hpp"
#include "kube/object/object.hpp"

namespace dynamo::reconciler::request {

// The annotation with the generated documents other than the graph, as YAML.
inline constexpr std::string_view kAdditionalResources = "dgdr.nvidia.com/additional-resources";
inline constexpr std::size_t kMaxAdditionalResources = 250'000;  // bytes

// The graph becomes part of the request, whose annotation, spec and managedFields, which list each
// field of the graph, need space, too.
inline constexpr std::size_t kMaxGraph = 500'000;

// A generated document that is not a graph.
struct AdditionalResource {
  std::string kind = {};
  std::string name = {};
  std::string namespace_name = {};
  std::string manifest = {};  // JSON
};

struct ProfilingResult {
  // JSON: apiVersion, kind, spec, and of the metadata name, namespace, labels and annotations.
  std::string graph = {};
  std::vector<AdditionalResource> additional = {};  // in the order of the text
  std::string annotation = {};                      // kAdditionalResources; "" if there are none
};

struct Extraction {
  std::optional<ProfilingResult> result = {};
  std::string problem = {};  // why there is no result, one line
};

// The key of the ConfigMap that holds the result.
std::string_view result_key(const api::GraphDeploymentRequest& request);

// Reads the documents of the text as YAML 1.1, as kubectl does. The last graph counts. Documents
// that are no YAML or have no kind are skipped, but one that exceeds the reader's limits refuses
// the whole text. Pure; never throws for any content.
Extraction extract_result(const kube::Object& config_map, std::string_view key);

// For a ConfigMap that does not exist.
Extraction missing_result(std::string_view config_map);

}  // namespace dynamo::reconciler::request
