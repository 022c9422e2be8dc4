// Objects that wait for a controller which does not run.
#pragma once

#include <array>
#include <chrono>
#include <string_view>

#include "doctor/evidence.hpp"
#include "kube/object/object.hpp"
#include "kube/object/resource.hpp"

namespace dynamo::doctor {

// A kind whose controller a dynamo-reconciler may omit.
struct ServableKind {
  kube::Resource resource;
  std::string_view status_field;  // which every controller of the kind writes first
  std::string_view controller;    // in --controllers of dynamo-reconciler
};

inline constexpr std::array<ServableKind, kServableKinds> kServable{{
    {{"nvidia.com", "v1alpha1", "dynamographdeploymentrequests", "DynamoGraphDeploymentRequest"},
     "state",
     "request"},
    {{"nvidia.com", "v1alpha1", "dynamocheckpoints", "DynamoCheckpoint"}, "phase", "checkpoint"},
}};

// A controller acts on a new object within this time, unless it is overloaded.
inline constexpr std::chrono::minutes kUnservedAfter{5};

// Whether no controller serves this object: dynamo-reconciler says so in the condition `Served`, or
// no controller has acted on it since it was created.
bool is_unserved(const kube::Object& object, const ServableKind& kind, TimePoint now);

}  // namespace dynamo::doctor
