// A value that a single writer replaces and many threads read, without locks or waits on either
// side (RCU-style). Readers pin the current value; a replaced value is freed once no reader can
// hold it.
#pragma once

#include <array>
#include <atomic>
#include <cassert>
#include <cstddef>
#include <cstdint>
#include <memory>
#include <utility>
#include <vector>

namespace dynamo::runtime {

// A number per thread, from 0, which distributes readers over counters.
inline std::size_t reader_number() {
  static std::atomic<std::size_t> next{0};
  thread_local const std::size_t number = next.fetch_add(1, std::memory_order_relaxed);
  return number;
}

// Reading costs two additions to a counter that only this thread uses (up to kStripes threads;
// beyond that some share). Writing never waits for readers: a replaced value stays in a list until
// collect(), which publish() calls, finds that its readers have left.
//
// Algorithm: readers count themselves in one of two columns, the one that `phase_` selects when
// they start. Replaced values are freed after each column, one after the other, was observed empty
// since the replacement. The phase switches in between, so that new readers use the other column
// and a busy server cannot keep the awaited one full. A reader may use an outdated phase, even by
// several switches; it is still counted in some column, and each column is checked before a value
// is freed.
template <class T>
class RcuCell {
 public:
  // A snapshot that does not change while it is held. Short-lived, never empty, stays on its
  // thread.
  class Pin {
   public:
    Pin(const Pin&) = delete;
    Pin& operator=(const Pin&) = delete;
    // Reads through the pin happen before the value is freed: release here, acquire (or stronger)
    // in is_empty().
    ~Pin() { count_->fetch_sub(1, std::memory_order_release); }

    const T& operator*() const { return *value_; }
    const T* operator->() const { return value_; }

   private:
    friend class RcuCell;
    Pin(std::atomic<std::int64_t>* count, const T* value) : count_(count), value_(value) {}

    std::atomic<std::int64_t>* count_;
    const T* value_;
  };

  explicit RcuCell(std::unique_ptr<const T> first = std::make_unique<const T>())
      : owner_(std::move(first)), current_(owner_.get()) {
    assert(owner_ != nullptr);
  }
  // No pin may exist any more.
  ~RcuCell() = default;
  RcuCell(const RcuCell&) = delete;
  RcuCell& operator=(const RcuCell&) = delete;

  // Any thread, never waits.
  Pin read() const {
    // The column is only a hint (see above): relaxed.
    const std::size_t phase = phase_.load(std::memory_order_relaxed);
    std::atomic<std::int64_t>& count = columns_[phase][reader_number() % kStripes].readers;
    // Both are sequentially consistent, against the writer's exchange and its loads of the
    // counters: if the writer does not see this reader in its column, then this reader sees the new
    // value.
    count.fetch_add(1, std::memory_order_seq_cst);
    return Pin(&count, current_.load(std::memory_order_seq_cst));
  }

  // Only on the writer's thread, like everything below. Later readers see `next`.
  void publish(std::unique_ptr<const T> next) {
    assert(next != nullptr);
    current_.exchange(next.get(), std::memory_order_seq_cst);
    replaced_.push_back(std::exchange(owner_, std::move(next)));
    collect();
  }

  // Frees values that no reader can hold any more. Never waits. Call it again later while retired()
  // is not 0 and nothing is published.
  void collect() {
    for (;;) {
      if (leaving_.empty()) {
        if (replaced_.empty()) return;
        leaving_.swap(replaced_);
        emptied_ = 0;
      }
      while (emptied_ < columns_.size()) {
        // First the column that new readers do not use.
        const std::size_t other = 1 - phase_.load(std::memory_order_relaxed);
        if (!is_empty(other)) return;
        phase_.store(other, std::memory_order_relaxed);
        ++emptied_;
      }
      leaving_.clear();
    }
  }

  // The published value, for the writer.
  const T& latest() const { return *owner_; }

  // Number of replaced values that are not freed yet. A writer delays the next value if there are
  // many.
  std::size_t retired() const { return leaving_.size() + replaced_.size(); }

 private:
  static constexpr std::size_t kStripes = 64;
  static constexpr std::size_t kCacheLine = 64;
  struct alignas(kCacheLine) Stripe {
    std::atomic<std::int64_t> readers{0};
  };
  using Column = std::array<Stripe, kStripes>;

  bool is_empty(std::size_t column) const {
    for (const Stripe& stripe : columns_[column]) {
      if (stripe.readers.load(std::memory_order_seq_cst) != 0) return false;
    }
    return true;
  }

  std::unique_ptr<const T> owner_;
  std::vector<std::unique_ptr<const T>> replaced_;  // since the check of the columns began
  std::vector<std::unique_ptr<const T>> leaving_;   // before it
  std::size_t emptied_ = 0;  // columns seen empty since `leaving_` was filled
  std::atomic<const T*> current_;
  std::atomic<std::size_t> phase_{0};
  mutable std::array<Column, 2> columns_{};
};

}  // namespace dynamo::runtime
