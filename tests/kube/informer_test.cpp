#include "kube/cache/informer.hpp"

#include <map>
#include <stdexcept>

#include "aio/task_group.hpp"
#include "kube/cache/store.hpp"
#include "kube/object/object_key.hpp"
#include "tests/kube/kube_fixture.hpp"

namespace dynamo::kube {
namespace {

using std::chrono::hours;
using std::chrono::milliseconds;
using std::chrono::seconds;
using test::Cut;
using test::Fault;
using test::Match;
using ::testing::ElementsAre;
using ::testing::HasSubstr;
using ::testing::IsEmpty;
using ::testing::Not;
using ::testing::Pair;

class RecordingHandler final : public InformerHandler {
 public:
  void replace(std::span<const Object> objects) override {
    ++replacements;
    holders.clear();
    for (const Object& object : objects) upsert(object);
  }
  void upsert(const Object& object) override {
    if (object.name() == poison) throw std::runtime_error("poisoned");
    holders[std::string(object.name())] = object.root()["spec"]["holderIdentity"].string_or_empty();
  }
  void remove(const Object& object) override { holders.erase(std::string(object.name())); }

  std::map<std::string, std::string> holders;
  int replacements = 0;
  std::string poison;
};

class InformerTest : public KubeTest {
 protected:
  static InformerOptions quick() {
    InformerOptions options;
    options.first_pause = milliseconds(1);
    options.longest_pause = milliseconds(2);
    return options;
  }

  void start(InformerOptions options = quick()) {
    informer_.emplace(client_, kLeases, std::move(options), handler_, logger_);
    group_.spawn("informer", [this] { return informer_->run(); });
  }
  void start_and_sync(InformerOptions options = quick()) {
    start(std::move(options));
    ASSERT_TRUE(until([this] { return informer_->is_watching(); }));
  }
  bool until(const std::function<bool()>& condition) { return test::run_until(loop_, condition); }
  void put(std::string_view name, std::string_view holder) {
    cluster_.put(kLeases, lease("ns", name, holder));
  }
  bool shows(std::string_view name, std::string_view holder) {
    return until([&] {
      const auto found = handler_.holders.find(std::string(name));
      return found != handler_.holders.end() && found->second == holder;
    });
  }
  std::size_t lists() const { return cluster_.count({.path = "limit="}); }
  std::size_t watches() const { return cluster_.count({.path = "watch=true"}); }
  std::string last_target(std::string_view part) const {
    std::string found;
    for (const auto& call : cluster_.calls()) {
      if (call.target.find(part) != std::string::npos) found = call.target;
    }
    return found;
  }
  // Runs everything that needs no waiting.
  void settle() {
    loop_.restart();
    for (int i = 0; i < 2000 && loop_.poll() != 0; ++i) {
    }
  }

  RecordingHandler handler_;
  std::optional<Informer> informer_;
  aio::TaskGroup group_{loop_, logger_};
};

TEST_F(InformerTest, ListsThenDeliversChanges) {
  put("a", "one");
  start_and_sync();
  EXPECT_THAT(handler_.holders, ElementsAre(Pair("a", "one")));
  EXPECT_TRUE(informer_->is_synced());
  put("b", "two");
  EXPECT_TRUE(shows("b", "two"));
  put("a", "three");
  EXPECT_TRUE(shows("a", "three"));
  cluster_.erase(kLeases, "ns", "a");
  EXPECT_TRUE(until([this] { return handler_.holders.size() == 1; }));
  EXPECT_EQ(lists(), 1U);
  EXPECT_EQ(watches(), 1U);
  EXPECT_THAT(last_target("limit="), HasSubstr("resourceVersion=0"));
  EXPECT_EQ(informer_->restarts(), 0U);
  EXPECT_THAT(logger_.lines(), IsEmpty());
}

// Receives the first list in pages, like a store.
class Pages final : public InformerHandler {
 public:
  bool takes_pages() const override { return !is_whole; }
  void replace(std::span<const Object> objects) override { note("all", objects.size()); }
  void page(std::span<const Object> objects, bool is_first) override {
    note(is_first ? "first" : "next", objects.size());
    if (throws) throw std::runtime_error("poisoned");
  }
  void listed() override {
    is_whole = true;
    log.emplace_back("listed");
  }
  void upsert(const Object& object) override { log.push_back("put " + std::string(object.name())); }
  void remove(const Object& object) override {
    log.push_back("gone " + std::string(object.name()));
  }
  void reached(std::string_view version) override { reached_last = version; }
  void note(std::string_view what, std::size_t count) {
    log.push_back(std::string(what) + " " + std::to_string(count));
  }

