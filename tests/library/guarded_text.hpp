// Bytes that end at the end of readable memory: reading one byte too many crashes immediately.
#pragma once

#include <sys/mman.h>
#include <unistd.h>

#include <cstddef>
#include <cstdlib>
#include <cstring>
#include <string_view>

#include "library/include/dynamo_admission.h"

namespace dynamo::test {

// A text without a terminator, directly followed by an inaccessible page.
class GuardedText {
 public:
  explicit GuardedText(std::string_view text) : size_(text.size()) {
    const auto page = static_cast<std::size_t>(sysconf(_SC_PAGESIZE));
    readable_ = (text.size() / page + 1) * page;
    mapped_ = readable_ + page;
    void* memory =
        mmap(nullptr, mapped_, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
    if (memory == MAP_FAILED) std::abort();
    base_ = static_cast<char*>(memory);
    if (!text.empty()) std::memcpy(base_ + readable_ - text.size(), text.data(), text.size());
    if (mprotect(base_ + readable_, page, PROT_NONE) != 0) std::abort();
    // Make it read-only, too.
    if (mprotect(base_, readable_, PROT_READ) != 0) std::abort();
  }
  ~GuardedText() { munmap(base_, mapped_); }
  GuardedText(const GuardedText&) = delete;
  GuardedText& operator=(const GuardedText&) = delete;

  dynamo_admission_text text() const { return {base_ + readable_ - size_, size_}; }

  // A text in unreadable memory, with the given length.
  dynamo_admission_text unreadable(std::size_t claimed) const {
    return {base_ + readable_, claimed};
  }

 private:
  std::size_t size_;
  std::size_t readable_ = 0;
  std::size_t mapped_ = 0;
  char* base_ = nullptr;
};

}  // namespace dynamo::test
