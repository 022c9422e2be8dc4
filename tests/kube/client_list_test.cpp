// Paged lists.
#include <functional>
#include <memory>
#include <span>
#include <string>
#include <utility>
#include <vector>

#include "kube/client/client.hpp"
#include "tests/kube/kube_fixture.hpp"

namespace dynamo::kube {
namespace {

using test::Fault;
using ::testing::ElementsAre;
using ::testing::HasSubstr;
using ::testing::Not;

class ClientListTest : public KubeTest {
 protected:
  template <class T>
  auto run(aio::Task<T> task) {
    return test::run(loop_, std::move(task));
  }
};

// Records calls of on_page as "first a b" or "next c".
std::function<void(std::span<const Object>, bool)> noted(std::vector<std::string>& pages) {
  return [&pages](std::span<const Object> objects, bool is_first) {
    std::string text = is_first ? "first" : "next";
    for (const Object& object : objects) text += " " + std::string(object.namespace_name());
    pages.push_back(text);
  };
}

TEST_F(ClientListTest, PagesAreDeliveredAndListHasNoItems) {
  for (int i = 0; i < 5; ++i) cluster_.put(kLeases, lease("n" + std::to_string(i), "l"));
  std::vector<std::string> pages;
  ListOptions options;
  options.page_size = 2;
  options.on_page = noted(pages);
  const auto list = run(client_.list(kLeases, "", options));
  ASSERT_TRUE(list) << list.error().text;
  EXPECT_THAT(pages, ElementsAre("first n0 n1", "next n2 n3", "next n4"));
  EXPECT_TRUE(list->items.empty());
  EXPECT_FALSE(list->resource_version.empty());
  pages.clear();
  ASSERT_TRUE(run(client_.list(kConfigMaps, "", options)));
  EXPECT_THAT(pages, ElementsAre("first")) << "a list of nothing begins, too";
}

TEST_F(ClientListTest, PagesRestartIsReportedToReceiver) {
  for (int i = 0; i < 5; ++i) cluster_.put(kLeases, lease("n" + std::to_string(i), "l"));
  std::vector<std::string> pages;
  ListOptions options;
  options.page_size = 2;
  options.on_page = noted(pages);
  cluster_.before({.path = "continue="}, [this] {
    cluster_.erase(kLeases, "n1", "l");
    cluster_.compact();
  });
  ASSERT_TRUE(run(client_.list(kLeases, "", options)));
  EXPECT_THAT(pages, ElementsAre("first n0 n1", "first n0 n2", "next n3 n4"));
}

// Most servers answer from their cache in one page.
TEST_F(ClientListTest, RestartedListRequestsNewestVersion) {
  cluster_.put(kLeases, lease("n", "l"));
  cluster_.fail({}, {.kind = Fault::Kind::kBody,
                     .body = R"({"metadata":{"resourceVersion":"1","continue":"x"},"items":[]})"});
  cluster_.fail({.path = "continue=x"},
                {.kind = Fault::Kind::kStatus, .status = 410, .reason = "Expired"});
  ListOptions options;
  options.resource_version = "0";
  const auto list = run(client_.list(kLeases, "", options));
  ASSERT_TRUE(list) << list.error().text;
  EXPECT_EQ(list->items.size(), 1U);
  ASSERT_EQ(cluster_.calls().size(), 3U);
  EXPECT_THAT(cluster_.calls().at(0).target, HasSubstr("resourceVersion=0"));
  EXPECT_THAT(cluster_.calls().at(2).target, Not(HasSubstr("resourceVersion")));
}

TEST_F(ClientListTest, PagesAreDeliveredUpToError) {
  for (int i = 0; i < 5; ++i) cluster_.put(kLeases, lease("n" + std::to_string(i), "l"));
  std::vector<std::string> pages;
  ListOptions options;
  options.page_size = 2;
  options.on_page = noted(pages);
  cluster_.fail({.path = "continue="}, {.kind = Fault::Kind::kStatus, .status = 500});
  EXPECT_FALSE(run(client_.list(kLeases, "", options)));
  EXPECT_THAT(pages, ElementsAre("first n0 n1"));
}

TEST_F(ClientListTest, AllPagesTogetherHaveLimit) {
  for (int i = 0; i < 5; ++i) cluster_.put(kLeases, lease("n" + std::to_string(i), "l"));
  ListOptions options;
  options.page_size = 1;
  options.most_bytes = 10'000;
  ASSERT_TRUE(run(client_.list(kLeases, "", options)));
  options.most_bytes = 600;  // a single page is smaller
  cluster_.clear_calls();
  const auto list = run(client_.list(kLeases, "", options));
  ASSERT_FALSE(list);
  EXPECT_EQ(list.error().failure, FailureKind::kProtocol);
  EXPECT_THAT(list.error().text, HasSubstr("must have at most 600 bytes"));
  EXPECT_GT(cluster_.calls().size(), 1U);
  EXPECT_LT(cluster_.calls().size(), 5U) << "it does not read on";
}

TEST_F(ClientListTest, DeliveredPagesHaveLimitEach) {
  for (int i = 0; i < 5; ++i) cluster_.put(kLeases, lease("n" + std::to_string(i), "l"));
  std::vector<std::string> pages;
  ListOptions options;
  options.page_size = 1;
  options.most_bytes = 600;
  options.on_page = noted(pages);
  const auto list = run(client_.list(kLeases, "", options));
  ASSERT_TRUE(list) << list.error().text;
  EXPECT_EQ(pages.size(), 5U);
  options.most_bytes = 100;
  EXPECT_THAT(run(client_.list(kLeases, "", options)).error().text,
              HasSubstr("must have at most 100 bytes"));
}

// Fails with kTooLarge for answers beyond its limit, like the HTTP transport.
class SizeLimitedTransport final : public Transport {
 public:
  SizeLimitedTransport(Transport& below, std::size_t most) : below_(below), most_(most) {}
  aio::Task<Result<Response>> send(Request request) override {
    auto answer = co_await below_.send(std::move(request));
    if (!answer || answer->body.size() <= most_) co_return answer;
    Error error;
    error.failure = FailureKind::kTooLarge;
    error.text = "the answer is larger than " + std::to_string(most_) + " bytes";
    co_return error;
  }
  aio::Task<Result<std::unique_ptr<Stream>>> open(Request request) override {
    return below_.open(std::move(request));
  }

