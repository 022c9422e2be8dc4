// last_contact() of an informer, by a clock that only the test advances.
#include <optional>

#include "aio/task_group.hpp"
#include "kube/cache/informer.hpp"
#include "kube/cache/store.hpp"
#include "tests/kube/kube_fixture.hpp"
#include "tests/support/fake_clock.hpp"

namespace dynamo::kube {
namespace {

using std::chrono::milliseconds;
using std::chrono::seconds;
using test::Cut;

class InformerLastContactTest : public KubeTest {
 protected:
  void start() {
    InformerOptions options;
    options.first_pause = milliseconds(1);
    options.longest_pause = milliseconds(2);
    options.clock = &clock_;
    informer_.emplace(client_, kLeases, std::move(options), store_, logger_);
    EXPECT_FALSE(informer_->last_contact()) << "it does not run";
    group_.spawn("informer", [this] { return informer_->run(); });
  }
  void start_and_sync() {
    start();
    ASSERT_TRUE(until([this] { return informer_->is_watching(); }));
  }
  bool until(const std::function<bool()>& condition) { return test::run_until(loop_, condition); }
  // Runs everything that needs no waiting.
  void settle() {
    loop_.restart();
    for (int i = 0; i < 2000 && loop_.poll() != 0; ++i) {
    }
  }
  void put(std::string_view name) { cluster_.put(kLeases, lease("ns", name)); }
  bool shows(const std::string& name) {
    return until([&] { return store_.contains({.namespace_name = "ns", .name = name}); });
  }
  std::size_t watches() const { return cluster_.count({.path = "watch=true"}); }
  seconds silence() const {
    return std::chrono::duration_cast<seconds>(clock_.monotonic() - *informer_->last_contact());
  }

  test::FakeClock clock_;
  Store store_{kLeases, {}, logger_};
  std::optional<Informer> informer_;
  aio::TaskGroup group_{loop_, logger_};
};

TEST_F(InformerLastContactTest, ListsChangesBookmarksAndCleanEndsCount) {
  cluster_.forbid("list", "leases");
  start();
  ASSERT_TRUE(until([this] { return informer_->restarts() > 0; }));
  clock_.tick(seconds(50));
  EXPECT_EQ(silence(), seconds(50)) << "since it runs; a refusal says nothing";
  cluster_.allow_all();
  ASSERT_TRUE(until([this] { return informer_->is_watching(); }));
  EXPECT_EQ(silence(), seconds(0));
  clock_.tick(seconds(50));
  put("a");
  ASSERT_TRUE(shows("a"));
  EXPECT_EQ(silence(), seconds(0));
  clock_.tick(seconds(50));
  cluster_.send_bookmarks();
  settle();
  EXPECT_EQ(silence(), seconds(0));
  clock_.tick(seconds(50));
  EXPECT_EQ(silence(), seconds(50));
  cluster_.cut_watches(Cut::kEnd);
  ASSERT_TRUE(until([this] { return watches() == 2; }));
  EXPECT_EQ(silence(), seconds(0));
}

TEST_F(InformerLastContactTest, OpenedWatchWithoutEventsDoesNotCount) {
  start_and_sync();
  put("a");
  ASSERT_TRUE(shows("a"));
  clock_.tick(seconds(50));
  cluster_.cut_watches(Cut::kReset);
  ASSERT_TRUE(until([this] { return watches() == 2 && informer_->is_watching(); }));
  EXPECT_EQ(silence(), seconds(50));
  cluster_.cut_watches(Cut::kEnd);  // immediately, like a proxy without a backend
  ASSERT_TRUE(until([this] { return watches() == 3 && informer_->is_watching(); }));
  EXPECT_EQ(silence(), seconds(50));
}

TEST_F(InformerLastContactTest, AbandonedWatchIsReplacedByNewestList) {
  start_and_sync();
  EXPECT_EQ(informer_->listed_from(), clock_.monotonic());
  cluster_.silence_watches();
  put("a");
  clock_.tick(seconds(70));
  settle();
  ASSERT_EQ(store_.size(), 0U);
  cluster_.clear_calls();
  informer_->relist();
  EXPECT_TRUE(shows("a"));
  EXPECT_EQ(cluster_.count({.path = "limit="}), 1U);
  EXPECT_EQ(cluster_.count({.path = "limit=250&resourceVersion="}), 0U) << "the newest";
  EXPECT_EQ(informer_->listed_from(), clock_.monotonic());
  ASSERT_TRUE(until([this] { return informer_->is_watching(); }));
  put("b");
  EXPECT_TRUE(shows("b"));
  EXPECT_EQ(informer_->restarts(), 1U);
  EXPECT_TRUE(logger_.lines().empty()) << "it is no failure";
}

TEST_F(InformerLastContactTest, RelistDoesNothingWithoutWatch) {
  cluster_.forbid("list", "leases");
  start();
  ASSERT_TRUE(until([this] { return informer_->restarts() == 1; }));
  informer_->relist();
  cluster_.allow_all();
  ASSERT_TRUE(until([this] { return informer_->is_watching(); }));
  EXPECT_EQ(informer_->restarts(), 1U);
  group_.stop();
  EXPECT_FALSE(informer_->is_watching());
}

}  // namespace
}  // namespace dynamo::kube