  std::vector<std::string> log;
  std::string reached_last;
  bool is_whole = false;
  bool throws = false;
};

// Nested as deep as the API server stores objects.
std::string deep_lease(const std::string& name, int version) {
  constexpr std::size_t kLevels = 9'999;
  return R"({"metadata":{"name":")" + name + R"(","namespace":"ns","uid":"u","resourceVersion":")" +
         std::to_string(version) + R"("},"spec":)" + std::string(kLevels, '[') +
         std::string(kLevels, ']') + "}";
}

TEST_F(InformerTest, TooDeepObjectDoesNotBlockOthers) {
  put("z", "one");
  const std::string list = R"({"metadata":{"resourceVersion":"1"},"items":[)" +
                           deep_lease("deep", 1) + "," + lease("ns", "a", "one") + "]}";
  cluster_.fail({.path = "limit="}, {.kind = Fault::Kind::kBody, .body = list});
  Store store(kLeases, {}, logger_);
  informer_.emplace(client_, kLeases, quick(), store, logger_);
  group_.spawn("informer", [this] { return informer_->run(); });
  ASSERT_TRUE(until([this] { return informer_->is_watching(); }));
  EXPECT_TRUE(store.contains({.namespace_name = "ns", .name = "a"}));
  EXPECT_FALSE(store.is_complete());
  cluster_.send_line(R"({"type":"MODIFIED","object":)" + deep_lease("deep", 2) + "}");
  cluster_.send_line(R"({"type":"ADDED","object":)" + deep_lease("another", 3) + "}");
  put("b", "two");
  EXPECT_TRUE(until([&] { return store.contains({.namespace_name = "ns", .name = "b"}); }));
  EXPECT_EQ(informer_->restarts(), 0U);
  EXPECT_TRUE(informer_->is_watching());
  EXPECT_EQ(logger_.lines().size(), 2U) << "one for each such object";
}

class InformerPagesTest : public InformerTest {
 protected:
  InformerPagesTest() {
    for (int i = 0; i < 550; ++i) put("l" + std::to_string(i), "one");
    cluster_.clear_calls();
  }
  void start_pages() {
    informer_.emplace(client_, kLeases, quick(), pages_, logger_);
    group_.spawn("informer", [this] { return informer_->run(); });
    ASSERT_TRUE(until([this] { return informer_->is_watching(); }));
  }
  Pages pages_;
};

TEST_F(InformerPagesTest, PagesAndTheirEndAreDelivered) {
  start_pages();
  EXPECT_THAT(pages_.log, ElementsAre("first 250", "next 250", "next 50", "listed"));
  EXPECT_TRUE(informer_->is_synced());
  EXPECT_FALSE(pages_.reached_last.empty());
  EXPECT_THAT(last_target("limit="), Not(HasSubstr("resourceVersion")))
      << "from its memory a server answers all in one page";
  put("new", "one");
  EXPECT_TRUE(until([this] { return pages_.log.back() == "put new"; }));
  cluster_.expire_watches();
  EXPECT_TRUE(until([this] { return pages_.log.back() == "all 551"; })) << "it takes none by now";
}

