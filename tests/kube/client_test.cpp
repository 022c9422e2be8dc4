#include "kube/client/client.hpp"

#include <boost/asio/co_spawn.hpp>
#include <boost/asio/detached.hpp>
#include <optional>

#include "kube/object/status.hpp"
#include "tests/kube/kube_fixture.hpp"

namespace dynamo::kube {
namespace {

using std::chrono::milliseconds;
using std::chrono::seconds;
using test::Fault;
using test::Match;
using ::testing::EndsWith;
using ::testing::HasSubstr;
using ::testing::Not;
using ::testing::StartsWith;

constexpr Resource kWidgets{"example.com", "v1", "widgets", "Widget"};

class ClientTest : public KubeTest {
 protected:
  template <class T>
  auto run(aio::Task<T> task) {
    return test::run(loop_, std::move(task));
  }
  std::string value_of(const Object& object) {
    return std::string(object.root()["data"]["key"].string_or_empty());
  }
  const test::Call& last_call() { return cluster_.calls().back(); }
};

TEST_F(ClientTest, CreatedObjectCanBeReadReplacedAndRemoved) {
  const auto made = run(client_.create(kConfigMaps, "dynamo", config_map("a", "1")));
  ASSERT_TRUE(made) << made.error().text;
  EXPECT_EQ(made->name(), "a");
  EXPECT_THAT(std::string(made->uid()), Not(""));

  const auto read = run(client_.get(kConfigMaps, "dynamo", "a"));
  ASSERT_TRUE(read);
  EXPECT_EQ(value_of(*read), "1");
  EXPECT_EQ(read->resource_version(), made->resource_version());

  const auto replaced = run(client_.update(kConfigMaps, "dynamo", "a", config_map("a", "2")));
  ASSERT_TRUE(replaced) << replaced.error().text;
  EXPECT_NE(replaced->resource_version(), made->resource_version());

  ASSERT_TRUE(run(client_.remove(kConfigMaps, "dynamo", "a")));
  EXPECT_TRUE(run(client_.get(kConfigMaps, "dynamo", "a")).error().is("NotFound"));
}

TEST_F(ClientTest, ErrorNamesVerbResourceNamespaceAndName) {
  const auto missing = run(client_.get(kSecrets, "dynamo", "webhook-cert"));
  ASSERT_FALSE(missing);
  EXPECT_EQ(missing.error().failure, FailureKind::kStatus);
  EXPECT_EQ(missing.error().http_status, 404);
  EXPECT_EQ(missing.error().reason, "NotFound");
  EXPECT_EQ(missing.error().text,
            "get secrets dynamo/webhook-cert: NotFound: secrets \"webhook-cert\" not found");

  cluster_.forbid("list", "leases");
  EXPECT_THAT(run(client_.list(kLeases, "")).error().text,
              StartsWith("list leases.coordination.k8s.io: Forbidden: leases is forbidden"));
  cluster_.forbid("delete", "leases");
  EXPECT_THAT(run(client_.remove(kLeases, "ns", "x")).error().text,
              StartsWith("delete leases.coordination.k8s.io ns/x: Forbidden: "));
}

TEST_F(ClientTest, ErrorQuotesFirstLineOfOtherAnswer) {
  Fault proxy{.kind = Fault::Kind::kStatus, .status = 502};
  cluster_.fail({}, proxy);
  const auto result = run(client_.get(kSecrets, "dynamo", "a"));
  ASSERT_FALSE(result);
  EXPECT_EQ(result.error().http_status, 502);
  EXPECT_EQ(result.error().text, "get secrets dynamo/a: HTTP 502: <html>no Status");
}

TEST_F(ClientTest, NamesAndSelectorsAreEscaped) {
  run(client_.get(kConfigMaps, "a b", "x/../y?z"));
  EXPECT_EQ(last_call().target, "/api/v1/namespaces/a%20b/configmaps/x%2F..%2Fy%3Fz");
  ListOptions options;
  options.label_selector = "app=a&b,c!=d";
  options.field_selector = "metadata.name=x";
  run(client_.list(kLeases, "", options));
  EXPECT_THAT(last_call().target,
              HasSubstr("/apis/coordination.k8s.io/v1/leases?labelSelector=app%3Da%26b%2Cc%21%3Dd"
                        "&fieldSelector=metadata.name%3Dx&limit=250"));
}

TEST_F(ClientTest, ReplacingChangedObjectIsConflict) {
  cluster_.put(kConfigMaps, config_map("a", "1"));
  const auto seen = run(client_.get(kConfigMaps, "dynamo", "a"));
  cluster_.put(kConfigMaps, config_map("a", "2"));
  std::string body = config_map("a", "3");
  body.insert(body.find("\"name\""),
              "\"resourceVersion\":\"" + std::string(seen->resource_version()) + "\",");
  EXPECT_TRUE(run(client_.update(kConfigMaps, "dynamo", "a", body)).error().is("Conflict"));
  EXPECT_EQ(value_of(*cluster_.find(kConfigMaps, "dynamo", "a")), "2");
}

TEST_F(ClientTest, SecondCreationDiffersFromConflict) {
  cluster_.put(kConfigMaps, config_map("a", "1"));
  EXPECT_TRUE(
      run(client_.create(kConfigMaps, "dynamo", config_map("a", "2"))).error().is("AlreadyExists"));
}

TEST_F(ClientTest, RemovalRespectsPreconditions) {
  const Object made = cluster_.put(kConfigMaps, config_map("a", "1"));
  Preconditions other;
  other.uid = "another";
  EXPECT_TRUE(run(client_.remove(kConfigMaps, "dynamo", "a", other)).error().is("Conflict"));
  EXPECT_TRUE(cluster_.find(kConfigMaps, "dynamo", "a"));
  Preconditions same;
  same.uid = made.uid();
  same.resource_version = made.resource_version();
  EXPECT_TRUE(run(client_.remove(kConfigMaps, "dynamo", "a", same)));
  EXPECT_FALSE(cluster_.find(kConfigMaps, "dynamo", "a"));
}

TEST_F(ClientTest, PatchTypesHaveTheirContentTypes) {
  cluster_.put(kConfigMaps, config_map("a", "1"));
  auto patched = run(client_.patch(kConfigMaps, "dynamo", "a", PatchType::kJson,
                                   R"([{"op":"replace","path":"/data/key","value":"2"}])"));
  ASSERT_TRUE(patched) << patched.error().text;
  EXPECT_EQ(value_of(*patched), "2");
  patched = run(client_.patch(kConfigMaps, "dynamo", "a", PatchType::kMerge,
                              R"({"data":{"key":"3","other":"x"}})"));
  ASSERT_TRUE(patched);
  EXPECT_EQ(value_of(*patched), "3");

  WriteOptions options;
  options.field_manager = "applier";
  const std::string config = config_map("a", "4");
  patched = run(client_.patch(kConfigMaps, "dynamo", "a", PatchType::kApply, config, options));
  ASSERT_FALSE(patched) << "the field belongs to somebody else";
  EXPECT_TRUE(patched.error().is("Conflict"));
  EXPECT_THAT(patched.error().text, StartsWith("apply configmaps dynamo/a: Conflict: "));
  options.force = true;
  patched = run(client_.patch(kConfigMaps, "dynamo", "a", PatchType::kApply, config, options));
  ASSERT_TRUE(patched) << patched.error().text;
  EXPECT_EQ(value_of(*patched), "4");
  EXPECT_EQ(last_call().content_type, "application/apply-patch+yaml");
  EXPECT_THAT(last_call().target, HasSubstr("?fieldManager=applier&force=true"));
  EXPECT_EQ(cluster_.managers(kConfigMaps, "dynamo", "a", "data.key"),
            std::vector<std::string>{"applier"});
}

// The API server then uses the name from the user agent.
TEST_F(ClientTest, FieldManagerIsSentOnlyWhenSet) {
  ASSERT_TRUE(run(client_.create(kConfigMaps, "dynamo", config_map("a", "1"))));
  EXPECT_THAT(last_call().target, Not(HasSubstr("fieldManager")));
  WriteOptions options;
  options.field_manager = "writer";
  ASSERT_TRUE(run(client_.update(kConfigMaps, "dynamo", "a", config_map("a", "2"), options)));
  EXPECT_THAT(last_call().target, EndsWith("?fieldManager=writer"));
}

TEST_F(ClientTest, DryRunChangesNothing) {
  WriteOptions options;
  options.dry_run = true;
  const auto made = run(client_.create(kConfigMaps, "dynamo", config_map("a", "1"), options));
  ASSERT_TRUE(made);
  EXPECT_EQ(made->name(), "a");
  EXPECT_FALSE(cluster_.find(kConfigMaps, "dynamo", "a"));
}

TEST_F(ClientTest, StatusIsWrittenThroughSubresource) {
  cluster_.put(
      kWidgets,
      R"({"metadata":{"name":"g","namespace":"n"},"spec":{"a":1},"status":{"state":"x"}})");
  WriteOptions options;
  options.subresource = "status";
  const auto patched =
      run(client_.patch(kWidgets, "n", "g", PatchType::kMerge,
                        R"({"spec":{"a":2},"status":{"state":"ready"}})", options));
  ASSERT_TRUE(patched) << patched.error().text;
  EXPECT_EQ(patched->root()["status"]["state"].string_or_empty(), "ready");
  EXPECT_EQ(patched->root()["spec"]["a"].integer(), 1);
  EXPECT_THAT(last_call().target, EndsWith("/widgets/g/status"));
}

TEST_F(ClientTest, ListIsReadPageByPage) {
  for (int i = 0; i < 7; ++i) cluster_.put(kLeases, lease("n" + std::to_string(i), "l"));
  ListOptions options;
  options.page_size = 3;
  const auto list = run(client_.list(kLeases, "", options));
  ASSERT_TRUE(list) << list.error().text;
  ASSERT_EQ(list->items.size(), 7U);
  EXPECT_EQ(list->items[6].namespace_name(), "n6");
  EXPECT_EQ(cluster_.count({.path = "continue="}), 2U);
  EXPECT_EQ(cluster_.calls().size(), 3U);
  EXPECT_FALSE(list->resource_version.empty());
}

TEST_F(ClientTest, ListRestartsOnceWhenTokenExpires) {
  for (int i = 0; i < 5; ++i) cluster_.put(kLeases, lease("n" + std::to_string(i), "l"));
  ListOptions options;
  options.page_size = 2;
  cluster_.before({.path = "continue="}, [this] { cluster_.compact(); });
  const auto list = run(client_.list(kLeases, "", options));
  ASSERT_TRUE(list) << list.error().text;
  EXPECT_EQ(list->items.size(), 5U);

  cluster_.before({.path = "continue="}, [this] { cluster_.compact(); });
  cluster_.before({.path = "continue="}, [this] { cluster_.compact(); });
  EXPECT_TRUE(run(client_.list(kLeases, "", options)).error().is("Expired"));
}

TEST_F(ClientTest, ListCanRequestMetadataOnly) {
  cluster_.put(kConfigMaps, config_map("a", "1"));
  ListOptions options;
  options.metadata_only = true;
  const auto list = run(client_.list(kConfigMaps, "dynamo", options));
  ASSERT_TRUE(list);
  ASSERT_EQ(list->items.size(), 1U);
  EXPECT_EQ(list->items[0].name(), "a");
  EXPECT_FALSE(list->items[0].root()["data"].exists());
}

TEST_F(ClientTest, WriteCanRequestMetadataOnly) {
  WriteOptions options;
  options.metadata_only = true;
  const auto made = run(client_.create(kConfigMaps, "dynamo", config_map("a", "1"), options));
  ASSERT_TRUE(made) << made.error().text;
  const auto patched = run(client_.patch(kConfigMaps, "dynamo", "a", PatchType::kMerge,
                                         R"({"data":{"key":"2"}})", options));
  ASSERT_TRUE(patched) << patched.error().text;
  for (const Object& answer : {*made, *patched}) {
    EXPECT_EQ(answer.name(), "a");
    EXPECT_FALSE(answer.root()["data"].exists());
  }
  EXPECT_NE(made->resource_version(), patched->resource_version());
  const auto whole = run(client_.get(kConfigMaps, "dynamo", "a"));
  ASSERT_TRUE(whole);
  EXPECT_EQ(whole->resource_version(), patched->resource_version());
  EXPECT_EQ(whole->root()["data"]["key"].string_or_empty(), "2");
}

TEST_F(ClientTest, ListOfNamesKeepsOnlyNames) {
  const std::string large(10'000, 'x');
  for (int i = 0; i < 120; ++i) {
    cluster_.put(kConfigMaps, R"({"metadata":{"name":"c)" + std::to_string(i) +
                                  R"(","namespace":"dynamo","annotations":{"a":")" + large +
                                  R"("}}})");
  }
  ListOptions options;
  options.names_only = true;
  options.most_bytes = 600'000;  // half of the pages' total size
  const auto list = run(client_.list(kConfigMaps, "", options));
  ASSERT_TRUE(list) << list.error().text;
  EXPECT_EQ(cluster_.calls().size(), 3U) << "pages of fifty";
  ASSERT_EQ(list->items.size(), 120U);
  EXPECT_FALSE(list->resource_version.empty());
  for (const Object& item : list->items) {
    EXPECT_EQ(item.namespace_name(), "dynamo");
    EXPECT_TRUE(item.name().starts_with('c'));
    EXPECT_FALSE(item.uid().empty());
    EXPECT_FALSE(item.resource_version().empty());
    EXPECT_FALSE(item.root()["metadata"]["annotations"].exists());
  }
  for (const test::Call& call : cluster_.calls()) {
    EXPECT_THAT(call.accept, HasSubstr("PartialObjectMetadataList"));
  }
}

