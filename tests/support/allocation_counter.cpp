#include "tests/support/allocation_counter.hpp"

#include <cstdlib>
#include <new>

namespace {

thread_local std::uint64_t allocation_count = 0;

void* allocate(std::size_t size) {
  ++allocation_count;
  void* const memory = std::malloc(size == 0 ? 1 : size);
  if (memory == nullptr) throw std::bad_alloc{};
  return memory;
}

}  // namespace

namespace dynamo::test {

std::uint64_t allocations() {
  return allocation_count;
}

}  // namespace dynamo::test

// The array forms call these. Over-aligned forms are not counted. The non-throwing forms call these
// too, except under a sanitizer, which replaces them.
void* operator new(std::size_t size) {
  return allocate(size);
}
void* operator new(std::size_t size, const std::nothrow_t&) noexcept {
  ++allocation_count;
  return std::malloc(size == 0 ? 1 : size);
}
void operator delete(void* memory, const std::nothrow_t&) noexcept {
  std::free(memory);
}
void operator delete(void* memory) noexcept {
  std::free(memory);
}
void operator delete(void* memory, std::size_t) noexcept {
  std::free(memory);
}
