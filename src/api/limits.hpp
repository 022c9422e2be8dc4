// Limits on the size of validated objects, shared by validation, defaulting and rendering.
#pragma once

#include <cstddef>

namespace dynamo::api {

// Services per graph. The CRD allows 25, so only an object that was not checked against the CRD can
// exceed this limit. It gets an error (dgd.services.limit), and is neither rendered nor defaulted,
// so that the work stays bounded.
inline constexpr std::size_t kMaxServices = 64;

}  // namespace dynamo::api
