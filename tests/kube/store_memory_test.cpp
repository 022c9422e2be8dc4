#include <gtest/gtest.h>

#include <boost/asio/co_spawn.hpp>
#include <boost/asio/detached.hpp>
#include <boost/asio/io_context.hpp>
#include <memory>
#include <optional>
#include <string>
#include <vector>

#include "kube/cache/informer.hpp"
#include "kube/cache/store.hpp"
#include "kube/client/client.hpp"
#include "kube/object/resource.hpp"
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

TEST(StoreMemoryTest, KeepsObjectsWithoutTheirPage) {
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

TEST(StoreMemoryTest, UnchangedListAllocatesNothingForObjects) {
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

// Returns pages of kPage objects, and records the memory use at each request.
class PagedTransport final : public Transport {
 public:
  static constexpr std::size_t kPage = 500;
  static constexpr std::size_t kPages = 10;

  aio::Task<Result<Response>> send(Request request) override {
    static_cast<void>(request);
    live.push_back(test::live_bytes());
    Response answer;
    answer.status = 200;
    const std::size_t number = live.size();
    answer.body = R"({"metadata":{"resourceVersion":"9")";
    if (number < kPages) answer.body += R"(,"continue":"t)" + std::to_string(number) + "\"";
    answer.body += R"(},"items":[)";
    for (std::size_t i = 0; i < kPage; ++i) {
      answer.body += (i == 0 ? "" : ",") + item(number * kPage + i);
    }
    answer.body += "]}";
    page_bytes = answer.body.size();
    co_return answer;
  }
  aio::Task<Result<std::unique_ptr<Stream>>> open(Request request) override {
    static_cast<void>(request);
    Error error;
    error.failure = FailureKind::kCancelled;
    co_return error;
  }

  std::vector<std::size_t> live;
  std::size_t page_bytes = 0;
};

TEST(StoreMemoryTest, FirstListHoldsOnePageAtATime) {
  test::RecordingLogger logger;
  PagedTransport server;
  server.live.reserve(PagedTransport::kPages);
  Client client(server);
  Store store(kConfigMaps, StoreOptions(), logger);
  Informer informer(client, kConfigMaps, InformerOptions(), store, logger);
  boost::asio::io_context loop;
  boost::asio::co_spawn(loop, informer.run(), boost::asio::detached);
  const test::MemoryMeter meter;
  loop.run();
  ASSERT_EQ(store.size(), PagedTransport::kPage * PagedTransport::kPages);
  ASSERT_TRUE(store.is_synced());
  ASSERT_EQ(server.live.size(), PagedTransport::kPages);
  for (std::size_t i = 1; i < server.live.size(); ++i) {
    EXPECT_LT(server.live[i] - server.live[0], i * PagedTransport::kPage * 2'048)
        << "the text of a page must be freed before the next is asked for";
  }
  EXPECT_LT(meter.peak(), store.bytes() + store.size() * 1'024 + 4 * server.page_bytes);
}

}  // namespace
}  // namespace dynamo::kube
