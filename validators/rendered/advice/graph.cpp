// Advice about a graph: missing frontend, unused claims.
#include <algorithm>
#include <array>
#include <bitset>

#include "validators/rule.hpp"

namespace dynamo::validators::advice {

using api::Context;

namespace {

using api::ErrorType;
using api::FieldPath;

constexpr FieldPath kSpec{"spec"};
constexpr FieldPath kServices = kSpec.child("services");
constexpr FieldPath kClaims = kSpec.child("pvcs");

// Well above realistic lists; further claims are ignored.
constexpr std::size_t kMaxClaims = 64;

// The claims of a graph, and which of them a volume uses.
struct Claims {
  std::array<std::string_view, kMaxClaims> names = {};
  std::size_t count = 0;
  std::bitset<kMaxClaims> used = {};

  void use(std::string_view name) {
    for (std::size_t i = 0; i < count; ++i) {
      if (names[i] == name) used.set(i);
    }
  }
};

// The claim that a volume mounts; "" for another source.
std::string_view claim_of(const render::Volume& volume) {
  if (volume.kind == render::VolumeSource::kPersistentVolumeClaim) return volume.source;
  return volume.definition["persistentVolumeClaim"]["claimName"].string_or_empty();
}

void no_frontend(const Context&, const RenderedObject& object, Report& report) {
  if (object.pods.empty()) return;
  const bool entered = std::ranges::any_of(object.pods, [](const RenderedPod& pod) {
    const render::ComponentType type = pod.component->type;
    return type == render::ComponentType::kFrontend ||
           type == render::ComponentType::kEndpointPicker;
  });
  if (entered) return;
  report.add(ErrorType::kRequired, kServices,
             "must have a service with componentType frontend, or one of another graph has to take "
             "the requests; found none; add one");
}

void unused_claim(const Context&, const RenderedObject& object, Report& report) {
  if (object.pods.empty()) return;
  Claims claims;
  for (const json::Value claim : object.object.spec()["pvcs"].elements()) {
    if (claims.count == kMaxClaims) break;
    claims.names[claims.count++] = claim["name"].string_or_empty();
  }
  if (claims.count == 0) return;
  claims.use({});  // another rule reports a claim without a name
  for (const RenderedPod& pod : object.pods) {
    for (const render::Volume& volume : pod.pod->volumes) {
      if (const std::string_view name = claim_of(volume); !name.empty()) claims.use(name);
    }
  }
  for (std::size_t i = 0; i < claims.count; ++i) {
    if (claims.used[i]) continue;
    report.add(ErrorType::kInvalid, kClaims.index(i).child("name"),
               "must be a claim that some service mounts; found " + quoted(claims.names[i]) +
                   ", which none does; mount it in volumeMounts, or remove it");
  }
}

}  // namespace

extern constexpr Rule kNoFrontendRule{
    .id = "dgd.frontend.missing",
    .kinds = kinds::kGraphs,
    .severity = Severity::kOff,
    .function = &no_frontend,
    .field = "spec.services",
};

extern constexpr Rule kUnusedClaimRule{
    .id = "storage.pvc.unused",
    .kinds = kinds::kGraphs,
    .severity = Severity::kOff,
    .function = &unused_claim,
    .field = "spec.pvcs[i].name",
};

}  // namespace dynamo::validators::advice
