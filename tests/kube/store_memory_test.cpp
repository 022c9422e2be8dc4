#include <gtest/gtest.h>

#include <optional>
#include <string>
#include <vector>

#include "kube/resource.hpp"
#include "kube/store.hpp"
#include "tests/support/memory_meter.hpp"
#include "tests/support/recording_logger.hpp"

namespace dynamo::kube {
namespace {

constexpr std::size_t kObjects = 2'000;

std::string item(std::size_t number) {
  const std::string name = "object-" + std::to_string(number);
  return R"({"metadata":{"name":")" + name + R"(","namespace":"ns","uid":")" +
         std::string(36, 'u') + name + R"(","resourceVersion":"1","labels":{"app":"a)" +
         std::to_string(number % 10) + R"("},"managedFields":[{"manager":")" +
         std::string(2'000, 'm') + R"("}]},"data":{"key":")" + std::string(500, 'd') + R"("}})";
}

Object page() {
  std::string text = R"({"items":[)";
  for (std::size_t i = 0; i < kObjects; ++i) text += (i == 0 ? "" : ",") + item(i);
  return Object::parse(text + "]}").value();
}

TEST(StoreMemoryTest, KeepsTheObjectsAndNothingOfThePageThatTheyCameIn) {
  test::RecordingLogger logger;
  StoreOptions options;
  options.namespace_index = true;
  options.owner_index = true;
  options.label_indexes = {"app"};
  Store store(kConfigMaps, options, logger);
  const std::size_t before = test::live_bytes();
  {
    const Object list = page();
    std::vector<Object> items;
    for (const json::Value each : list.root()["items"].elements()) items.push_back(list.part(each));
    store.replace(items);
  }
  const std::size_t kept = test::live_bytes() - before;
  ASSERT_EQ(store.size(), kObjects);
  EXPECT_LT(store.bytes(), kObjects * 800) << "without managedFields";
  EXPECT_LT(kept, store.bytes() + kObjects * 1'024) << "beyond the JSON that is kept";
  RecordProperty("bytes_beyond_json", std::to_string((kept - store.bytes()) / kObjects));
}

TEST(StoreMemoryTest, AListOfWhatIsThereAlreadyTakesNoMemoryOfItsObjects) {
  test::RecordingLogger logger;
  Store store(kConfigMaps, StoreOptions(), logger);
  const Object list = page();
  std::vector<Object> items;
  for (const json::Value each : list.root()["items"].elements()) items.push_back(list.part(each));
  store.replace(items);
  const test::MemoryMeter meter;
  store.replace(items);
  EXPECT_LT(meter.peak(), kObjects * 512) << "names only";
}

}  // namespace
}  // namespace dynamo::kube