 private:
  Transport& below_;
  const std::size_t most_;
};

std::string limit_of(const test::Call& call) {
  const std::size_t at = call.target.find("limit=") + 6;
  return call.target.substr(at, call.target.find('&', at) - at);
}

TEST_F(ClientListTest, TooLargePageHalvesPageSize) {
  for (int i = 0; i < 12; ++i) {
    // The third object starts the large ones.
    const std::string more(i < 2 ? 1 : 1'000, 'x');
    cluster_.put(kConfigMaps, config_map("c" + std::to_string(10 + i), more));
  }
  const auto connection = cluster_.connect("narrow");
  SizeLimitedTransport limited(*connection, 4'000);
  Client client(limited);
  ListOptions options;
  options.page_size = 8;
  options.resource_version = "0";
  cluster_.clear_calls();
  const auto list = run(client.list(kConfigMaps, "dynamo", options));
  ASSERT_TRUE(list) << list.error().text;
  ASSERT_EQ(list->items.size(), 12U);
  for (int i = 0; i < 12; ++i) {
    EXPECT_EQ(list->items[static_cast<std::size_t>(i)].name(), "c" + std::to_string(10 + i));
  }
  std::vector<std::string> limits;
  for (const test::Call& call : cluster_.calls()) limits.push_back(limit_of(call));
  EXPECT_THAT(limits, ElementsAre("8", "4", "4", "2", "2", "2", "2"));
  EXPECT_THAT(cluster_.calls().at(1).target, Not(HasSubstr("resourceVersion")))
      << "from its memory a server answers all in one page";
  EXPECT_THAT(cluster_.calls().at(3).target, HasSubstr("continue="));
}

TEST_F(ClientListTest, ListFailsWhenOneObjectIsTooLarge) {
  for (int i = 0; i < 6; ++i) {
    cluster_.put(kConfigMaps,
                 config_map("c" + std::to_string(i), std::string(i == 4 ? 5'000 : 1, 'x')));
  }
  const auto connection = cluster_.connect("narrow");
  SizeLimitedTransport limited(*connection, 4'000);
  Client client(limited);
  ListOptions options;
  options.page_size = 4;
  cluster_.clear_calls();
  const auto list = run(client.list(kConfigMaps, "dynamo", options));
  ASSERT_FALSE(list);
  EXPECT_EQ(list.error().failure, FailureKind::kTooLarge);
  EXPECT_THAT(list.error().text,
              HasSubstr("list configmaps dynamo: the answer is larger than 4000 bytes"));
  EXPECT_EQ(cluster_.calls().size(), 4U) << "pages of 4, 4, 2 and 1";
}

}  // namespace
}  // namespace dynamo::kube
