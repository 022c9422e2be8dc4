// The validated kinds of group nvidia.com, and the operations on them.
#pragma once

#include <array>
#include <cstddef>
#include <optional>
#include <string_view>

namespace dynamo::api {

inline constexpr std::string_view kGroup = "nvidia.com";
inline constexpr std::string_view kVersion = "v1alpha1";
inline constexpr std::string_view kApiVersion = "nvidia.com/v1alpha1";

// The API versions of the group. Operators of the first generation serve only v1alpha1.
enum class Version : unsigned char { kV1alpha1, kV1beta1 };
inline constexpr std::array<std::string_view, 2> kVersionNames{kVersion, "v1beta1"};

constexpr std::string_view name(Version version) {
  return kVersionNames[static_cast<std::size_t>(version)];
}

// The finalizer of the operator, and of the reconciler in its place.
inline constexpr std::string_view kFinalizer = "nvidia.com/finalizer";

// The label of objects that controllers create for a graph; its value is the graph's name.
inline constexpr std::string_view kGraphLabel = "nvidia.com/dynamo-graph-deployment-name";

enum class Kind : unsigned char {
  kGraphDeployment,
  kComponentDeployment,
  kModel,
  kGraphDeploymentRequest,
  kCheckpoint,
  kScalingAdapter,
};
inline constexpr std::size_t kKindCount = 6;

struct KindNames {
  Kind kind;
  std::string_view name;      // as in `kind:` and in metric labels
  std::string_view singular;  // lower case, as in webhook paths
  std::string_view short_name;
};

inline constexpr std::array<KindNames, kKindCount> kKinds{{
    {Kind::kGraphDeployment, "DynamoGraphDeployment", "dynamographdeployment", "dgd"},
    {Kind::kComponentDeployment, "DynamoComponentDeployment", "dynamocomponentdeployment", "dcd"},
    {Kind::kModel, "DynamoModel", "dynamomodel", "dm"},
    {Kind::kGraphDeploymentRequest, "DynamoGraphDeploymentRequest", "dynamographdeploymentrequest",
     "dgdr"},
    {Kind::kCheckpoint, "DynamoCheckpoint", "dynamocheckpoint", "dckpt"},
    {Kind::kScalingAdapter, "DynamoGraphDeploymentScalingAdapter",
     "dynamographdeploymentscalingadapter", "dgdsa"},
}};

constexpr const KindNames& names(Kind kind) {
  return kKinds[static_cast<std::size_t>(kind)];
}

// Whether later operators serve the kind in both versions, and store v1beta1.
constexpr bool has_two_versions(Kind kind) {
  return kind != Kind::kModel && kind != Kind::kCheckpoint;
}

// The operations of an AdmissionReview.
enum class Operation : unsigned char { kCreate, kUpdate, kDelete, kConnect };
inline constexpr std::array<std::string_view, 4> kOperationNames{"CREATE", "UPDATE", "DELETE",
                                                                 "CONNECT"};

constexpr std::string_view name(Operation operation) {
  return kOperationNames[static_cast<std::size_t>(operation)];
}

// The operation with that name, or nullopt.
constexpr std::optional<Operation> parse_operation(std::string_view text) {
  for (std::size_t i = 0; i < kOperationNames.size(); ++i) {
    if (kOperationNames[i] == text) return static_cast<Operation>(i);
  }
  return std::nullopt;
}

}  // namespace dynamo::api
