// One writer, many readers: a held value stays, an unused one is freed.
#include "runtime/rcu_cell.hpp"

#include <gtest/gtest.h>

#include <atomic>
#include <chrono>
#include <cstdint>
#include <memory>
#include <thread>
#include <vector>

namespace dynamo::runtime {
namespace {

// Detects when it is freed, and whether a reader ever saw it partially built or freed.
class LifetimeProbe {
 public:
  LifetimeProbe(std::uint64_t number, std::atomic<int>& alive)
      : number_(number), check_(~number), alive_(&alive) {
    alive_->fetch_add(1);
  }
  ~LifetimeProbe() {
    alive_->fetch_sub(1);
    number_ = 0;
    check_ = 0;
  }
  LifetimeProbe(const LifetimeProbe&) = delete;
  LifetimeProbe& operator=(const LifetimeProbe&) = delete;

  std::uint64_t number() const { return number_; }
  bool is_whole() const { return number_ == ~check_; }

 private:
  std::uint64_t number_;
  std::uint64_t check_;
  std::atomic<int>* alive_;
};

TEST(RcuCell, StartsWithDefaultValue) {
  const RcuCell<int> published;
  EXPECT_EQ(*published.read(), 0);
}

TEST(RcuCell, ReadersGetNewestValue) {
  RcuCell<int> published(std::make_unique<const int>(1));
  EXPECT_EQ(*published.read(), 1);
  published.publish(std::make_unique<const int>(2));
  EXPECT_EQ(*published.read(), 2);
  EXPECT_EQ(published.latest(), 2);
}

TEST(RcuCell, ReplacedValueIsFreedWithoutReaders) {
  std::atomic<int> alive{0};
  RcuCell<LifetimeProbe> published(std::make_unique<const LifetimeProbe>(1, alive));
  for (std::uint64_t i = 2; i < 10; ++i) {
    published.publish(std::make_unique<const LifetimeProbe>(i, alive));
    EXPECT_EQ(alive, 1);
    EXPECT_EQ(published.retired(), 0U);
  }
}

TEST(RcuCell, HeldValueIsFreedAfterReader) {
  std::atomic<int> alive{0};
  RcuCell<LifetimeProbe> published(std::make_unique<const LifetimeProbe>(1, alive));
  {
    const auto first = published.read();
    published.publish(std::make_unique<const LifetimeProbe>(2, alive));
    const auto second = published.read();
    published.publish(std::make_unique<const LifetimeProbe>(3, alive));
    EXPECT_EQ(first->number(), 1U);
    EXPECT_EQ(second->number(), 2U);
    EXPECT_EQ(alive, 3);
    EXPECT_EQ(published.retired(), 2U);
    published.collect();
    EXPECT_EQ(alive, 3);
  }
  EXPECT_EQ(alive, 3);  // the writer frees, not the reader
  published.collect();
  EXPECT_EQ(alive, 1);
  EXPECT_EQ(published.retired(), 0U);
}

// Every order in which a reader can hold a value while the columns alternate.
TEST(RcuCell, HeldValueSurvivesAnyNumberOfReplacements) {
  std::atomic<int> alive{0};
  for (std::uint64_t before = 0; before < 4; ++before) {
    RcuCell<LifetimeProbe> published(std::make_unique<const LifetimeProbe>(1, alive));
    for (std::uint64_t i = 0; i < before; ++i) {
      published.publish(std::make_unique<const LifetimeProbe>(i + 2, alive));
    }
    const auto held = published.read();
    for (std::uint64_t i = 0; i < 20; ++i) {
      published.publish(std::make_unique<const LifetimeProbe>(i + 10, alive));
      EXPECT_EQ(published.read()->number(), i + 10);
      EXPECT_TRUE(held->is_whole());
      EXPECT_EQ(held->number(), before + 1);
    }
  }
}

TEST(RcuCell, DestructorFreesEverything) {
  std::atomic<int> alive{0};
  {
    RcuCell<LifetimeProbe> published(std::make_unique<const LifetimeProbe>(1, alive));
    {
      const auto held = published.read();
      published.publish(std::make_unique<const LifetimeProbe>(2, alive));
    }
    EXPECT_EQ(alive, 2);
  }
  EXPECT_EQ(alive, 0);
}

TEST(RcuCell, ConcurrentReadersSeeWholeValuesInOrder) {
  constexpr std::uint64_t kValues = 10'000;
  constexpr std::size_t kMaxRetired = 1'000;
  constexpr std::size_t kReaders = 4;
  std::atomic<int> alive{0};
  std::atomic<std::uint64_t> wrong{0};
  std::atomic<bool> is_over{false};
  {
    RcuCell<LifetimeProbe> published(std::make_unique<const LifetimeProbe>(1, alive));
    std::vector<std::thread> readers;
    for (std::size_t i = 0; i < kReaders; ++i) {
      readers.emplace_back([&] {
        std::uint64_t last = 0;
        while (!is_over) {
          const auto outer = published.read();
          const auto inner = published.read();
          const bool is_right = outer->is_whole() && inner->is_whole() && outer->number() >= last &&
                                inner->number() >= outer->number();
          if (!is_right) wrong.fetch_add(1);
          last = inner->number();
        }
      });
    }
    // Readers that never stop do not prevent replaced values from being freed.
    const auto deadline = std::chrono::steady_clock::now() + std::chrono::seconds(30);
    for (std::uint64_t i = 2; i <= kValues; ++i) {
      published.publish(std::make_unique<const LifetimeProbe>(i, alive));
      while (published.retired() > kMaxRetired && std::chrono::steady_clock::now() < deadline) {
        std::this_thread::yield();
        published.collect();
      }
    }
    EXPECT_LT(std::chrono::steady_clock::now(), deadline);
    is_over = true;
    for (std::thread& reader : readers) reader.join();
    published.collect();
    EXPECT_EQ(published.retired(), 0U);
    EXPECT_EQ(alive, 1);
    EXPECT_EQ(published.read()->number(), kValues);
  }
  EXPECT_EQ(wrong, 0U);
  EXPECT_EQ(alive, 0);
}

}  // namespace
}  // namespace dynamo::runtime
