// Rules of later operators for a DynamoGraphDeploymentRequest in v1beta1.
#include <algorithm>
#include <array>
#include <string>
#include <string_view>

#include "validators/hub/runtime_version.hpp"
#include "validators/hub/view.hpp"
#include "validators/rule.hpp"

namespace dynamo::validators::hub::request {

using api::ErrorType;
using api::FieldPath;

namespace {

constexpr FieldPath kSpec{"spec"};

std::string_view text(json::Value spec, std::string_view field) {
  return spec[field].string_or_empty();
}

bool lacks_hardware(json::Value spec) {
  const json::Value hardware = spec["hardware"];
  return text(hardware, "gpuSku").empty() && hardware["vramMb"].is_nothing() &&
         hardware["numGpusPerNode"].is_nothing();
}

void hardware(const ObjectView& object, Report& report) {
  if (object.context().facts.gpu_discovery != api::Fact::kNo) return;
  if (!lacks_hardware(object.spec())) return;
  if (object.is_update() && lacks_hardware(object.old_spec())) return;
  report.add(ErrorType::kRequired, kSpec.child("hardware"),
             "must describe the GPUs, because the operator does not discover them; set gpuSku, "
             "vramMb and numGpusPerNode");
}

bool is_unsearchable(json::Value spec) {
  const std::string_view backend = text(spec, "backend");
  return text(spec, "searchStrategy") == "thorough" && (backend.empty() || backend == "auto");
}

void search_strategy(const ObjectView& object, Report& report) {
  if (!is_unsearchable(object.spec())) return;
  if (object.is_update() && is_unsearchable(object.old_spec())) return;
  report.add(ErrorType::kInvalid, kSpec.child("searchStrategy"),
             "must not be thorough while backend is auto; name a backend, or use rapid");
}

bool is_applied(json::Value spec) {
  return spec["autoApply"].boolean().value_or(true);
}

void runtime_version(const ObjectView& object, Report& report) {
  const std::string_view image = text(object.spec(), "image");
  const std::string_view version = text(object.spec(), "runtimeVersionOverride");
  if (image.empty() || !needs_version_override(image, version)) return;
  if (object.is_update()) {
    const json::Value old = object.old_spec();
    const bool is_changed = image != text(old, "image") ||
                            version != text(old, "runtimeVersionOverride") ||
                            (!is_applied(old) && is_applied(object.spec()));
    if (!is_changed) return;
  }
  report.add(ErrorType::kRequired, kSpec.child("runtimeVersionOverride"),
             "must be set if the tag of the image is not a version such as 1.5.0; give the version "
             "of the Dynamo runtime in the image");
}

// Whether the specs differ in nothing but the fields that a finished request may change.
bool is_only_applied(json::Value old, json::Value now) {
  const auto has_same_members = [](json::Value left, json::Value right) {
    for (const json::Member member : left.members()) {
      if (member.name == "autoApply" || member.name == "runtimeVersionOverride") continue;
      if (!are_same(left[member.name], right[member.name])) return false;
    }
    return true;
  };
  return has_same_members(old, now) && has_same_members(now, old);
}

void frozen(const ObjectView& object, Report& report) {
  constexpr std::array<std::string_view, 4> kFrozen{"Profiling", "Deploying", "Ready", "Deployed"};
  const std::string_view phase = object.input.old["status"]["phase"].string_or_empty();
  if (std::ranges::find(kFrozen, phase) == kFrozen.end()) return;
  const json::Value old = object.old_spec();
  const json::Value now = object.spec();
  if (are_same(old, now)) return;
  if (!is_applied(old) && (phase == "Profiling" || phase == "Ready") && is_only_applied(old, now) &&
      (!is_applied(now) || phase == "Ready")) {
    return;
  }
  report.add(ErrorType::kForbidden, kSpec,
             "must not change once status.phase is " + quoted(phase) +
                 "; delete the request and create it again");
}

}  // namespace

extern constexpr Rule kHardwareRule{
    .id = "hub.request.hardware",
    .kinds = kinds::kRequests,
    .ratchet = Ratchet::kNo,
    .function = &hardware,
    .field = "spec.hardware",
};

extern constexpr Rule kSearchStrategyRule{
    .id = "hub.request.search-strategy",
    .kinds = kinds::kRequests,
    .ratchet = Ratchet::kNo,
    .function = &search_strategy,
    .field = "spec.searchStrategy",
};

extern constexpr Rule kRuntimeVersionRule{
    .id = "hub.request.runtime-version",
    .kinds = kinds::kRequests,
    .ratchet = Ratchet::kNo,
    .function = &runtime_version,
    .field = "spec.runtimeVersionOverride",
};

extern constexpr Rule kFrozenRule{
    .id = "hub.request.frozen",
    .kinds = kinds::kRequests,
    .operations = kOnUpdate,
    .ratchet = Ratchet::kNo,
    .function = &frozen,
    .field = "spec",
};

}  // namespace dynamo::validators::hub::request