TEST_F(ClientTest, ListOfNamesHasLimit) {
  for (int i = 0; i < 120; ++i) {
    cluster_.put(kConfigMaps, config_map("c" + std::to_string(i), "1"));
  }
  ListOptions options;
  options.names_only = true;
  options.most_bytes = 8'000;
  const auto list = run(client_.list(kConfigMaps, "", options));
  ASSERT_FALSE(list);
  EXPECT_THAT(list.error().text, HasSubstr("must have at most 8000 bytes"));
  EXPECT_LT(cluster_.calls().size(), 3U) << "it does not read on";
}

// A list of thousands of objects has many megabytes.
TEST_F(ClientTest, TextWithPaddingIsMovedNotCopied) {
  std::string text;
  text.reserve(200);
  text = R"({"metadata":{"name":"x","managedFields":[{"manager":"m"}]}})";
  const char* const begin = text.data();
  const char* const end = begin + text.size();
  const auto taken = Object::take(std::move(text), 1);
  ASSERT_TRUE(taken.has_value());
  EXPECT_EQ(taken->name(), "x");
  EXPECT_FALSE(taken->root()["metadata"]["managedFields"].exists());
  EXPECT_GE(taken->name().data(), begin);
  EXPECT_LT(taken->name().data(), end);
}

TEST_F(ClientTest, TextWithoutPaddingIsParsed) {
  const std::string text = R"({"metadata":{"name":"x"}})";
  EXPECT_EQ(Object::take(std::string(text)).value().name(), "x");
  EXPECT_FALSE(Object::take("[]").has_value());
  EXPECT_FALSE(Object::take("").has_value());
}

