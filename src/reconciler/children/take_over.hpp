// Fields that the Go operator has set become ours, so that they go when nobody asks for them.
#pragma once

#include <array>
#include <string>
#include <string_view>

#include "kube/object.hpp"

namespace dynamo::reconciler {

// As the API server calls who wrote without a name of its own: by its program. That of the Go
// operator is /manager in all its images. Nobody else's fields are ever taken: neither kubectl's
// nor those of autoscalers.
inline constexpr std::array<std::string_view, 1> kFormerManagers = {"manager"};

// A JSON patch of managedFields: what one of these managers, or `manager` itself, has set of the
// object by an Update in `api_version` is what `manager` has applied. An apply takes away what
// nobody but its manager has set and it leaves out; what an Update has set stays for ever. `live`
// is an object that was read with its managedFields; the server refuses the patch (409) when it is
// of that version no more. Status, other versions of the API and everybody else's entries are left
// alone. "" where there is nothing to take. Pure; nests calls as deep as the fields.
std::string take_over_patch(const kube::Object& live, std::string_view api_version,
                            std::string_view manager);

}  // namespace dynamo::reconciler
