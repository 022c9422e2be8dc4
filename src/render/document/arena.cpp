#include "render/document/arena.hpp"

namespace dynamo::render {
namespace {

constexpr std::size_t kFirstBlock = std::size_t{16} << 10U;
// Blocks double up to this size, which limits the unused rest of the last one.
constexpr std::size_t kLargestStep = std::size_t{256} << 10U;
// Larger pieces would leave much of a block unused.
constexpr std::size_t kLargePiece = std::size_t{32} << 10U;

}  // namespace

void* Arena::allocate_in_next(std::size_t size) {
  // operator new aligns blocks for every type, so the first piece needs no padding.
  for (std::size_t next = current_ + 1; next < blocks_.size(); ++next) {
    if (size > blocks_[next].size) continue;
    current_ = next;
    used_ = size;
    return blocks_[next].bytes.get();
  }
  if (size > kLargePiece && !blocks_.empty()) {
    // Allocate a separate block before the current one, which stays in use.
    const auto at = blocks_.begin() + static_cast<std::ptrdiff_t>(current_++);
    capacity_ += size;
    return blocks_.insert(at, {std::make_unique_for_overwrite<std::byte[]>(size), size})
        ->bytes.get();
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
  std::erase_if(blocks_, [this](const Block& block) {
    if (capacity_ + block.size > kKeptBytes) return true;
    capacity_ += block.size;
    return false;
  });
}

}  // namespace dynamo::render
