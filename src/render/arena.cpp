#include "render/arena.hpp"

namespace dynamo::render {
namespace {

constexpr std::size_t kFirstBlock = std::size_t{16} << 10U;
// Blocks double up to here, so that little lies idle in the last one.
constexpr std::size_t kLargestStep = std::size_t{256} << 10U;

}  // namespace

void* Arena::allocate_in_next(std::size_t size) {
  // Blocks are aligned for every type by operator new, so the first piece needs no padding.
  while (current_ + 1 < blocks_.size()) {
    ++current_;
    used_ = size;
    if (size <= blocks_[current_].size) return blocks_[current_].bytes.get();
  }
  const std::size_t last = blocks_.empty() ? kFirstBlock / 2 : blocks_.back().size;
  const std::size_t bytes = std::max(std::min(last * 2, kLargestStep), size);
  blocks_.push_back({std::make_unique_for_overwrite<std::byte[]>(bytes), bytes});
  capacity_ += bytes;
  current_ = blocks_.size() - 1;
  used_ = size;
  return blocks_.back().bytes.get();
}

void Arena::give_back() {
  capacity_ = 0;
  std::size_t count = 0;
  for (const Block& block : blocks_) {
    if (capacity_ + block.size > kKeptBytes) break;
    capacity_ += block.size;
    ++count;
  }
  blocks_.erase(blocks_.begin() + static_cast<std::ptrdiff_t>(count), blocks_.end());
}

}  // namespace dynamo::render
