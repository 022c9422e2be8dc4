// Moves ownership of fields from the Go operator to us, so that they are removed once no longer
// applied.
#pragma once

#include <array>
#include <string>
#include <string_view>

#include "kube/object/object.hpp"

namespace dynamo::reconciler {

// Field managers to take over from. The API server names a client without an explicit manager after
// its binary, and the Go operator's binary is /manager in all images. Fields of other managers,
// such as kubectl or autoscalers, are never taken.
inline constexpr std::array<std::string_view, 1> kFormerManagers = {"manager"};

// A JSON patch of managedFields: fields that one of these managers, or `manager` itself, set by an
// Update in `api_version` become fields applied by `manager`. An apply removes only fields that it
// omits and that no other manager owns; fields set by an Update would stay forever. `live` must
// have been read with its managedFields; the server rejects the patch (409) if the version has
// changed. Status, other API versions and entries of other managers are unchanged. "" if there is
// nothing to take over. Pure; recurses as deep as the fields nest.
std::string take_over_patch(const kube::Object& live, std::string_view api_version,
                            std::string_view manager);

}  // namespace dynamo::reconciler