TEST_F(ClientTest, ManagedFieldsAreSkippedInObject) {
  const std::string deep = std::string(1000, '[') + std::string(1000, ']');
  const std::string body =
      R"({"metadata":{"name":"a","managedFields":[{"fieldsV1":)" + deep + R"(}]},"data":{}})";
  cluster_.fail({}, {.kind = Fault::Kind::kBody, .body = body}, 2);
  const auto read = run(client_.get(kConfigMaps, "n", "a"));
  ASSERT_TRUE(read) << read.error().text;
  EXPECT_EQ(read->name(), "a");
  EXPECT_FALSE(read->root()["metadata"]["managedFields"].exists());
  EXPECT_TRUE(run(client_.update(kConfigMaps, "n", "a", "{}")));
}

TEST_F(ClientTest, ManagedFieldsAreSkippedInList) {
  cluster_.put(kConfigMaps,
               R"({"metadata":{"name":"a","namespace":"n","managedFields":[{"manager":"x"}]}})");
  const auto list = run(client_.list(kConfigMaps, "n"));
  ASSERT_TRUE(list);
  EXPECT_FALSE(list->items.at(0).root()["metadata"]["managedFields"].exists());
  EXPECT_EQ(list->items.at(0).name(), "a");
}

TEST_F(ClientTest, TooManyRequestsIsRetriedAfterServersDelay) {
  cluster_.put(kConfigMaps, config_map("a", "1"));
  const Fault busy{.kind = Fault::Kind::kStatus,
                   .status = 429,
                   .reason = "TooManyRequests",
                   .retry_after = seconds(0)};
  cluster_.fail({}, busy, 3);
  EXPECT_TRUE(run(client_.get(kConfigMaps, "dynamo", "a")));
  EXPECT_EQ(cluster_.calls().size(), 4U);
}

