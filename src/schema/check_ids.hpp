// The ids of schema findings. Public and stable: catalog.cpp explains each.
#pragma once

#include <string_view>

namespace dynamo::schema::ids {

inline constexpr std::string_view kAnnotations = "metadata.annotations";
inline constexpr std::string_view kFinalizers = "metadata.finalizers";
inline constexpr std::string_view kGenerateName = "metadata.generate-name";
inline constexpr std::string_view kLabels = "metadata.labels";
inline constexpr std::string_view kName = "metadata.name";
inline constexpr std::string_view kNamespace = "metadata.namespace";
inline constexpr std::string_view kOwnerReferences = "metadata.owner-references";
inline constexpr std::string_view kApiVersion = "schema.api-version";
inline constexpr std::string_view kCheckpointJob = "schema.cel.checkpoint-job";
inline constexpr std::string_view kCheckpointSource = "schema.cel.checkpoint-source";
inline constexpr std::string_view kClaimCreation = "schema.cel.claim-creation";
inline constexpr std::string_view kComponentNames = "schema.cel.component-names";
inline constexpr std::string_view kContainerImage = "schema.cel.container-image";
inline constexpr std::string_view kEppConfigSource = "schema.cel.epp-config-source";
inline constexpr std::string_view kEppConfigType = "schema.cel.epp-config-type";
inline constexpr std::string_view kExecutorBackend = "schema.cel.executor-backend";
inline constexpr std::string_view kGmsClientContainers = "schema.cel.gms-client-containers";
inline constexpr std::string_view kGmsClientPods = "schema.cel.gms-client-pods";
inline constexpr std::string_view kGmsClientPodsReserved = "schema.cel.gms-client-pods-reserved";
inline constexpr std::string_view kIdentityUnchanged = "schema.cel.identity-unchanged";
inline constexpr std::string_view kInitContainerImage = "schema.cel.init-container-image";
inline constexpr std::string_view kKvPreferredWeight = "schema.cel.kv-preferred-weight";
inline constexpr std::string_view kKvTopology = "schema.cel.kv-topology";
inline constexpr std::string_view kKvWeightEnforcement = "schema.cel.kv-weight-enforcement";
inline constexpr std::string_view kLabelPrefix = "schema.cel.label-prefix";
inline constexpr std::string_view kMinAvailable = "schema.cel.min-available";
inline constexpr std::string_view kMinAvailableUnchanged = "schema.cel.min-available-unchanged";
inline constexpr std::string_view kRestartOnCreate = "schema.cel.restart-on-create";
inline constexpr std::string_view kSharedMemorySize = "schema.cel.shared-memory-size";
inline constexpr std::string_view kSingleEpp = "schema.cel.single-epp";
inline constexpr std::string_view kDroppedDocument = "schema.dropped-document";
inline constexpr std::string_view kDuplicateField = "schema.duplicate-field";
inline constexpr std::string_view kDuplicateItem = "schema.duplicate-item";
inline constexpr std::string_view kEnum = "schema.enum";
inline constexpr std::string_view kFormat = "schema.format";
inline constexpr std::string_view kItems = "schema.items";
inline constexpr std::string_view kKind = "schema.kind";
inline constexpr std::string_view kLength = "schema.length";
inline constexpr std::string_view kMaximum = "schema.maximum";
inline constexpr std::string_view kMinimum = "schema.minimum";
inline constexpr std::string_view kPattern = "schema.pattern";
inline constexpr std::string_view kProperties = "schema.properties";
inline constexpr std::string_view kRequired = "schema.required";
inline constexpr std::string_view kType = "schema.type";
inline constexpr std::string_view kUnknownField = "schema.unknown-field";

}  // namespace dynamo::schema::ids
