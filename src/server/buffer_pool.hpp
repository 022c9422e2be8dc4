// Byte buffers of one event loop. A connection holds one only during a request, so idle connections
// need none.
#pragma once

#include <cstddef>
#include <memory>
#include <utility>
#include <vector>

namespace dynamo::server {

// Uninitialised bytes; empty if default-constructed or moved from.
class Buffer {
 public:
  Buffer() = default;
  explicit Buffer(std::size_t capacity)
      : bytes_(std::make_unique_for_overwrite<char[]>(capacity)), capacity_(capacity) {}
  Buffer(Buffer&& other) noexcept
      : bytes_(std::move(other.bytes_)), capacity_(std::exchange(other.capacity_, 0)) {}
  Buffer& operator=(Buffer&& other) noexcept {
    bytes_ = std::move(other.bytes_);
    capacity_ = std::exchange(other.capacity_, 0);
    return *this;
  }

  char* data() { return bytes_.get(); }
  const char* data() const { return bytes_.get(); }
  std::size_t capacity() const { return capacity_; }
  explicit operator bool() const { return bytes_ != nullptr; }

 private:
  std::unique_ptr<char[]> bytes_;
  std::size_t capacity_ = 0;
};

// Not thread-safe: one per event loop.
class BufferPool {
 public:
  // Fits header and body of nearly every review, including old and new object.
  static constexpr std::size_t kStandardBytes = 32 * 1024;
  // Limits of what is kept for later requests; the rest returns to the allocator.
  static constexpr std::size_t kStandardKept = 32;  // 1 MiB
  static constexpr std::size_t kLargeBytesKept = 4 * 1024 * 1024;
  static constexpr std::size_t kBytesKept = kStandardKept * kStandardBytes + kLargeBytesKept;

  // A buffer of at least `bytes`: the most recently released one that fits, because it is warm in
  // the cache.
  Buffer acquire(std::size_t bytes = kStandardBytes);
  void release(Buffer buffer);

  // Bytes kept for later requests.
  std::size_t kept_bytes() const { return standard_.size() * kStandardBytes + large_bytes_; }

 private:
  std::vector<Buffer> standard_;
  std::vector<Buffer> large_;
  std::size_t large_bytes_ = 0;
};

}  // namespace dynamo::server
