// The memory of one review: of an object, or of objects to convert.
#pragma once

#include <algorithm>
#include <cstddef>

#include "json/document.hpp"

namespace dynamo::api {

// A review, its body included, takes at most this many times the body's bytes, or the minimum if
// that is more. Limits on lists and on converted objects ensure it.
inline constexpr std::size_t kMemoryPerBodyByte = 24;
inline constexpr std::size_t kMinReviewMemory = std::size_t{4} << 20U;

// The bytes that the converted objects of a review may take. `body` is the size of the body in
// bytes; its document has `nodes` nodes and up to twice the capacity. Three tenths are left for
// rules and the answer.
constexpr std::size_t memory_left_to_convert(std::size_t body, std::size_t nodes) {
  const std::size_t most = std::max(kMemoryPerBodyByte * body, kMinReviewMemory);
  const std::size_t used = body + 2 * nodes * sizeof(json::Node);
  return used < most ? (most - used) / 10 * 7 : 0;
}

}  // namespace dynamo::api
