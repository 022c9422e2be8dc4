// What a probe or a lifecycle hook does: run a command, ask over HTTP, TCP or gRPC, or sleep.
#pragma once

#include <cstddef>
#include <string_view>

#include "api/field_path.hpp"
#include "render/overlay.hpp"
#include "validators/report.hpp"

namespace dynamo::validators::pod {

// Handlers that are set; those that are not known here do not count.
std::size_t count_handlers(const render::Overlay& action);
std::size_t count_handlers(json::Value action);

// The fields of the handlers that are set. Reports at `path`, the action's.
void check_handlers(const render::Overlay& action, const api::FieldPath& path, Report& report);

// Whether the action has a member that is neither null nor known here: a handler of a later
// Kubernetes, perhaps.
bool has_unknown_member(json::Value action);

// The port by name that the handlers of an action call on; "" for none.
std::string_view named_port(const render::Overlay& action);

}  // namespace dynamo::validators::pod
