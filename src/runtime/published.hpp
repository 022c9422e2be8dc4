// One value that a single writer replaces and many threads read, without a lock or a wait on either
// side: readers pin the value of the moment, what was replaced is freed once nobody can hold it.
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

// The number of the calling thread, from 0: what spreads readers over counters.
inline std::size_t reader_number() {
  static std::atomic<std::size_t> next{0};
  thread_local const std::size_t number = next.fetch_add(1, std::memory_order_relaxed);
  return number;
}

// Reading costs two additions to a counter that the thread has to itself (up to kStripes threads;
// beyond that some share). Writing never waits for readers: a replaced value rests in a list until
// collect(), which publish() calls, finds that the readers of its time have left.
//
// How that is found. Readers count themselves in one of two columns, the one that `phase_` named
// when they came. Replaced values are freed after both columns have, one after the other, been seen
// empty since the replacement; the phase turns in between, so that new readers go to the column
// that is not waited for and a busy server cannot keep it full. A reader can come with a phase that
// is out of date by any number of turns; it is counted in a column all the same, and each column is
// looked at before a value goes.
template <class T>
class Published {
 public:
  // Holds the value of a moment; that does not change under it. Short-lived, never empty, stays on
  // its thread.
  class Pin {
   public:
    Pin(const Pin&) = delete;
    Pin& operator=(const Pin&) = delete;
    // What was read through the pin happens before the value is freed: release, read with acquire
    // (or stronger) by is_empty().
    ~Pin() { count_->fetch_sub(1, std::memory_order_release); }

    const T& operator*() const { return *value_; }
    const T* operator->() const { return value_; }

   private:
    friend class Published;
    Pin(std::atomic<std::int64_t>* count, const T* value) : count_(count), value_(value) {}

    std::atomic<std::int64_t>* count_;
    const T* value_;
  };

  explicit Published(std::unique_ptr<const T> first = std::make_unique<const T>())
      : owner_(std::move(first)), current_(owner_.get()) {
    assert(owner_ != nullptr);
  }
  // Nobody may hold a pin any more.
  ~Published() = default;
  Published(const Published&) = delete;
  Published& operator=(const Published&) = delete;

  // Any thread, never waits.
  Pin read() const {
    // Which column is only a hint (see above): relaxed.
    const std::size_t phase = phase_.load(std::memory_order_relaxed);
    std::atomic<std::int64_t>& count = columns_[phase][reader_number() % kStripes].readers;
    // Sequentially consistent, both, against the exchange and the counters' loads of the writer: if
    // the writer does not see this reader in its column, then this reader sees the new value.
    count.fetch_add(1, std::memory_order_seq_cst);
    return Pin(&count, current_.load(std::memory_order_seq_cst));
  }

  // The writer's thread only, like everything below. Readers that come from now on see `next`.
  void publish(std::unique_ptr<const T> next) {
    assert(next != nullptr);
    current_.exchange(next.get(), std::memory_order_seq_cst);
    replaced_.push_back(std::exchange(owner_, std::move(next)));
    collect();
  }

  // Frees what no reader can hold any more. Never waits; call it again later while retired() is not
  // 0 and nothing is published.
  void collect() {
    for (;;) {
      if (leaving_.empty()) {
        if (replaced_.empty()) return;
        leaving_.swap(replaced_);
        emptied_ = 0;
      }
      while (emptied_ < columns_.size()) {
        // First the column that new readers do not go to.
        const std::size_t other = 1 - phase_.load(std::memory_order_relaxed);
        if (!is_empty(other)) return;
        phase_.store(other, std::memory_order_relaxed);
        ++emptied_;
      }
      leaving_.clear();
    }
  }

  // The writer's own look at what is published.
  const T& latest() const { return *owner_; }

  // How many replaced values are not freed yet. A writer that meets many waits with the next one.
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
  std::vector<std::unique_ptr<const T>> replaced_;  // since the look at the columns began
  std::vector<std::unique_ptr<const T>> leaving_;   // before it
  std::size_t emptied_ = 0;  // columns seen empty since `leaving_` was filled
  std::atomic<const T*> current_;
  std::atomic<std::size_t> phase_{0};
  mutable std::array<Column, 2> columns_{};
};

}  // namespace dynamo::runtime