TEST_F(ClientTest, RequestIsSentAtMostTenTimes) {
  const Fault busy{.kind = Fault::Kind::kStatus,
                   .status = 503,
                   .reason = "ServiceUnavailable",
                   .retry_after = seconds(0)};
  cluster_.fail({}, busy, 100);
  EXPECT_TRUE(run(client_.get(kConfigMaps, "dynamo", "a")).error().is("ServiceUnavailable"));
  EXPECT_EQ(cluster_.calls().size(), 10U);
}

TEST_F(ClientTest, DelayBeyondDeadlineIsReturnedAsError) {
  const Fault busy{.kind = Fault::Kind::kStatus,
                   .status = 429,
                   .reason = "TooManyRequests",
                   .retry_after = seconds(3600)};
  cluster_.fail({}, busy);
  const auto result = run(client_.get(kConfigMaps, "dynamo", "a"));
  EXPECT_TRUE(result.error().is("TooManyRequests"));
  EXPECT_EQ(result.error().retry_after, seconds(3600));
  EXPECT_EQ(cluster_.calls().size(), 1U);
}

// More seconds than a clock of nanoseconds can represent.
TEST(StatusError, RetryAfterIsLimitedToOneDay) {
  const auto retry_after = [](const std::string& time) {
    return error_of_answer(
               "get", 429,
               R"({"kind":"Status","code":429,"details":{"retryAfterSeconds":)" + time + "}}",
               std::nullopt)
        .retry_after;
  };
  EXPECT_EQ(retry_after("10000000000000000"), std::chrono::hours(24));
  EXPECT_EQ(retry_after("7"), seconds(7));
  EXPECT_EQ(retry_after("-7"), std::nullopt);
}

