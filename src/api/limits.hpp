// Limits of what is judged at all, one place for everybody who keeps to them.
#pragma once

#include <cstddef>

namespace dynamo::api {

// Services of a graph. The definition allows 25; whoever sends more by another way gets an error
// (dgd.services.limit), and neither renders nor defaults them, so that the work stays bounded.
inline constexpr std::size_t kMostServices = 64;

}  // namespace dynamo::api
