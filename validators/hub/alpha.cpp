// Rules of later operators for fields that only v1alpha1 has, on the object in v1alpha1. Fields are
// v1alpha1 paths.
#include <cstddef>
#include <cstdint>
#include <string>
#include <string_view>

#include "validators/hub/runtime_version.hpp"
#include "validators/hub/view.hpp"
#include "validators/rule.hpp"

namespace dynamo::validators::hub::alpha {

using api::ErrorType;
using api::FieldPath;

namespace {

void claim_name(const ObjectView& object, Report& report) {
  constexpr FieldPath kSpec{"spec"};
  const FieldPath claims = kSpec.child("pvcs");
  std::size_t index = 0;
  for (const json::Value claim : object.input.alpha["spec"]["pvcs"].elements()) {
    const FieldPath path = claims.index(index++);
    if (!claim.is_object() || !claim["name"].string_or_empty().empty()) continue;
    report.add(ErrorType::kRequired, path.child("name"),
               "must not be empty; give the name of the claim");
  }
}

void deprecated(const AlphaServiceView& view, Report& report) {
  if (!view.spec["dynamoNamespace"].string_or_empty().empty()) {
    const api::Context& context = view.object.context();
    std::string effective = "dynamo";
    if (!is_true(view.spec["globalDynamoNamespace"])) {
      effective = std::string(context.namespace_name) + "-";
      if (view.object.is_graph()) {
        for (const char letter : context.object_name) effective += letter == '.' ? '-' : letter;
      }
    }
    report.also_warn(view.path.child("dynamoNamespace"),
                     "is deprecated and ignored, " + quoted(effective) + " is used; remove it");
  }
  if (!view.spec["autoscaling"].is_nothing()) {
    report.also_warn(view.path.child("autoscaling"),
                     "is deprecated and ignored; remove it and use scalingAdapter instead");
  }
}

void check_executor(const AlphaServiceView& view, Report& report) {
  const json::Value executor = view.spec["annotations"][kExecutorAnnotation];
  if (executor.is_nothing() || is_executor_backend(executor.string_or_empty())) return;
  const FieldPath annotations = view.path.child("annotations");
  report.add(ErrorType::kInvalid, annotations.key(kExecutorAnnotation),
             "must be mp or ray; found " + quoted(executor.string_or_empty()));
}

void check_mounts(const AlphaServiceView& view, Report& report) {
  const FieldPath mounts = view.path.child("volumeMounts");
  std::size_t index = 0;
  for (const json::Value mount : view.spec["volumeMounts"].elements()) {
    const FieldPath path = mounts.index(index++);
    if (!mount.is_object() || !mount["mountPoint"].string_or_empty().empty()) continue;
    if (is_true(mount["useAsCompilationCache"])) continue;
    report.add(ErrorType::kRequired, path.child("mountPoint"),
               "must be set unless useAsCompilationCache is true; set an absolute path");
  }
}

void check_endpoint_picker(const AlphaServiceView& view, Report& report) {
  const json::Value config = view.spec["eppConfig"];
  if (config.is_nothing()) return;
  const bool reference = !config["configMapRef"].is_nothing();
  if (reference != !config["config"].is_nothing()) return;
  report.add(ErrorType::kForbidden, view.path.child("eppConfig"),
             std::string("must have exactly one of configMapRef and config; found ") +
                 (reference ? "both; remove one" : "neither; give one, or remove eppConfig"));
}

void check_shadows(const AlphaServiceView& view, Report& report) {
  const json::Value failover = view.spec["failover"];
  const json::Value shadows = failover["numShadows"];
  if (!is_true(failover["enabled"]) || shadows.is_nothing()) return;
  if (failover["mode"].string_or_empty() == "interPod") return;
  const std::int64_t number = shadows.integer().value_or(0);
  if (number == 0 || number == 1) return;
  const FieldPath path = view.path.child("failover");
  report.add(ErrorType::kInvalid, path.child("numShadows"),
             "must be 1 within a pod; found " + std::to_string(number) +
                 "; more shadows need mode interPod");
}

void service_fields(const AlphaServiceView& view, Report& report) {
  check_executor(view, report);
  check_mounts(view, report);
  const json::Value ingress = view.spec["ingress"];
  if (is_true(ingress["enabled"]) && ingress["host"].string_or_empty().empty()) {
    const FieldPath path = view.path.child("ingress");
    report.add(ErrorType::kRequired, path.child("host"),
               "must be set when ingress.enabled is true; set a host name or disable the ingress");
  }
  check_endpoint_picker(view, report);
  const json::Value containers = view.spec["extraPodSpec"]["containers"];
  if (!view.spec["frontendSidecar"].is_nothing() &&
      find_named(containers, "sidecar-frontend").value.exists()) {
    report.add(ErrorType::kForbidden, view.path.child("frontendSidecar"),
               "must not be set while extraPodSpec has a container sidecar-frontend, the name of "
               "the generated one; rename that container");
  }
  check_shadows(view, report);
}

std::string_view image_of(json::Value service) {
  return service["extraPodSpec"]["mainContainer"]["image"].string_or_empty();
}

void require_image(const AlphaServiceView& view, Report& report) {
  const FieldPath pod = view.path.child("extraPodSpec");
  const FieldPath main = pod.child("mainContainer");
  report.add(ErrorType::kRequired, main.child("image"),
             [] { return "must not be empty; name the image of the service"; });
}

void require_version(const AlphaServiceView& view, Report& report) {
  const FieldPath pod = view.path.child("extraPodSpec");
  const FieldPath main = pod.child("mainContainer");
  report.add(ErrorType::kRequired, view.path.child("runtimeVersionOverride"),
             [&] { return describe_missing_override(main.child("image"), image_of(view.spec)); });
}

void runtime_image(const AlphaServiceView& view, Report& report) {
  if (view.object.is_update() || !view.object.input.is_alpha_request) return;
  const std::string_view image = image_of(view.spec);
  if (image.empty()) return require_image(view, report);
  if (!view.object.is_graph()) return;
  if (!needs_version_override(image, view.spec["runtimeVersionOverride"].string_or_empty())) return;
  require_version(view, report);
}

void runtime_image_kept(const AlphaServiceView& view, Report& report) {
  if (!view.object.input.is_alpha_request) return;
  const std::string_view image = image_of(view.spec);
  const std::string_view old_image = image_of(view.old);
  if (image.empty()) {
    if (!old_image.empty()) require_image(view, report);
    return;
  }
  const std::string_view version = view.spec["runtimeVersionOverride"].string_or_empty();
  const bool is_changed =
      image != old_image || version != view.old["runtimeVersionOverride"].string_or_empty();
  if (!view.object.is_graph() || !is_changed || !needs_version_override(image, version)) return;
  require_version(view, report);
}

}  // namespace

extern constexpr Rule kClaimNameRule{
    .id = "hub.alpha.claim-name",
    .kinds = kinds::kGraphs,
    .ratchet = Ratchet::kNo,
    .function = &claim_name,
    .field = "spec.pvcs[i].name",
};

extern constexpr Rule kServiceFieldsRule{
    .id = "hub.alpha.service",
    .kinds = kinds::kServices,
    .ratchet = Ratchet::kNo,
    .function = &service_fields,
    .field = "P.annotations, P.volumeMounts, P.ingress, P.eppConfig, P.frontendSidecar, P.failover",
};

extern constexpr Rule kDeprecatedRule{
    .id = "hub.alpha.deprecated",
    .kinds = kinds::kServices,
    .severity = Severity::kWarn,
    .ratchet = Ratchet::kNo,
    .function = &deprecated,
    .field = "P.dynamoNamespace, P.autoscaling",
};

extern constexpr Rule kRuntimeImageRule{
    .id = "hub.alpha.runtime-image",
    .kinds = kinds::kServices,
    .ratchet = Ratchet::kNo,
    .function = &runtime_image,
    .field = "M.image, P.runtimeVersionOverride",
};

extern constexpr Rule kRuntimeImageKeptRule{
    .id = "hub.alpha.runtime-image-kept",
    .kinds = kinds::kServices,
    .operations = kOnUpdate,
    .ratchet = Ratchet::kNo,
    .function = &runtime_image_kept,
    .field = "M.image, P.runtimeVersionOverride",
};

}  // namespace dynamo::validators::hub::alpha
