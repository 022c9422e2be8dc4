#include "tests/support/memory_meter.hpp"

#include <malloc.h>

#include <algorithm>
#include <cstdint>
#include <cstdlib>
#include <new>

namespace {

// Signed: a thread may free what another allocated.
thread_local std::int64_t live = 0;
thread_local std::int64_t highest = 0;

void* note(void* memory) noexcept {
  if (memory == nullptr) return nullptr;
  live += static_cast<std::int64_t>(malloc_usable_size(memory));
  highest = std::max(highest, live);
  return memory;
}

void* take(std::size_t size) noexcept {
  return note(std::malloc(std::max<std::size_t>(size, 1)));
}

void* take(std::size_t size, std::align_val_t alignment) noexcept {
  const auto step = static_cast<std::size_t>(alignment);
  return note(std::aligned_alloc(step, (std::max<std::size_t>(size, 1) + step - 1) / step * step));
}

void* or_throw(void* memory) {
  if (memory == nullptr) throw std::bad_alloc{};
  return memory;
}

void give(void* memory) noexcept {
  if (memory == nullptr) return;
  live -= static_cast<std::int64_t>(malloc_usable_size(memory));
  std::free(memory);
}

}  // namespace

namespace dynamo::test {

std::size_t live_bytes() {
  return static_cast<std::size_t>(std::max<std::int64_t>(live, 0));
}

MemoryMeter::MemoryMeter() : start_(live_bytes()) {
  highest = live;
}

std::size_t MemoryMeter::peak() const {
  return static_cast<std::size_t>(std::max<std::int64_t>(highest, 0)) - start_;
}

}  // namespace dynamo::test

void* operator new(std::size_t size) {
  return or_throw(take(size));
}
void* operator new[](std::size_t size) {
  return or_throw(take(size));
}
void* operator new(std::size_t size, const std::nothrow_t&) noexcept {
  return take(size);
}
void* operator new[](std::size_t size, const std::nothrow_t&) noexcept {
  return take(size);
}
void* operator new(std::size_t size, std::align_val_t alignment) {
  return or_throw(take(size, alignment));
}
void* operator new[](std::size_t size, std::align_val_t alignment) {
  return or_throw(take(size, alignment));
}
void* operator new(std::size_t size, std::align_val_t alignment, const std::nothrow_t&) noexcept {
  return take(size, alignment);
}
void* operator new[](std::size_t size, std::align_val_t alignment, const std::nothrow_t&) noexcept {
  return take(size, alignment);
}
void operator delete(void* memory) noexcept {
  give(memory);
}
void operator delete[](void* memory) noexcept {
  give(memory);
}
void operator delete(void* memory, std::size_t) noexcept {
  give(memory);
}
void operator delete[](void* memory, std::size_t) noexcept {
  give(memory);
}
void operator delete(void* memory, const std::nothrow_t&) noexcept {
  give(memory);
}
void operator delete[](void* memory, const std::nothrow_t&) noexcept {
  give(memory);
}
void operator delete(void* memory, std::align_val_t) noexcept {
  give(memory);
}
void operator delete[](void* memory, std::align_val_t) noexcept {
  give(memory);
}
void operator delete(void* memory, std::size_t, std::align_val_t) noexcept {
  give(memory);
}
void operator delete[](void* memory, std::size_t, std::align_val_t) noexcept {
  give(memory);
}
void operator delete(void* memory, std::align_val_t, const std::nothrow_t&) noexcept {
  give(memory);
}
void operator delete[](void* memory, std::align_val_t, const std::nothrow_t&) noexcept {
  give(memory);
}
