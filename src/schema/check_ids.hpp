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
inline constexpr std::string_view kCheckpointSource = "schema.cel.checkpoint-source";
inline constexpr std::string_view kClaimCreation = "schema.cel.claim-creation";
inline constexpr std::string_view kIdentityUnchanged = "schema.cel.identity-unchanged";
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
