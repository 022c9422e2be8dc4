// Writes rendered items as the JSON that an API server accepts.
#pragma once

#include <span>
#include <string>
#include <string_view>

#include "json/writer.hpp"
#include "render/component/component.hpp"
#include "render/component/labels.hpp"
#include "render/pod/pod.hpp"

namespace dynamo::render {

struct PodWriteOptions {
  // Also write uncertain items: variables, volumes and mounts that depend on the operator.
  bool uncertain = true;
  // Replace the main container's command line with that of launch_of(), which may allocate.
  bool launch = false;
  // Values that only the operator knows: the account of a pod that sets none, the image of the
  // debugger, and the secrets that are added to the user's. "" and empty if unknown.
  std::string_view fallback_account = {};
  std::string_view debugger_image = {};
  std::span<const std::string_view> pull_secrets = {};
};

// {"containers": [...], ...}: a PodSpec. The user's fields that are not merged are copied as
// written. Values missing from the profile (a secret's name, an image of the operator) are left
// empty.
void write_pod_spec(json::Writer& out, const Component& component, const Pod& pod, Arena& arena,
                    const PodWriteOptions& options = {});

// {"metadata": {"labels": ..., "annotations": ...}, "spec": ...}: a PodTemplateSpec.
void write_pod_template(json::Writer& out, const Component& component, const Pod& pod, Arena& arena,
                        const PodWriteOptions& options = {});

// {"app": "web"}: labels, annotations or a selector.
void write_labels(json::Writer& out, std::span<const Label> labels);

// An entry of a PodSpec's volumes.
void write_volume(json::Writer& out, const Volume& volume);

// An overlay with its members merged.
void write_overlay(json::Writer& out, const Overlay& overlay);

}  // namespace dynamo::render