TEST_F(InformerPagesTest, ExpiredTokenRestartsPages) {
  cluster_.before({.path = "continue="}, [this] {
    cluster_.erase(kLeases, "ns", "l0");
    cluster_.compact();
  });
  start_pages();
  EXPECT_THAT(pages_.log, ElementsAre("first 250", "first 250", "next 250", "next 49", "listed"));
  EXPECT_EQ(informer_->restarts(), 0U);
}

TEST_F(InformerPagesTest, ErrorBetweenPagesIsNoEnd) {
  cluster_.fail({.path = "continue="},
                {.kind = Fault::Kind::kStatus, .status = 500, .reason = "InternalError"});
  start_pages();
  EXPECT_THAT(pages_.log, ElementsAre("first 250", "first 250", "next 250", "next 50", "listed"));
  EXPECT_EQ(informer_->restarts(), 1U);
}

TEST_F(InformerPagesTest, ThrowingPageIsLoggedAndListContinues) {
  pages_.throws = true;
  start_pages();
  EXPECT_THAT(pages_.log, ElementsAre("first 250", "next 250", "next 50", "listed"));
  EXPECT_EQ(logger_.lines().size(), 3U);
}

// The same with a store, which must have exactly the existing objects.
TEST_F(InformerPagesTest, StoreIsExactAfterAbortedList) {
  for (const bool by_token : {true, false}) {
    Store store(kLeases, StoreOptions(), logger_);
    const auto change_between_pages = [this, by_token] {
      cluster_.erase(kLeases, "ns", by_token ? "l1" : "l3");
      put("l2", by_token ? "two" : "three");
      put(by_token ? "a" : "z", "one");
      if (by_token) cluster_.compact();
    };
    cluster_.before({.path = "continue="}, change_between_pages);
    if (!by_token) cluster_.fail({.path = "continue="}, {.kind = Fault::Kind::kRefused});
    Informer informer(client_, kLeases, quick(), store, logger_);
    aio::TaskGroup group(loop_, logger_);
    group.spawn("informer", [&informer] { return informer.run(); });
    ASSERT_TRUE(until([&] { return informer.is_watching(); })) << by_token;
    EXPECT_EQ(informer.restarts(), by_token ? 0U : 1U);
    std::map<ObjectKey, std::string> shown;
    for (const ObjectKey& key : store.keys()) shown.emplace(key, store.version_of(key));
    std::map<ObjectKey, std::string> truth;
    for (const Object& each : cluster_.all(kLeases)) {
      truth.emplace(key_of(each), each.resource_version());
    }
    EXPECT_EQ(shown, truth) << by_token;
    group.stop();
  }
}

TEST_F(InformerTest, ListAndWatchUseSelectorsAndNamespace) {
  InformerOptions options = quick();
  options.namespace_name = "ns";
  options.field_selector = "metadata.name=a";
  options.label_selector = "app=x";
  start_and_sync(options);
  for (const char* part : {"limit=", "watch=true"}) {
    EXPECT_THAT(last_target(part), HasSubstr("/namespaces/ns/leases?"));
    EXPECT_THAT(last_target(part), HasSubstr("fieldSelector=metadata.name%3Da"));
    EXPECT_THAT(last_target(part), HasSubstr("labelSelector=app%3Dx"));
  }
}

TEST_F(InformerTest, WatchTimeoutsAreJittered) {
  start_and_sync();
  const std::string target = last_target("watch=true");
  const std::string name = "timeoutSeconds=";
  const int timeout = std::stoi(target.substr(target.find(name) + name.size()));
  EXPECT_GE(timeout, 30);
  EXPECT_LE(timeout, 60);
}

