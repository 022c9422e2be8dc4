// The parts of a DynamoGraphDeploymentRequest that need more than a table of moves.
#pragma once

#include <optional>
#include <string>

#include "conversion/kinds.hpp"
#include "conversion/tree.hpp"

namespace dynamo::conversion {

// --- `profilingConfig.config`: free JSON in v1alpha1, typed fields in v1beta1.

// Whether an opaque value is a JSON object.
bool is_json_object(const Node* opaque);
// Sets the typed fields of a v1beta1 spec. Precondition: is_json_object(config).
void project_config(Arena& arena, const Node* config, Node* beta);
// The config without what project_config() reads, or null if nothing remains. An object that was
// empty before stays.
Node* config_remainder(Arena& arena, const Node* config);
// The config of a v1beta1 spec over the saved one, or null.
Node* build_config(Arena& arena, const Node* beta, const Node* saved);

// --- `overrides.profilingJob`: three fields of `profilingConfig` in v1alpha1.

// The job of a v1alpha1 `profilingConfig`, or null.
Node* build_profiling_job(Arena& arena, const Node* profiling_config);
// A live job over the job of an earlier v1beta1 object. Either may be null.
const Node* merge_profiling_job(Arena& arena, const Node* live, const Node* hub);
// Sets the three fields of a `profilingConfig`.
void split_profiling_job(Arena& arena, const Node* job, Node* profiling_config);
// The job without what split_profiling_job() reads, or null.
Node* profiling_job_remainder(Arena& arena, const Node* job);

void convert_request_status_to_beta(ObjectConversion& object);
void convert_request_status_to_alpha(ObjectConversion& object);

}  // namespace dynamo::conversion
