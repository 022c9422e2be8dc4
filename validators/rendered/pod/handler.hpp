// The action of a probe or a lifecycle hook: run a command, call HTTP, TCP or gRPC, or sleep.
#pragma once

#include <cstddef>
#include <string_view>

#include "api/field_path.hpp"
#include "render/document/overlay.hpp"
#include "validators/report.hpp"

namespace dynamo::validators::pod {

// The number of handlers that are set; unknown ones do not count.
std::size_t count_handlers(const render::Overlay& action);
std::size_t count_handlers(json::Value action);

// Checks the fields of the handlers that are set. Reports at `path`, which is the action's.
void check_handlers(const render::Overlay& action, const api::FieldPath& path, Report& report);

// Whether the action has a non-null member that is unknown here, which may be a handler of a later
// Kubernetes version.
bool has_unknown_member(json::Value action);

// The named port that the action's handlers call; "" if none.
std::string_view named_port(const render::Overlay& action);

}  // namespace dynamo::validators::pod
