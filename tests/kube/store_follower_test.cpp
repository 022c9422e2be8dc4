#include "kube/cache/store_follower.hpp"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <stdexcept>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "tests/support/recording_logger.hpp"

namespace dynamo::kube {
namespace {

using ::testing::ElementsAre;
using ::testing::IsEmpty;

Object object(const std::string& name, const std::string& version) {
  return Object::parse(R"({"metadata":{"name":")" + name +
                       R"(","namespace":"ns","uid":"u","resourceVersion":")" + version + R"("}})")
      .value();
}

// Records its calls, and throws as often as a test requests.
class Follower final : public StoreFollower {
 public:
  explicit Follower(runtime::Logger& logger) : StoreFollower(kConfigMaps, StoreOptions(), logger) {}

  // As an Informer, which catches exceptions.
  void list(const std::vector<Object>& objects, std::string_view version) {
    call_handler([&] { replace(objects); });
    call_handler([&] { reached(version); });
  }
  void event(const Object& object) {
    call_handler([&] { upsert(object); });
    call_handler([&] { reached(object.resource_version()); });
  }
  void bookmark(std::string_view version) {
    call_handler([&] { reached(version); });
  }
  std::vector<std::string> take_calls() { return std::exchange(log_, {}); }

  int changes_that_throw = 0;
  int words_that_throw = 0;

 private:
  template <class Do>
  static void call_handler(Do action) {
    try {
      action();
    } catch (const std::runtime_error&) {
    }
  }
  static void throw_while(int& times) {
    if (times == 0) return;
    --times;
    throw std::runtime_error("a defect");
  }

  void changed(const StoreChange& change) override {
    throw_while(changes_that_throw);
    log_.push_back("changed " + change.key.name);
  }
  void applied(Batch what) override {
    throw_while(words_that_throw);
    log_.emplace_back(what == Batch::kList ? "list" : "event");
  }

  std::vector<std::string> log_;
};

class StoreFollowerTest : public ::testing::Test {
 protected:
  test::RecordingLogger logger_;
  Follower follower_{logger_};
};

TEST_F(StoreFollowerTest, CallbackFollowsAllChangesOfListOrEvent) {
  follower_.list({object("a", "1"), object("b", "2")}, "2");
  EXPECT_THAT(follower_.take_calls(), ElementsAre("changed a", "changed b", "list"));
  follower_.event(object("a", "3"));
  EXPECT_THAT(follower_.take_calls(), ElementsAre("changed a", "event"));
  follower_.bookmark("4");
  EXPECT_THAT(follower_.take_calls(), IsEmpty());
  follower_.list({object("a", "3"), object("b", "2")}, "5");
  EXPECT_THAT(follower_.take_calls(), ElementsAre("list")) << "which reports that nothing changed";
}

TEST_F(StoreFollowerTest, CallbackFollowsRedeliveredChange) {
  follower_.changes_that_throw = 1;
  follower_.event(object("a", "1"));
  EXPECT_THAT(follower_.take_calls(), ElementsAre("event", "changed a", "event"));

  follower_.changes_that_throw = 2;
  follower_.event(object("a", "2"));
  EXPECT_THAT(follower_.take_calls(), ElementsAre("event"));
  follower_.bookmark("3");
  EXPECT_THAT(follower_.take_calls(), ElementsAre("changed a", "event"));
}

TEST_F(StoreFollowerTest, CallbackIsRepeatedAfterException) {
  follower_.words_that_throw = 2;
  follower_.list({object("a", "1")}, "1");
  EXPECT_THAT(follower_.take_calls(), ElementsAre("changed a"));
  follower_.bookmark("2");
  EXPECT_THAT(follower_.take_calls(), ElementsAre("list"));

  follower_.words_that_throw = 2;
  follower_.list({}, "3");
  EXPECT_THAT(follower_.take_calls(), ElementsAre("changed a"));
  follower_.event(object("b", "4"));
  EXPECT_THAT(follower_.take_calls(), ElementsAre("changed b", "list"))
      << "it says more than an event";
  follower_.bookmark("5");
  EXPECT_THAT(follower_.take_calls(), IsEmpty());
}

}  // namespace
}  // namespace dynamo::kube
