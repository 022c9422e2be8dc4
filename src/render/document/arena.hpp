// A bump allocator for rendered values. Its memory is freed all at once, so a request in steady
// state makes no heap allocation.
#pragma once

#include <algorithm>
#include <cassert>
#include <cstddef>
#include <initializer_list>
#include <memory>
#include <new>
#include <span>
#include <string_view>
#include <type_traits>
#include <utility>
#include <vector>

namespace dynamo::render {

// Grows by whole blocks and keeps them over reset(), up to kKeptBytes, which is more than usual
// reviews need. Allocated items are valid until reset() or the end of the arena. Not thread-safe.
class Arena {
 public:
  static constexpr std::size_t kKeptBytes = std::size_t{1} << 20U;

  Arena() = default;
  // Allocated items move along; assignment swaps the two arenas.
  Arena(Arena&& other) noexcept
      : blocks_(std::move(other.blocks_)),
        capacity_(std::exchange(other.capacity_, 0)),
        current_(std::exchange(other.current_, 0)),
        used_(std::exchange(other.used_, 0)) {
    other.blocks_.clear();
  }
  Arena& operator=(Arena&& other) noexcept {
    std::swap(blocks_, other.blocks_);
    std::swap(capacity_, other.capacity_);
    std::swap(current_, other.current_);
    std::swap(used_, other.used_);
    return *this;
  }

  // Allocates `count` value-initialised items.
  template <typename Item>
  std::span<Item> make_array(std::size_t count) {
    Item* const first = make_room<Item>(count);
    std::uninitialized_value_construct_n(first, count);
    return {first, count};
  }

  // Allocates memory for `count` items that the caller constructs; null for none.
  template <typename Item>
  Item* make_room(std::size_t count) {
    static_assert(std::is_trivially_destructible_v<Item>);
    if (count == 0) return nullptr;
    return static_cast<Item*>(allocate(count * sizeof(Item), alignof(Item)));
  }

  template <typename Item>
  Item& make(const Item& item) {
    static_assert(std::is_trivially_destructible_v<Item>);
    return *new (allocate(sizeof(Item), alignof(Item))) Item(item);
  }

  std::string_view join(std::initializer_list<std::string_view> pieces) {
    std::size_t size = 0;
    for (const std::string_view piece : pieces) size += piece.size();
    const std::span<char> text = make_text(size);
    char* at = text.data();
    for (const std::string_view piece : pieces) at = std::copy(piece.begin(), piece.end(), at);
    return {text.data(), text.size()};
  }

  // Allocates memory for a text; its bytes are uninitialised.
  std::span<char> make_text(std::size_t size) {
    return {static_cast<char*>(allocate(size, 1)), size};
  }

  // Frees all items.
  void reset() {
    current_ = 0;
    used_ = 0;
    if (capacity_ > kKeptBytes) [[unlikely]]
      give_back();
  }

  // The bytes that the arena holds, allocated or not.
  std::size_t capacity() const { return capacity_; }

 private:
  struct Block {
    std::unique_ptr<std::byte[]> bytes;
    std::size_t size;
  };

  void* allocate(std::size_t size, std::size_t alignment) {
    const std::size_t start = (used_ + alignment - 1) & ~(alignment - 1);
    if (current_ < blocks_.size() && start + size <= blocks_[current_].size) {
      used_ = start + size;
      return blocks_[current_].bytes.get() + start;
    }
    return allocate_in_next(size);
  }
  void* allocate_in_next(std::size_t size);
  // Frees the blocks beyond kKeptBytes.
  void give_back();

  std::vector<Block> blocks_;
  std::size_t capacity_ = 0;
  std::size_t current_ = 0;
  std::size_t used_ = 0;  // in the current block
};

// A list in the arena with a fixed capacity.
template <typename Item>
class ArenaList {
 public:
  ArenaList(Arena& arena, std::size_t capacity)
      : first_(arena.make_room<Item>(capacity)), capacity_(capacity) {}
  Item& push(const Item& item) {
    assert(size_ < capacity_);
    return *new (first_ + size_++) Item(item);
  }
  // Appends an item that the caller fills in or removes again.
  Item& add() {
    assert(size_ < capacity_);
    return *new (first_ + size_++) Item{};
  }
  void remove_last() { --size_; }
  std::size_t size() const { return size_; }
  Item& back() const { return first_[size_ - 1]; }
  std::span<Item> items() const { return {first_, size_}; }

 private:
  Item* first_;
  std::size_t capacity_;
  std::size_t size_ = 0;
};

}  // namespace dynamo::render