TEST_F(InformerTest, WatchResumesAfterEndWithoutList) {
  start_and_sync();
  put("a", "one");
  ASSERT_TRUE(shows("a", "one"));
  const std::string seen(cluster_.find(kLeases, "ns", "a")->resource_version());
  cluster_.cut_watches(Cut::kEnd);
  put("a", "two");
  cluster_.erase(kLeases, "ns", "a");
  put("b", "three");
  EXPECT_TRUE(shows("b", "three"));
  EXPECT_THAT(handler_.holders, ElementsAre(Pair("b", "three")));
  EXPECT_EQ(lists(), 1U);
  EXPECT_EQ(watches(), 2U);
  EXPECT_THAT(last_target("watch=true"), HasSubstr("resourceVersion=" + seen + "&"));
  EXPECT_EQ(informer_->restarts(), 0U);
  EXPECT_THAT(logger_.lines(), IsEmpty());
}

TEST_F(InformerTest, BookmarkMovesResumeVersion) {
  start_and_sync();
  cluster_.put(kConfigMaps, config_map("other", "1"));
  const std::string newest(cluster_.find(kConfigMaps, "dynamo", "other")->resource_version());
  cluster_.send_bookmarks();
  settle();
  cluster_.cut_watches(Cut::kEnd);
  ASSERT_TRUE(until([this] { return watches() == 2; }));
  EXPECT_THAT(last_target("watch=true"), HasSubstr("resourceVersion=" + newest + "&"));
}

TEST_F(InformerTest, ResetIsLoggedOnceAndWatchResumes) {
  start_and_sync();
  cluster_.cut_watches(Cut::kReset);
  put("a", "one");
  EXPECT_TRUE(shows("a", "one"));
  EXPECT_EQ(lists(), 1U);
  EXPECT_EQ(informer_->restarts(), 1U);
  ASSERT_EQ(logger_.lines().size(), 2U);
  EXPECT_EQ(logger_.lines()[0].level, runtime::Level::kWarning);
  EXPECT_THAT(logger_.lines()[0].fields,
              HasSubstr("watch leases.coordination.k8s.io: connection reset"));
  EXPECT_EQ(logger_.lines()[1].level, runtime::Level::kInfo);
  EXPECT_THAT(informer_->last_error(), IsEmpty());
}

TEST_F(InformerTest, WatchCutWithinEventLosesNothing) {
  start_and_sync();
  put("a", "one");
  cluster_.cut_watches(Cut::kHalfLine);
  put("b", "two");
  EXPECT_TRUE(shows("b", "two"));
  EXPECT_THAT(handler_.holders, ElementsAre(Pair("a", "one"), Pair("b", "two")));
}

TEST_F(InformerTest, InvalidLineCausesRelist) {
  for (const char* line : {"garbage", R"({"type":"ADDED","object":{}})", R"({"type":"NEW"})"}) {
    InformerTest::group_.stop();
    RecordingHandler handler;
    Informer informer(client_, kLeases, quick(), handler, logger_);
    aio::TaskGroup group(loop_, logger_);
    group.spawn("informer", [&] { return informer.run(); });
    ASSERT_TRUE(until([&] { return informer.is_watching(); }));
    cluster_.send_line(line);
    EXPECT_TRUE(until([&] { return handler.replacements == 2 && informer.is_watching(); })) << line;
    EXPECT_EQ(informer.restarts(), 1U);
  }
}

TEST_F(InformerTest, ExpiredVersionCausesListOfNewest) {
  for (const bool reported_in_event : {false, true}) {
    RecordingHandler handler;
    put("stays", "one");
    put("goes", "one");
    InformerOptions patient;
    patient.first_pause = hours(1);  // the test must not wait for any of them
    patient.longest_pause = hours(1);
    Informer informer(client_, kLeases, patient, handler, logger_);
    aio::TaskGroup group(loop_, logger_);
    group.spawn("informer", [&] { return informer.run(); });
    ASSERT_TRUE(until([&] { return informer.is_watching(); }));
    cluster_.send_bookmarks();
    settle();
    cluster_.cut_watches(Cut::kEnd);
    cluster_.erase(kLeases, "ns", "goes");
    cluster_.compact(reported_in_event);
    ASSERT_TRUE(until([&] { return handler.replacements == 2 && informer.is_watching(); }))
        << reported_in_event;
    EXPECT_THAT(handler.holders, ElementsAre(Pair("stays", "one")));
    EXPECT_THAT(last_target("limit="), Not(HasSubstr("resourceVersion")));
    EXPECT_EQ(informer.restarts(), 1U);
    EXPECT_THAT(logger_.lines(), IsEmpty());
  }
}