TEST_F(ClientTest, NoRetryWithoutRetryAfter) {
  cluster_.fail({}, {.kind = Fault::Kind::kStatus, .status = 503, .reason = "ServiceUnavailable"});
  EXPECT_FALSE(run(client_.get(kConfigMaps, "dynamo", "a")));
  EXPECT_EQ(cluster_.calls().size(), 1U);
}

TEST_F(ClientTest, MissingAnswerEndsWithDeadline) {
  Client impatient(*connection_, milliseconds(5));
  cluster_.fail({}, {.kind = Fault::Kind::kNever});
  const auto result = run(impatient.get(kSecrets, "dynamo", "a"));
  EXPECT_EQ(result.error().failure, FailureKind::kDeadline);
  EXPECT_THAT(result.error().text, StartsWith("get secrets dynamo/a: "));
}

TEST_F(ClientTest, AnswerWithoutObjectIsProtocolError) {
  for (const char* body : {"", "[1]", "{\"a\":", "nonsense", "17"}) {
    cluster_.fail({}, {.kind = Fault::Kind::kBody, .body = body});
    const auto result = run(client_.get(kSecrets, "dynamo", "a"));
    ASSERT_FALSE(result) << body;
    EXPECT_EQ(result.error().failure, FailureKind::kProtocol) << body;
    EXPECT_THAT(result.error().text, StartsWith("get secrets dynamo/a: the answer must be"));
  }
}

TEST_F(ClientTest, ListWithoutVersionOrProgressIsProtocolError) {
  for (const char* body :
       {"{}", R"({"metadata":{"resourceVersion":"1"},"items":3})", R"({"items":[]})"}) {
    cluster_.fail({}, {.kind = Fault::Kind::kBody, .body = body});
    EXPECT_EQ(run(client_.list(kLeases, "")).error().failure, FailureKind::kProtocol) << body;
  }
  cluster_.fail({},
                {.kind = Fault::Kind::kBody,
                 .body = R"({"metadata":{"resourceVersion":"1","continue":"x"},"items":[]})"},
                1000);
  EXPECT_EQ(run(client_.list(kLeases, "")).error().failure, FailureKind::kProtocol);
}

TEST_F(ClientTest, LostAnswerIsErrorAfterSuccessfulWrite) {
  cluster_.fail({.method = HttpMethod::kPost}, {.kind = Fault::Kind::kLostAnswer});
  const auto result = run(client_.create(kConfigMaps, "dynamo", config_map("a", "1")));
  EXPECT_EQ(result.error().failure, FailureKind::kConnect);
  EXPECT_TRUE(cluster_.find(kConfigMaps, "dynamo", "a"));
}

class WatchTest : public ClientTest {
 protected:
  Result<Watch> open(const WatchOptions& options = {}) {
    return run(client_.watch(kLeases, "", options));
  }
};

