#include "server/buffer_pool.hpp"

#include <algorithm>
#include <utility>

namespace dynamo::server {

namespace {

// Large buffers have stepped sizes, so that requests of similar size can share them.
constexpr std::size_t kLargeStep = 64 * 1024;

std::size_t rounded_up(std::size_t bytes) {
  return (bytes + kLargeStep - 1) / kLargeStep * kLargeStep;
}

}  // namespace

Buffer BufferPool::acquire(std::size_t bytes) {
  if (bytes <= kStandardBytes) {
    if (standard_.empty()) return Buffer(kStandardBytes);
    Buffer buffer = std::move(standard_.back());
    standard_.pop_back();
    return buffer;
  }
  const auto fits = std::find_if(large_.rbegin(), large_.rend(),
                                 [bytes](const Buffer& kept) { return kept.capacity() >= bytes; });
  if (fits == large_.rend()) return Buffer(rounded_up(bytes));
  Buffer buffer = std::move(*fits);
  large_.erase(std::next(fits).base());
  large_bytes_ -= buffer.capacity();
  return buffer;
}

void BufferPool::release(Buffer buffer) {
  if (!buffer) return;
  if (buffer.capacity() == kStandardBytes) {
    if (standard_.size() < kStandardKept) standard_.push_back(std::move(buffer));
    return;
  }
  if (large_bytes_ + buffer.capacity() > kLargeBytesKept) return;
  large_bytes_ += buffer.capacity();
  large_.push_back(std::move(buffer));
}

}  // namespace dynamo::server
