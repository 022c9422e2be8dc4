// Provider overrides: parts of Grove's objects that a graph sets verbatim.
#pragma once

#include <cstdint>
#include <string_view>

#include "api/field_path.hpp"
#include "json/document.hpp"
#include "validators/hub/view.hpp"
#include "validators/report.hpp"

namespace dynamo::validators::hub {

// Which part of a graph an override belongs to.
enum class OverrideScope : std::uint8_t { kGraph, kComponent, kRole };

// The Grove type that an override of that scope changes; "" if there is none. `component` is
// absent for kGraph.
std::string_view override_target(OverrideScope scope, json::Value component);

// Reports an override that the operator refuses. An absent one is valid.
void check_override(const ObjectView& object, OverrideScope scope, json::Value component,
                    json::Value provider_override, const api::FieldPath& path, Report& report);

// Whether the override sets a topology constraint of Grove.
bool writes_topology(OverrideScope scope, json::Value component, json::Value provider_override);

// Reports a changed apiVersion or target of an override that exists before and after the update.
void require_same_override(json::Value old, json::Value now, const api::FieldPath& path,
                           Report& report);

}  // namespace dynamo::validators::hub
