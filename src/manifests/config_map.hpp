// The configuration of an endpoint picker.
#pragma once

#include <string>
#include <vector>

#include "manifests/desired_object.hpp"
#include "render/component/component.hpp"

namespace dynamo::render {

inline constexpr std::string_view kPickerConfigApiVersion =
    "inference.networking.x-k8s.io/v1alpha1";
inline constexpr std::string_view kPickerConfigKind = "EndpointPickerConfig";

// The labels of the ConfigMap and InferencePool of an endpoint picker; the component must outlive
// them.
std::vector<Label> picker_labels(const Component& picker);

// From eppConfig.config. Precondition: it is an object.
DesiredObject build_picker_config(const Component& picker, const Owner& owner);

}  // namespace dynamo::render