TEST_F(InformerTest, ExpiredOpenWatchCausesRelist) {
  start_and_sync();
  cluster_.expire_watches();
  EXPECT_TRUE(until([this] { return handler_.replacements == 2 && informer_->is_watching(); }));
}

TEST_F(InformerTest, RepeatedExpiryIsSlowedDown) {
  InformerOptions patient;
  patient.first_pause = hours(1);
  patient.longest_pause = hours(1);
  cluster_.fail({.path = "watch=true"},
                {.kind = Fault::Kind::kStatus, .status = 410, .reason = "Gone"}, 1000);
  start(patient);
  settle();
  EXPECT_EQ(watches(), 2U);
  EXPECT_EQ(lists(), 2U);
}

TEST_F(InformerTest, ImmediatelyEndingWatchesAreSlowedDown) {
  InformerOptions patient;
  patient.first_pause = hours(1);
  start_and_sync(patient);
  cluster_.cut_watches(Cut::kEnd);
  settle();
  EXPECT_EQ(watches(), 1U);
}

TEST_F(InformerTest, SilentWatchIsCutAndMissedEventsArrive) {
  InformerOptions options = quick();
  options.longest_silence = milliseconds(20);
  start_and_sync(options);
  cluster_.silence_watches();
  put("a", "one");
  EXPECT_TRUE(shows("a", "one"));
  EXPECT_EQ(lists(), 1U);
  EXPECT_GE(watches(), 2U);
}

TEST_F(InformerTest, UnansweredListIsRetried) {
  Client impatient(*connection_, milliseconds(5));
  cluster_.fail({.path = "limit="}, {.kind = Fault::Kind::kNever}, 2);
  cluster_.fail({.path = "watch=true"}, {.kind = Fault::Kind::kNever}, 2);
  put("a", "one");
  Informer informer(impatient, kLeases, quick(), handler_, logger_);
  group_.spawn("informer", [&] { return informer.run(); });
  EXPECT_TRUE(until([&] { return informer.is_watching(); }));
  EXPECT_THAT(handler_.holders, ElementsAre(Pair("a", "one")));
  EXPECT_EQ(informer.restarts(), 4U);
  EXPECT_EQ(logger_.lines().size(), 2U) << "one for the row of failures, one for their end";
  group_.stop();
}

TEST_F(InformerTest, MissingRightIsLoggedOnceUntilGranted) {
  cluster_.forbid("watch", "leases");
  start();
  ASSERT_TRUE(until([this] { return informer_->restarts() >= 5; }));
  EXPECT_TRUE(informer_->is_synced());
  EXPECT_FALSE(informer_->is_watching());
  EXPECT_THAT(informer_->last_error(), HasSubstr("watch leases.coordination.k8s.io: Forbidden: "));
  EXPECT_EQ(logger_.lines().size(), 1U);
  cluster_.allow_all();
  EXPECT_TRUE(until([this] { return informer_->is_watching(); }));
  EXPECT_THAT(informer_->last_error(), IsEmpty());
  EXPECT_EQ(lists(), 1U) << "the first list is still good";
}

TEST_F(InformerTest, RefusalOfVersionCausesRelist) {
  cluster_.fail({.path = "watch=true"},
                {.kind = Fault::Kind::kStatus, .status = 400, .reason = "BadRequest"});
  cluster_.fail({.path = "watch=true"},
                {.kind = Fault::Kind::kStatus, .status = 504, .reason = "Timeout"});
  start();
  ASSERT_TRUE(until([this] { return informer_->is_watching(); }));
  EXPECT_EQ(lists(), 3U);
  EXPECT_EQ(watches(), 3U);
  EXPECT_THAT(last_target("limit="), Not(HasSubstr("resourceVersion="))) << "the newest";
}

