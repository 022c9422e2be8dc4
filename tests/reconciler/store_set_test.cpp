// What the stores of controllers are: who watches what, and a new leader's look at what it knows.
#include "reconciler/store_set.hpp"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <string>
#include <vector>

#include "tests/support/recording_logger.hpp"

namespace dynamo::reconciler {
namespace {

using kube::kConfigMaps;
using ::testing::ElementsAre;

class CatchUpTest : public ::testing::Test {
 protected:
  kube::List list(const std::string& version, const std::string& items) {
    kube::List made;
    made.resource_version = version;
    const auto all = kube::Object::parse(R"({"items":[)" + items + "]}").value();
    for (const json::Value each : all.root()["items"].elements()) {
      made.items.push_back(all.part(each));
    }
    return made;
  }
  kube::Object object(const std::string& name, const std::string& version) {
    return kube::Object::parse(item(name, version)).value();
  }
  static std::string item(const std::string& name, const std::string& version) {
    return R"({"metadata":{"namespace":"ns","name":")" + name +
           R"(","uid":"u","resourceVersion":")" + version + R"("}})";
  }

  test::RecordingLogger logger_;
};

TEST_F(CatchUpTest, AStoreIsBehindWhatItLacksOrHasTooLong) {
  kube::Store store(kConfigMaps, {}, logger_);
  const std::vector<kube::Object> first{object("a", "5"), object("b", "6")};
  store.replace(first);
  EXPECT_FALSE(is_behind(store, list("6", item("a", "5") + "," + item("b", "6"))));
  EXPECT_TRUE(is_behind(store, list("9", item("a", "5") + "," + item("b", "9")))) << "old";
  EXPECT_TRUE(is_behind(store, list("9", item("a", "5")))) << "gone";
  EXPECT_TRUE(
      is_behind(store, list("9", item("a", "5") + "," + item("b", "6") + "," + item("c", "9"))))
      << "new";
  store.upsert(object("c", "12"));
  EXPECT_FALSE(is_behind(store, list("9", item("a", "5") + "," + item("b", "6"))))
      << "it is ahead of the list";
}

TEST_F(CatchUpTest, WatchesOfSeveralAreUnited) {
  Watched left;
  left.resource = kConfigMaps;
  left.options.left_out = {"data", "binaryData"};
  left.options.label_indexes = {"one"};
  left.label_selector = "a=b";
  Watched right = left;
  right.options.left_out = {"data"};
  right.options.label_indexes = {"two"};
  right.options.field_indexes = {"spec.name"};
  right.options.owner_index = true;
  right.label_selector = "";
  const Watched both = united(left, right);
  EXPECT_THAT(both.options.left_out, ElementsAre("data"));
  EXPECT_THAT(both.options.label_indexes, ElementsAre("one", "two"));
  EXPECT_THAT(both.options.field_indexes, ElementsAre("spec.name"));
  EXPECT_TRUE(both.options.owner_index);
  EXPECT_EQ(both.label_selector, "");
}

}  // namespace
}  // namespace dynamo::reconciler