TEST_F(WatchTest, EventsArriveInOrderFromGivenVersion) {
  cluster_.put(kLeases, lease("n", "before"));
  const auto list = run(client_.list(kLeases, ""));
  WatchOptions options;
  options.resource_version = list->resource_version;
  cluster_.put(kLeases, lease("n", "l", "one"));
  auto watch = open(options);
  ASSERT_TRUE(watch) << watch.error().text;
  cluster_.put(kLeases, lease("n", "l", "two"));
  cluster_.erase(kLeases, "n", "l");
  cluster_.send_bookmarks();

  auto event = run(watch->next());
  ASSERT_TRUE(event) << event.error().text;
  EXPECT_EQ(event->type, EventType::kAdded);
  EXPECT_EQ(event->object.root()["spec"]["holderIdentity"].string_or_empty(), "one");
  event = run(watch->next());
  EXPECT_EQ(event->type, EventType::kModified);
  EXPECT_EQ(event->object.root()["spec"]["holderIdentity"].string_or_empty(), "two");
  event = run(watch->next());
  EXPECT_EQ(event->type, EventType::kDeleted);
  EXPECT_EQ(event->object.name(), "l");
  const std::string deleted_at(event->object.resource_version());
  event = run(watch->next());
  EXPECT_EQ(event->type, EventType::kBookmark);
  EXPECT_EQ(event->object.resource_version(), deleted_at);
  EXPECT_THAT(last_call().target, HasSubstr("watch=true&allowWatchBookmarks=true"));
}

TEST_F(WatchTest, EndBreakAndSilenceAreDifferentErrors) {
  auto watch = open();
  cluster_.cut_watches(test::Cut::kEnd);
  EXPECT_EQ(run(watch->next()).error().failure, FailureKind::kClosed);

  watch = open();
  cluster_.cut_watches(test::Cut::kReset);
  EXPECT_EQ(run(watch->next()).error().failure, FailureKind::kConnect);

  WatchOptions impatient;
  impatient.longest_silence = milliseconds(5);
  watch = open(impatient);
  const auto silent = run(watch->next());
  EXPECT_EQ(silent.error().failure, FailureKind::kDeadline);
  EXPECT_THAT(silent.error().text, StartsWith("watch leases.coordination.k8s.io: "));
}

TEST_F(WatchTest, ExpiredIsSameErrorInStatusAndEvent) {
  WatchOptions old;
  old.resource_version = "1000";
  cluster_.compact();
  const auto refused = open(old);
  ASSERT_FALSE(refused);
  EXPECT_TRUE(refused.error().is("Expired"));
  EXPECT_EQ(refused.error().http_status, 410);
  EXPECT_THAT(refused.error().text, StartsWith("watch leases.coordination.k8s.io: Expired: "));

  cluster_.compact(true);
  auto watch = open(old);
  ASSERT_TRUE(watch);
  const auto event = run(watch->next());
  EXPECT_TRUE(event.error().is("Expired"));
  EXPECT_EQ(event.error().http_status, 410);
}

TEST_F(WatchTest, LinesWithoutEventAreProtocolErrors) {
  for (const char* line :
       {"garbage", "", "{}", R"({"type":"ADDED"})", R"({"type":"ADDED","object":[]})",
        R"({"type":"ADDED","object":{"metadata":{"name":"x"}}})",
        R"({"type":"RENAMED","object":{"metadata":{"resourceVersion":"7"}}})",
        R"({"type":"MODIFIED","object":{"kind":"Le)"}) {
    auto watch = open();
    cluster_.send_line(line);
    const auto event = run(watch->next());
    ASSERT_FALSE(event) << line;
    EXPECT_EQ(event.error().failure, FailureKind::kProtocol) << line;
  }
}

TEST_F(WatchTest, ObjectLeavingSelectionIsReportedAsDeleted) {
  WatchOptions options;
  options.label_selector = "app=a";
  auto watch = run(client_.watch(kConfigMaps, "dynamo", options));
  ASSERT_TRUE(watch);
  cluster_.put(kConfigMaps,
               R"({"metadata":{"name":"x","namespace":"dynamo","labels":{"app":"a"}}})");
  cluster_.put(kConfigMaps,
               R"({"metadata":{"name":"x","namespace":"dynamo","labels":{"app":"b"}}})");
  EXPECT_EQ(run(watch->next())->type, EventType::kAdded);
  EXPECT_EQ(run(watch->next())->type, EventType::kDeleted);
}

}  // namespace
}  // namespace dynamo::kube