TEST_F(InformerTest, RefusalOfClientKeepsVersion) {
  for (const int status : {401, 429, 503}) {
    cluster_.fail({.path = "watch=true"},
                  {.kind = Fault::Kind::kStatus, .status = status, .reason = "Unavailable"});
  }
  start();
  ASSERT_TRUE(until([this] { return informer_->is_watching(); }));
  EXPECT_EQ(lists(), 1U);
  EXPECT_EQ(watches(), 4U);
}

TEST_F(InformerTest, OutageKeepsStateAndRecovers) {
  put("a", "one");
  start_and_sync();
  cluster_.set_reachable(false);
  put("a", "two");
  ASSERT_TRUE(until([this] { return informer_->restarts() >= 5; }));
  EXPECT_THAT(handler_.holders, ElementsAre(Pair("a", "one")));
  EXPECT_TRUE(informer_->is_synced());
  cluster_.set_reachable(true);
  EXPECT_TRUE(shows("a", "two"));
  EXPECT_EQ(lists(), 1U);
}

TEST_F(InformerTest, ObjectDeletedDuringOutageIsReported) {
  put("a", "one");
  put("b", "one");
  start_and_sync();
  cluster_.set_reachable(false);
  cluster_.erase(kLeases, "ns", "a");
  cluster_.compact();
  cluster_.set_reachable(true);
  EXPECT_TRUE(until([this] { return handler_.holders.size() == 1; }));
  EXPECT_THAT(handler_.holders, ElementsAre(Pair("b", "one")));
}

TEST_F(InformerTest, RetryAfterIsRespected) {
  cluster_.fail({.path = "watch=true"}, {.kind = Fault::Kind::kStatus,
                                         .status = 429,
                                         .reason = "TooManyRequests",
                                         .retry_after = seconds(3600)});
  start();
  ASSERT_TRUE(until([this] { return informer_->restarts() == 1; }));
  settle();
  EXPECT_EQ(watches(), 1U);
}

TEST_F(InformerTest, HandlerExceptionIsLoggedAndInformerContinues) {
  handler_.poison = "bad";
  start_and_sync();
  put("bad", "one");
  put("good", "two");
  EXPECT_TRUE(shows("good", "two"));
  ASSERT_EQ(logger_.lines().size(), 1U);
  EXPECT_EQ(logger_.lines()[0].level, runtime::Level::kError);
  EXPECT_THAT(logger_.lines()[0].fields, HasSubstr("poisoned"));
}

TEST_F(InformerTest, CancellationEndsAnyWait) {
  // An open watch, a list without an answer, a pause.
  {
    Informer informer(client_, kLeases, quick(), handler_, logger_);
    aio::TaskGroup group(loop_, logger_);
    group.spawn("informer", [&] { return informer.run(); });
    ASSERT_TRUE(until([&] { return informer.is_watching(); }));
    group.stop();
    EXPECT_FALSE(informer.is_watching());
    EXPECT_EQ(cluster_.watches(), 0U);
  }
  cluster_.fail({.path = "limit="}, {.kind = Fault::Kind::kNever});
  {
    Informer informer(client_, kLeases, quick(), handler_, logger_);
    aio::TaskGroup group(loop_, logger_);
    group.spawn("informer", [&] { return informer.run(); });
    settle();
    group.stop();
  }
  cluster_.fail({.path = "limit="}, {.kind = Fault::Kind::kRefused});
  InformerOptions patient;
  patient.first_pause = hours(1);
  start(patient);
  ASSERT_TRUE(until([this] { return informer_->restarts() == 1; }));
  logger_.log(runtime::Level::kInfo, "the only lines so far");
  group_.stop();
  EXPECT_EQ(logger_.lines().back().message, "the only lines so far");
}

}  // namespace
}  // namespace dynamo::kube
