#include "render/arena.hpp"

namespace dynamo::render {
namespace {

constexpr std::size_t kFirstBlock = std::size_t{16} << 10U;

}  // namespace

void* Arena::allocate_in_next(std::size_t size) {
  // Blocks are aligned for every type by operator new, so the first piece needs no padding.
  while (current_ + 1 < blocks_.size()) {
    ++current_;
    used_ = size;
    if (size <= blocks_[current_].size) return blocks_[current_].bytes.get();
  }
  const std::size_t last = blocks_.empty() ? kFirstBlock / 2 : blocks_.back().size;
  const std::size_t bytes = std::max(last * 2, size);
  blocks_.push_back({std::make_unique_for_overwrite<std::byte[]>(bytes), bytes});
  current_ = blocks_.size() - 1;
  used_ = size;
  return blocks_.back().bytes.get();
}

void Arena::reset() {
  std::size_t kept = 0;
  std::size_t count = 0;
  for (const Block& block : blocks_) {
    if (kept + block.size > kKeptBytes) break;
    kept += block.size;
    ++count;
  }
  blocks_.erase(blocks_.begin() + static_cast<std::ptrdiff_t>(count), blocks_.end());
  current_ = 0;
  used_ = 0;
}

std::size_t Arena::capacity() const {
  std::size_t bytes = 0;
  for (const Block& block : blocks_) bytes += block.size;
  return bytes;
}

}  // namespace dynamo::render
