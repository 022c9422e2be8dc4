// Rules of later operators for one component: its name, pod, endpoint picker and images.
#include <algorithm>
#include <cstddef>
#include <string>
#include <string_view>
#include <vector>

#include "validators/content/amount.hpp"
#include "validators/hub/name_length.hpp"
#include "validators/hub/provider_override.hpp"
#include "validators/hub/runtime_version.hpp"
#include "validators/hub/view.hpp"
#include "validators/rule.hpp"

namespace dynamo::validators::hub::component {

using api::ErrorType;
using api::FieldPath;

namespace {

void name_length(const ComponentView& view, Report& report) {
  const api::Fact grove = view.object.is_on_grove();
  if (grove == api::Fact::kNo) return;
  const std::size_t length = view.object.clique_set.size() + name_budget(view.spec);
  if (length <= kLongestGroveName) return;
  const std::string detail = "must be shorter: the names of its Grove objects together have " +
                             std::to_string(length) + " characters, and at most " +
                             std::to_string(kLongestGroveName) + " fit";
  if (grove == api::Fact::kUnknown) {
    return report.also_warn(view.path.child("name"), detail + " if Grove runs the graph");
  }
  report.add(ErrorType::kInvalid, view.path.child("name"), detail);
}

// The words of command and args, as a shell would split them at blanks.
std::vector<std::string_view> words_of(json::Value container) {
  constexpr std::string_view kBlanks = " \t\r\n\v\f";
  std::vector<std::string_view> words;
  for (const std::string_view list : {"command", "args"}) {
    for (const json::Value item : container[list].elements()) {
      std::string_view text = item.string_or_empty();
      for (;;) {
        text.remove_prefix(std::min(text.find_first_not_of(kBlanks), text.size()));
        if (text.empty()) break;
        const std::size_t end = std::min(text.find_first_of(kBlanks), text.size());
        words.push_back(text.substr(0, end));
        text.remove_prefix(end);
      }
    }
  }
  return words;
}

// `FLAG ray` or `FLAG=ray`.
bool has_ray_backend(const std::vector<std::string_view>& words) {
  for (std::size_t at = 0; at < words.size(); ++at) {
    for (const std::string_view flag : {"--data-parallel-backend", "-dpb"}) {
      if (!words[at].starts_with(flag)) continue;
      const std::string_view rest = words[at].substr(flag.size());
      if (rest == "=ray") return true;
      if (rest.empty() && at + 1 < words.size() && words[at + 1] == "ray") return true;
    }
  }
  return false;
}

void elastic_command(const ComponentView& view, Report& report) {
  if (view.object.backend_framework() != "vllm") return;
  const IndexedValue main = main_container(view.spec);
  if (main.value["command"].size() > 0) return;
  const std::vector<std::string_view> words = words_of(main.value);
  if (std::ranges::find(words, "--enable-elastic-ep") == words.end()) return;
  if (!has_ray_backend(words)) return;
  const FieldPath pod = view.path.child("podTemplate");
  const FieldPath spec = pod.child("spec");
  const FieldPath containers = spec.child("containers");
  const FieldPath container = containers.index(main.index);
  report.add(ErrorType::kRequired, container.child("command"),
             "must be set for elastic expert parallelism over Ray: the operator starts Ray in "
             "front of it; write the command of the image, such as [python3, -m, dynamo.vllm]");
}

void component_override(const ComponentView& view, Report& report) {
  check_override(view.object, OverrideScope::kComponent, view.spec, view.spec["providerOverride"],
                 view.path.child("providerOverride"), report);
}

void min_available(const ComponentView& view, Report& report) {
  if (view.spec["minAvailable"].is_nothing()) return;
  require_grove(view.object, view.path.child("minAvailable"), report);
}

void role_override(const ComponentView& view, Report& report) {
  const FieldPath multinode = view.path.child("multinode");
  for (const std::string_view role : {"leader", "worker"}) {
    const FieldPath path = multinode.child(role);
    check_override(view.object, OverrideScope::kRole, view.spec,
                   view.spec["multinode"][role]["providerOverride"], path.child("providerOverride"),
                   report);
  }
}

void shared_memory(const ComponentView& view, Report& report) {
  const auto size = amount_of(view.spec["sharedMemorySize"]);
  if (!size || !size->is_below_zero()) return;
  report.add(ErrorType::kInvalid, view.path.child("sharedMemorySize"),
             "must not be negative; write a size such as 16Gi, or 0 for none");
}

void inference_pool(const ComponentView& view, Report& report) {
  const api::Fact served = view.object.context().facts.inference_pool_served;
  if (!view.object.is_graph() || served == api::Fact::kYes) return;
  const FieldPath path = view.path.child("type");
  if (served == api::Fact::kUnknown) {
    return report.also_warn(path,
                            "needs the API group inference.networking.k8s.io; not checked here");
  }
  report.add(ErrorType::kForbidden, path,
             "epp needs the API group inference.networking.k8s.io, which this cluster does not "
             "serve; install the Gateway API Inference Extension");
}

void endpoint_picker(const ComponentView& view, Report& report) {
  const json::Value config = view.spec["eppConfig"];
  const FieldPath of_config = view.path.child("eppConfig");
  if (is_endpoint_picker(view.spec)) {
    inference_pool(view, report);
    if (is_multinode(view.spec)) {
      report.add(ErrorType::kForbidden, view.path.child("multinode"),
                 "must not span nodes for type epp; remove it");
    }
    const json::Value replicas = view.spec["replicas"];
    if (!replicas.is_nothing() && replicas.integer() != 1) {
      report.add(ErrorType::kInvalid, view.path.child("replicas"), "must be 1 for type epp");
    }
    if (config.is_nothing()) {
      report.add(ErrorType::kRequired, of_config,
                 "must be set for type epp; give a configMapRef or a config");
    }
  }
  const json::Value reference = config["configMapRef"];
  if (reference.is_nothing() || !reference["name"].string_or_empty().empty()) return;
  const FieldPath of_reference = of_config.child("configMapRef");
  report.add(ErrorType::kRequired, of_reference.child("name"),
             "must be the name of a ConfigMap in the same namespace");
}

void frontend_sidecar(const ComponentView& view, Report& report) {
  const json::Value sidecar = view.spec["frontendSidecar"];
  if (sidecar.is_nothing()) return;
  if (view.spec["podTemplate"].is_nothing()) {
    const FieldPath pod = view.path.child("podTemplate");
    const FieldPath spec = pod.child("spec");
    return report.add(ErrorType::kRequired, spec.child("containers"),
                      "must hold the container that frontendSidecar names");
  }
  const std::string_view name = sidecar.string_or_empty();
  if (!name.empty() && find_named(pod_spec(view.spec)["containers"], name).value.exists()) return;
  report.add(
      ErrorType::kInvalid, view.path.child("frontendSidecar"),
      "must be the name of a container in podTemplate; found " + quoted_or(name, "an empty name"));
}

void scaling_group(const ComponentView& view, Report& report) {
  if (!is_true(view.spec["experimental"]["grove"]["forceScalingGroup"])) return;
  const FieldPath experimental = view.path.child("experimental");
  const FieldPath grove = experimental.child("grove");
  require_grove(view.object, grove.child("forceScalingGroup"), report);
}

void require_image(const ComponentView& view, const IndexedValue& main, Report& report) {
  const FieldPath pod = view.path.child("podTemplate");
  const FieldPath spec = pod.child("spec");
  const FieldPath containers = spec.child("containers");
  if (!main.value.exists()) {
    return report.add(ErrorType::kRequired, containers, [] {
      return "must have a container named main, with the image of the component";
    });
  }
  const FieldPath container = containers.index(main.index);
  report.add(ErrorType::kRequired, container.child("image"),
             [] { return "must not be empty; name the image of the component"; });
}

void require_version(const ComponentView& view, const IndexedValue& main, Report& report) {
  const FieldPath pod = view.path.child("podTemplate");
  const FieldPath spec = pod.child("spec");
  const FieldPath containers = spec.child("containers");
  const FieldPath container = containers.index(main.index);
  report.add(ErrorType::kRequired, view.path.child("runtimeVersionOverride"), [&] {
    return describe_missing_override(container.child("image"),
                                     main.value["image"].string_or_empty());
  });
}

void runtime_image(const ComponentView& view, Report& report) {
  if (view.object.is_update() || view.object.input.is_alpha_request) return;
  const IndexedValue main = main_container(view.spec);
  const std::string_view image = main.value["image"].string_or_empty();
  if (image.empty()) return require_image(view, main, report);
  if (!view.object.is_graph()) return;
  if (!needs_version_override(image, view.spec["runtimeVersionOverride"].string_or_empty())) return;
  require_version(view, main, report);
}

void runtime_image_kept(const ComponentView& view, Report& report) {
  if (view.object.input.is_alpha_request) return;
  const IndexedValue main = main_container(view.spec);
  const std::string_view image = main.value["image"].string_or_empty();
  const std::string_view old_image = main_container(view.old).value["image"].string_or_empty();
  if (image.empty()) {
    if (!old_image.empty()) require_image(view, main, report);
    return;
  }
  const std::string_view version = view.spec["runtimeVersionOverride"].string_or_empty();
  const bool is_changed =
      image != old_image || version != view.old["runtimeVersionOverride"].string_or_empty();
  if (!view.object.is_graph() || !is_changed || !needs_version_override(image, version)) return;
  require_version(view, main, report);
}

}  // namespace

extern constexpr Rule kNameLengthRule{
    .id = "hub.component.name-length",
    .kinds = kinds::kGraphs,
    .ratchet = Ratchet::kNo,
    .function = &name_length,
    .field = "H.name",
};

extern constexpr Rule kElasticCommandRule{
    .id = "hub.component.elastic-command",
    .kinds = kinds::kServices,
    .ratchet = Ratchet::kNo,
    .function = &elastic_command,
    .field = "H.podTemplate.spec.containers[i].command",
};

extern constexpr Rule kComponentOverrideRule{
    .id = "hub.component.provider-override",
    .kinds = kinds::kServices,
    .ratchet = Ratchet::kNo,
    .function = &component_override,
    .field = "H.providerOverride",
};

extern constexpr Rule kMinAvailableRule{
    .id = "hub.component.min-available",
    .kinds = kinds::kServices,
    .ratchet = Ratchet::kNo,
    .function = &min_available,
    .field = "H.minAvailable",
};

extern constexpr Rule kRoleOverrideRule{
    .id = "hub.role.provider-override",
    .kinds = kinds::kServices,
    .ratchet = Ratchet::kNo,
    .function = &role_override,
    .field = "H.multinode.leader.providerOverride, H.multinode.worker.providerOverride",
};

extern constexpr Rule kSharedMemoryRule{
    .id = "hub.component.shared-memory",
    .kinds = kinds::kServices,
    .ratchet = Ratchet::kNo,
    .function = &shared_memory,
    .field = "H.sharedMemorySize",
};

extern constexpr Rule kEndpointPickerRule{
    .id = "hub.component.endpoint-picker",
    .kinds = kinds::kServices,
    .ratchet = Ratchet::kNo,
    .function = &endpoint_picker,
    .field = "H.type, H.multinode, H.replicas, H.eppConfig",
};

extern constexpr Rule kFrontendSidecarRule{
    .id = "hub.component.frontend-sidecar",
    .kinds = kinds::kServices,
    .ratchet = Ratchet::kNo,
    .function = &frontend_sidecar,
    .field = "H.frontendSidecar",
};

extern constexpr Rule kScalingGroupRule{
    .id = "hub.component.scaling-group",
    .kinds = kinds::kServices,
    .ratchet = Ratchet::kNo,
    .function = &scaling_group,
    .field = "H.experimental.grove.forceScalingGroup",
};

extern constexpr Rule kRuntimeImageRule{
    .id = "hub.runtime.image",
    .kinds = kinds::kServices,
    .ratchet = Ratchet::kNo,
    .function = &runtime_image,
    .field = "H.podTemplate.spec.containers[i].image, H.runtimeVersionOverride",
};

extern constexpr Rule kRuntimeImageKeptRule{
    .id = "hub.runtime.image-kept",
    .kinds = kinds::kServices,
    .operations = kOnUpdate,
    .ratchet = Ratchet::kNo,
    .function = &runtime_image_kept,
    .field = "H.podTemplate.spec.containers[i].image, H.runtimeVersionOverride",
};

}  // namespace dynamo::validators::hub::component
