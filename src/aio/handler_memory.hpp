// Reserved memory for a handler that waits again and again, such as the one that accepts
// connections: without it one failed allocation would end the waiting until restart.
#pragma once

#include <array>
#include <boost/asio/bind_allocator.hpp>
#include <cstddef>
#include <memory>
#include <new>
#include <utility>

namespace dynamo::aio {

// Room for one handler at a time; a second one, or a larger one, comes from the heap. One thread.
class HandlerMemory {
 public:
  void* allocate(std::size_t bytes) {
    if (is_taken_ || bytes > storage_.size()) return ::operator new(bytes);
    is_taken_ = true;
    return storage_.data();
  }

  void deallocate(void* memory) {
    if (memory == storage_.data()) {
      is_taken_ = false;
    } else {
      ::operator delete(memory);
    }
  }

 private:
  static constexpr std::size_t kBytes = 512;

  alignas(std::max_align_t) std::array<std::byte, kBytes> storage_;
  bool is_taken_ = false;
};

// The allocator of such a handler. Shared, because an event loop may free a handler last.
template <class T>
class HandlerAllocator {
 public:
  using value_type = T;

  explicit HandlerAllocator(std::shared_ptr<HandlerMemory> memory) : memory_(std::move(memory)) {}
  template <class Other>
  explicit(false) HandlerAllocator(const HandlerAllocator<Other>& other)
      : memory_(other.memory()) {}

  T* allocate(std::size_t count) { return static_cast<T*>(memory_->allocate(count * sizeof(T))); }
  void deallocate(T* memory, std::size_t) { memory_->deallocate(memory); }

  const std::shared_ptr<HandlerMemory>& memory() const { return memory_; }

  template <class Other>
  bool operator==(const HandlerAllocator<Other>& other) const {
    return memory_ == other.memory();
  }

 private:
  std::shared_ptr<HandlerMemory> memory_;
};

// The handler, with its operation in `memory`.
template <class Handler>
auto in_memory(const std::shared_ptr<HandlerMemory>& memory, Handler handler) {
  return boost::asio::bind_allocator(HandlerAllocator<std::byte>(memory), std::move(handler));
}

}  // namespace dynamo::aio
