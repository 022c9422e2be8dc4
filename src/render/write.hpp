// Writes what was rendered as the JSON that an API server takes.
#pragma once

#include <span>
#include <string>
#include <string_view>

#include "json/writer.hpp"
#include "render/component.hpp"
#include "render/labels.hpp"
#include "render/pod.hpp"

namespace dynamo::render {

struct WriteOptions {
  // Also what only may be there: variables, volumes and mounts that depend on the operator.
  bool uncertain = true;
  // Put the command line of launch_of() in place of the main container's; it may allocate.
  bool launch = false;
  // What only the operator knows: the account of a pod that is given none, the image of the
  // debugger, and the secrets that are added to the user's. "" and none where it is not known.
  std::string_view fallback_account = {};
  std::string_view debugger_image = {};
  std::span<const std::string_view> pull_secrets = {};
};

// {"containers": […], …}: a PodSpec. Fields of the user that nothing here merges are copied as they
// stand. What the profile does not say (a secret's name, an image of the operator's) is left empty.
void write_pod_spec(json::Writer& out, const Component& component, const Pod& pod, Arena& arena,
                    const WriteOptions& options = {});

// {"metadata": {"labels": …, "annotations": …}, "spec": …}: a PodTemplateSpec.
void write_pod_template(json::Writer& out, const Component& component, const Pod& pod, Arena& arena,
                        const WriteOptions& options = {});

// {"app": "web"}: of labels, annotations or a selector.
void write_labels(json::Writer& out, std::span<const Label> labels);

// An entry of a PodSpec's volumes.
void write_volume(json::Writer& out, const Volume& volume);

// An overlay with its members merged.
void write_overlay(json::Writer& out, const Overlay& overlay);

}  // namespace dynamo::render
