// Limits on the size of validated objects, shared by validation, defaulting and rendering.
#pragma once

#include <cstddef>

namespace dynamo::api {

// Services per graph. The CRD allows 25; a graph with more than this limit, which must bypass the
// CRD, gets an error (dgd.services.limit). It is neither rendered nor defaulted, so that the work
// stays bounded.
inline constexpr std::size_t kMostServices = 64;

}  // namespace dynamo::api
