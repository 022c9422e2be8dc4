#include "kube/cache/store.hpp"

#include <map>
#include <random>
#include <set>
#include <stdexcept>
#include <string>
#include <vector>

#include "aio/task_group.hpp"
#include "json/writer.hpp"
#include "tests/kube/kube_fixture.hpp"

namespace dynamo::kube {
namespace {

using std::chrono::milliseconds;
using std::chrono::seconds;
using test::Cut;
using ::testing::ElementsAre;
using ::testing::HasSubstr;
using ::testing::IsEmpty;

const WriteLedger::Time kNow = WriteLedger::Time(std::chrono::hours(1));

ObjectKey key(std::string name, std::string space = "ns") {
  return {.namespace_name = std::move(space), .name = std::move(name)};
}

Object object(const std::string& name, const std::string& version, const std::string& more = {},
              const std::string& uid = "u", const std::string& metadata = {}) {
  return Object::parse(R"({"metadata":{"name":")" + name + R"(","namespace":"ns","uid":")" + uid +
                       R"(","resourceVersion":")" + version + "\"" + metadata + "}" + more + "}")
      .value();
}

// Mirrors the delivered changes, and checks that each one starts where the previous one ended.
class Mirror final : public StoreHandler {
 public:
  void changed(const StoreChange& change) override {
    if (throws && throws(change)) throw std::runtime_error("a defect");
    const auto known = versions.find(change.key);
    const std::string from =
        change.before == nullptr ? "" : std::string(change.before->resource_version());
    if (change.now != nullptr) {
      EXPECT_EQ(from, known == versions.end() ? "" : known->second) << to_string(change.key);
      versions[change.key] = change.now->resource_version();
      log.push_back("put " + change.key.name);
    } else {
      EXPECT_NE(change.before, nullptr) << "a removal comes with the last state";
      versions.erase(change.key);
      log.push_back("gone " + change.key.name);
    }
  }
  void on_synced() override { log.emplace_back("synced"); }
  void ready(const ObjectKey& which) override { log.push_back("ready " + which.name); }

  std::map<ObjectKey, std::string> versions;
  std::vector<std::string> log;
  std::function<bool(const StoreChange&)> throws;
};

class StoreTest : public ::testing::Test {
 protected:
  static StoreOptions indexed() {
    StoreOptions options;
    options.namespace_index = true;
    options.owner_index = true;
    options.label_indexes = {"app"};
    return options;
  }
  void list(std::vector<Object> objects) { store_.replace(objects); }
  void page(std::vector<Object> objects, bool is_first) { store_.page(objects, is_first); }

  test::RecordingLogger logger_;
  Store store_{kConfigMaps, indexed(), logger_};
  Mirror mirror_;
};

TEST_F(StoreTest, ObjectIsKeptWithKindWithoutManagedFields) {
  store_.upsert(object("a", "1", R"(,"data":{"k":"v"})", "u",
                       R"(,"managedFields":[{"manager":"m"}],"labels":{"x":"y"})"));
  const auto found = store_.find(key("a"));
  ASSERT_TRUE(found);
  EXPECT_EQ(json::to_text(found->root()),
            R"({"apiVersion":"v1","kind":"ConfigMap","metadata":{"name":"a","namespace":"ns",)"
            R"("uid":"u","resourceVersion":"1","labels":{"x":"y"}},"data":{"k":"v"}})");
  EXPECT_EQ(store_.version_of(key("a")), "1");
  EXPECT_EQ(store_.uid_of(key("a")), "u");
  constexpr std::string_view kHead = R"({"apiVersion":"v1","kind":"ConfigMap")";
  EXPECT_EQ(store_.bytes(), json::to_text(found->root()).size() - kHead.size())
      << "what all have is not kept with each";
}

TEST_F(StoreTest, LeftOutFieldsAreNotKept) {
  StoreOptions options;
  options.left_out = {"data"};
  Store store(kConfigMaps, options, logger_);
  store.upsert(object("a", "1", R"(,"data":{"k":"v"},"immutable":true)"));
  EXPECT_FALSE(store.find(key("a"))->root()["data"].exists());
  EXPECT_TRUE(store.find(key("a"))->root()["immutable"].exists());
  options.left_out = {"spec.versions", "status"};
  Store thinned(kConfigMaps, options, logger_);
  thinned.upsert(object(
      "a", "1", R"(,"spec":{"versions":[1],"group":"g"},"status":{},"data":{"versions":1})"));
  const std::string text = json::to_text(thinned.find(key("a"))->root());
  EXPECT_THAT(text, HasSubstr(R"("spec":{"group":"g"},"data":{"versions":1}})"));
  options.metadata_only = true;
  Store names(kConfigMaps, options, logger_);
  names.upsert(object("a", "1", R"(,"immutable":true)"));
  EXPECT_FALSE(names.find(key("a"))->root()["immutable"].exists());
}

TEST_F(StoreTest, ListIsDeliveredAsDifference) {
  store_.subscribe(mirror_);
  list({object("a", "1"), object("b", "1"), object("c", "1")});
  EXPECT_THAT(mirror_.log, ElementsAre("put a", "put b", "put c", "synced"));
  mirror_.log.clear();
  list({object("a", "1"), object("c", "2"), object("d", "2")});
  EXPECT_THAT(mirror_.log, ElementsAre("gone b", "put c", "put d"));
}

TEST_F(StoreTest, FirstListIsProcessedPageByPage) {
  store_.subscribe(mirror_);
  ASSERT_TRUE(store_.takes_pages());
  page({object("a", "1"), object("b", "1")}, true);
  EXPECT_FALSE(store_.is_synced());
  page({object("c", "1")}, false);
  EXPECT_THAT(mirror_.log, ElementsAre("put a", "put b", "put c"));
  store_.listed();
  EXPECT_TRUE(store_.is_synced());
  EXPECT_EQ(mirror_.log.back(), "synced");
  EXPECT_FALSE(store_.takes_pages()) << "what goes with a later list goes before what is new";
}

TEST_F(StoreTest, RestartedPagedListLeavesNoStaleObjects) {
  store_.subscribe(mirror_);
  page({object("gone", "1", {}, "u1"), object("stays", "1", {}, "u2")}, true);
  page({object("another", "1", {}, "u3"), object("changes", "1", {}, "u4")}, false);
  mirror_.log.clear();
  page({object("another", "5", {}, "u5")}, true);
  page({object("changes", "6", {}, "u4"), object("stays", "1", {}, "u2")}, false);
  EXPECT_THAT(mirror_.log, ElementsAre("gone another", "put another", "put changes"))
      << "what is not on the pages so far may be on the next";
  EXPECT_FALSE(store_.is_synced());
  mirror_.log.clear();
  store_.listed();
  EXPECT_THAT(mirror_.log, ElementsAre("gone gone", "synced"));
  EXPECT_EQ(store_.keys(store_.index_by_namespace(), "ns"), store_.keys());
  EXPECT_THAT(store_.keys(), ElementsAre(key("another"), key("changes"), key("stays")));
}

TEST_F(StoreTest, AbortedPagedListsReportRemovalOnce) {
  store_.subscribe(mirror_);
  page({object("a", "1")}, true);
  page({object("b", "1")}, true);
  page({object("c", "1")}, true);
  EXPECT_THAT(mirror_.log, ElementsAre("put a", "put b", "put c"));
  store_.listed();
  EXPECT_THAT(mirror_.log, ElementsAre("put a", "put b", "put c", "gone a", "gone b", "synced"));
}

TEST_F(StoreTest, EmptyPagedListCompletesStore) {
  store_.subscribe(mirror_);
  page({}, true);
  store_.listed();
  EXPECT_THAT(mirror_.log, ElementsAre("synced"));
}

TEST_F(StoreTest, PageBeyondLimitKeepsKnownObjects) {
  StoreOptions small;
  small.most_bytes = 200;
  Store store(kConfigMaps, small, logger_);
  store.subscribe(mirror_);
  const std::vector<Object> first = {object("a", "1"), object("b", "1"), object("c", "1")};
  store.page(first, true);
  EXPECT_FALSE(store.is_complete());
  const std::vector<Object> again = {
      object("a", "2", R"(,"data":{"k":")" + std::string(300, 'x') + R"("})")};
  store.page(again, true);
  EXPECT_FALSE(store.is_complete());
  store.listed();
  EXPECT_TRUE(store.contains(key("a"))) << "it was on the list";
  EXPECT_FALSE(store.contains(key("b")));
  store.replace(std::vector<Object>{object("a", "3")});
  EXPECT_TRUE(store.is_complete());
}

// As a list or a watch delivers it.
Object deep_object(const std::string& name, const std::string& version, std::size_t levels) {
  std::string text =
      R"({"metadata":{"name":")" + name + R"(","namespace":"ns","uid":"u","resourceVersion":")" +
      version + R"("},"data":)" + std::string(levels - 1, '[') + std::string(levels - 1, ']') + "}";
  text.reserve(text.size() + json::kParsePadding);
  return Object::take(std::move(text), 0, kDeepestAnswer).value();
}

TEST_F(StoreTest, TooDeepObjectIsDroppedUntilFixed) {
  store_.subscribe(mirror_);
  list({object("a", "1"), deep_object("deep", "1", kDeepestObject + 1),
        deep_object("just", "1", kDeepestObject), object("z", "1")});
  EXPECT_THAT(mirror_.log, ElementsAre("put a", "put just", "put z", "synced"));
  EXPECT_FALSE(store_.is_complete());
  EXPECT_FALSE(store_.lacks(key("deep"))) << "it must not look deleted";
  EXPECT_FALSE(store_.lacks(key("a")));
  EXPECT_TRUE(store_.lacks(key("none")));
  store_.upsert(deep_object("deep", "2", 10'000));
  list({object("a", "1"), deep_object("deep", "3", 10'000)});
  ASSERT_EQ(logger_.lines().size(), 1U) << "it is reported once";
  EXPECT_THAT(logger_.lines()[0].message, HasSubstr("nested"));
  EXPECT_TRUE(logger_.lines()[0].mentions("ns/deep"));
  EXPECT_FALSE(store_.is_complete());
  mirror_.log.clear();
  store_.upsert(object("deep", "4"));
  EXPECT_THAT(mirror_.log, ElementsAre("put deep"));
  EXPECT_TRUE(store_.is_complete());
}

TEST_F(StoreTest, ObjectThatBecomesTooDeepStaysUntilDeleted) {
  store_.subscribe(mirror_);
  list({object("a", "1"), object("b", "1")});
  mirror_.log.clear();
  store_.upsert(deep_object("a", "2", 10'000));
  EXPECT_THAT(mirror_.log, IsEmpty());
  EXPECT_EQ(store_.version_of(key("a")), "1");
  EXPECT_FALSE(store_.is_complete());
  store_.remove(deep_object("a", "3", 10'000));
  EXPECT_THAT(mirror_.log, ElementsAre("gone a"));
  EXPECT_TRUE(store_.is_complete());
  EXPECT_TRUE(store_.lacks(key("a")));
  store_.upsert(deep_object("c", "4", 10'000));
  list({object("b", "1")});
  EXPECT_TRUE(store_.is_complete()) << "a list that is without it shows that it is gone";
}

TEST_F(StoreTest, PageDropsTooDeepObjectUntilLaterList) {
  page({object("a", "1"), deep_object("deep", "1", 10'000)}, true);
  page({object("b", "1"), deep_object("gone", "1", 10'000)}, false);
  store_.listed();
  EXPECT_EQ(store_.size(), 2U);
  EXPECT_FALSE(store_.lacks(key("gone")));
  page({object("a", "1"), deep_object("deep", "1", 10'000)}, true);
  store_.listed();
  EXPECT_TRUE(store_.lacks(key("gone")));
  EXPECT_FALSE(store_.is_complete());
}

TEST_F(StoreTest, TooManyDeepObjectsMakeStoreIncomplete) {
  for (int i = 0; i < 200; ++i) store_.upsert(deep_object("d" + std::to_string(i), "1", 500));
  EXPECT_FALSE(store_.is_complete());
  EXPECT_FALSE(store_.lacks(key("d199")));
  EXPECT_FALSE(store_.lacks(key("none"))) << "it is unknown again";
  EXPECT_EQ(logger_.lines().size(), 100U);
  list({object("a", "1")});
  EXPECT_TRUE(store_.is_complete());
  EXPECT_TRUE(store_.lacks(key("none")));
}

TEST_F(StoreTest, RemovalByListHasLastState) {
  class LastStateHandler final : public StoreHandler {
   public:
    void changed(const StoreChange& change) override {
      if (change.now == nullptr) last = json::to_text(change.before->root()["data"]);
    }
    std::string last;
  } handler;
  store_.subscribe(handler);
  list({object("a", "1", R"(,"data":{"k":"1"})")});
  store_.upsert(object("a", "2", R"(,"data":{"k":"2"})"));
  list({});
  EXPECT_EQ(handler.last, R"({"k":"2"})");
}

TEST_F(StoreTest, RecreatedObjectIsReportedDeletedAndNew) {
  store_.subscribe(mirror_);
  store_.upsert(object("a", "1", {}, "u1"));
  mirror_.log.clear();
  list({object("a", "5", {}, "u2")});
  EXPECT_THAT(mirror_.log, ElementsAre("gone a", "put a", "synced"));
}

TEST_F(StoreTest, LateHandlerReceivesExistingObjects) {
  list({object("a", "1")});
  store_.subscribe(mirror_);
  EXPECT_THAT(mirror_.log, ElementsAre("put a", "synced"));
}

TEST_F(StoreTest, ObjectsAreFoundByNamespaceLabelAndOwner) {
  store_.upsert(object("a", "1", {}, "u1",
                       R"(,"labels":{"app":"x"},"ownerReferences":[{"uid":"o1"},{"uid":"o2"}])"));
  store_.upsert(object("b", "1", {}, "u2", R"(,"labels":{"app":"x"})"));
  const Store::Index& by_label = store_.index_by_label("app");
  const Store::Index& by_owner = store_.index_by_owner();
  EXPECT_THAT(store_.keys(store_.index_by_namespace(), "ns"), ElementsAre(key("a"), key("b")));
  EXPECT_THAT(store_.keys(by_label, "x"), ElementsAre(key("a"), key("b")));
  EXPECT_THAT(store_.keys(by_owner, "o2"), ElementsAre(key("a")));
  store_.upsert(object("a", "2", {}, "u1", R"(,"labels":{"app":"z"})"));
  EXPECT_THAT(store_.keys(by_label, "x"), ElementsAre(key("b")));
  EXPECT_THAT(store_.keys(by_owner, "o1"), IsEmpty());
  store_.remove(object("b", "3", {}, "u2"));
  EXPECT_THAT(store_.keys(by_label, "x"), IsEmpty());
}

TEST_F(StoreTest, ObjectsAreFoundByFieldIndex) {
  StoreOptions options;
  options.field_indexes = {"data.of.name"};
  Store store(kConfigMaps, options, logger_);
  store.upsert(object("a", "1", R"(,"data":{"of":{"name":"x"}})", "u1"));
  store.upsert(object("b", "1", R"(,"data":{"of":{"name":7}})", "u2"));
  store.upsert(object("c", "1", R"(,"data":"of.name")", "u3"));
  const Store::Index& by_name = store.index_by_field("data.of.name");
  EXPECT_THAT(store.keys(by_name, "x"), ElementsAre(key("a")));
  EXPECT_THAT(store.keys(by_name, "7"), IsEmpty());
  store.upsert(object("a", "2", R"(,"data":{"of":{"name":"y"}})", "u1"));
  EXPECT_THAT(store.keys(by_name, "x"), IsEmpty());
  EXPECT_THAT(store.keys(by_name, "y"), ElementsAre(key("a")));
}

TEST_F(StoreTest, UndeclaredIndexThrows) {
  const Store plain(kConfigMaps, StoreOptions(), logger_);
  EXPECT_THROW(static_cast<void>(plain.index_by_owner()), std::logic_error);
  EXPECT_THROW(static_cast<void>(plain.index_by_namespace()), std::logic_error);
  EXPECT_THROW(static_cast<void>(store_.index_by_label("other")), std::logic_error);
  EXPECT_THROW(static_cast<void>(store_.index_by_field("spec.other")), std::logic_error);
}

TEST_F(StoreTest, ThrowingHandlerLosesNoChanges) {
  Mirror other;
  mirror_.throws = [](const StoreChange&) { return true; };
  store_.subscribe(mirror_);
  store_.subscribe(other);
  store_.upsert(object("a", "1"));
  store_.upsert(object("b", "1"));
  store_.upsert(object("a", "2"));
  store_.remove(object("b", "3"));
  EXPECT_THAT(other.log, ElementsAre("put a", "put b", "put a", "gone b"));
  EXPECT_EQ(store_.pending_deliveries(), 2U);
  EXPECT_EQ(logger_.lines().size(), 1U) << "one for the row";
  mirror_.throws = nullptr;
  store_.reached("3");
  EXPECT_EQ(mirror_.versions, other.versions);
  EXPECT_THAT(mirror_.log, ElementsAre("put a", "gone b"));
  EXPECT_EQ(store_.pending_deliveries(), 0U);
}

TEST_F(StoreTest, AlwaysThrowingHandlerIsRetriedInBatches) {
  int calls = 0;
  mirror_.throws = [&calls](const StoreChange&) { return ++calls > 0; };
  store_.subscribe(mirror_);
  for (int i = 0; i < 100; ++i) store_.upsert(object("o" + std::to_string(i), "1"));
  calls = 0;
  store_.reached("1");
  EXPECT_EQ(calls, 16);
  mirror_.throws = nullptr;
  for (int i = 0; i < 7; ++i) store_.reached("2");
  EXPECT_EQ(mirror_.versions.size(), 100U);
}

TEST_F(StoreTest, ReconcileWaitsUntilItsWriteShows) {
  store_.subscribe(mirror_);
  store_.reached("10");
  store_.record_write(key("parent"), "9", kNow);
  EXPECT_EQ(store_.readiness(key("parent"), kNow), Readiness::kReady) << "it shows already";
  store_.record_write(key("parent"), "12", kNow);
  EXPECT_EQ(store_.readiness(key("parent"), kNow), Readiness::kBehind);
  store_.reached("11");
  EXPECT_EQ(store_.readiness(key("parent"), kNow), Readiness::kBehind);
  EXPECT_THAT(mirror_.log, IsEmpty());
  store_.reached("12");
  EXPECT_THAT(mirror_.log, ElementsAre("ready parent"));
  EXPECT_EQ(store_.readiness(key("parent"), kNow), Readiness::kReady);
  EXPECT_EQ(store_.watermark(), "12");
}

TEST_F(StoreTest, ReconcileWaitsForNewerStateOfServer) {
  store_.subscribe(mirror_);
  store_.mark_outdated(key("parent"), kNow);
  EXPECT_EQ(store_.readiness(key("parent"), kNow), Readiness::kReady) << "nothing was shown yet";
  store_.upsert(object("child", "11"));
  store_.reached("11");
  mirror_.log.clear();
  store_.mark_outdated(key("parent"), kNow);
  EXPECT_EQ(store_.readiness(key("parent"), kNow), Readiness::kBehind);
  store_.reached("11");
  EXPECT_EQ(store_.readiness(key("parent"), kNow), Readiness::kBehind);
  store_.reached("12");
  EXPECT_THAT(mirror_.log, ElementsAre("ready parent"));
}

TEST_F(StoreTest, ReconcileWaitsUntilItsDeletionShows) {
  store_.subscribe(mirror_);
  store_.upsert(object("child", "1", {}, "u1"));
  store_.record_delete(key("parent"), key("child"), "another", kNow);
  EXPECT_EQ(store_.readiness(key("parent"), kNow), Readiness::kReady) << "it is gone already";
  store_.record_delete(key("parent"), key("child"), "u1", kNow);
  EXPECT_EQ(store_.readiness(key("parent"), kNow + seconds(59)), Readiness::kBehind);
  EXPECT_EQ(store_.readiness(key("parent"), kNow + seconds(60)), Readiness::kOverdue);
  mirror_.log.clear();
  list({});
  EXPECT_THAT(mirror_.log, ElementsAre("gone child", "ready parent", "synced"));
}

TEST_F(StoreTest, ObjectsBeyondLimitAreDroppedAndLogged) {
  StoreOptions small;
  small.most_bytes = 200;
  Store store(kConfigMaps, small, logger_);
  store.subscribe(mirror_);
  store.upsert(object("a", "1"));
  store.upsert(object("b", "1"));
  EXPECT_TRUE(store.is_complete());
  store.upsert(object("c", "1"));
  EXPECT_FALSE(store.is_complete());
  store.upsert(object("a", "2", R"(,"data":{"k":")" + std::string(300, 'x') + R"("})"));
  EXPECT_TRUE(store.contains(key("a"))) << "must not look deleted";
  EXPECT_THAT(mirror_.log, ElementsAre("put a", "put b"));
  ASSERT_EQ(logger_.lines().size(), 1U);
  EXPECT_THAT(logger_.lines()[0].message, HasSubstr("memory limit"));
  store.replace(std::vector<Object>{object("c", "1")});
  EXPECT_TRUE(store.is_complete());
}

// ---- Random histories on a cluster whose watches break in all ways, compared with the cluster

class StoreHistoryTest : public KubeTest {
 protected:
  void step(std::mt19937& random) {
    const auto any = [&random](unsigned below) {
      return std::uniform_int_distribution<unsigned>(0, below - 1)(random);
    };
    const std::string name = "o" + std::to_string(any(8));
    switch (any(12)) {
      case 0:
      case 1:
      case 2:
      case 3:
      case 4:
        cluster_.put(kConfigMaps, config_map(name, std::to_string(any(100))));
        break;
      case 5:
      case 6:
        if (cluster_.find(kConfigMaps, "dynamo", name)) {
          cluster_.erase(kConfigMaps, "dynamo", name);
        }
        break;
      case 7:
        cluster_.cut_watches(static_cast<Cut>(any(3)));
        break;
      case 8:
        cluster_.compact(any(2) == 0);
        break;
      case 9:
        cluster_.expire_watches();
        break;
      case 10:
        cluster_.send_bookmarks();
        break;
      default:
        loop_.restart();
        for (unsigned iterations = any(20); iterations > 0; --iterations) loop_.poll_one();
    }
  }

  std::map<ObjectKey, std::string> truth() const {
    std::map<ObjectKey, std::string> all;
    for (const Object& each : cluster_.all(kConfigMaps)) {
      all.emplace(key_of(each), each.resource_version());
    }
    return all;
  }
};

TEST_F(StoreHistoryTest, StoreAndHandlersConvergeToCluster) {
  for (unsigned seed = 1; seed <= 40; ++seed) {
    SCOPED_TRACE("seed " + std::to_string(seed));
    std::mt19937 random(seed);
    test::RecordingLogger logger;
    Mirror steady;
    Mirror shaky;
    bool can_throw = true;
    shaky.throws = [&](const StoreChange&) { return can_throw && random() % 3 == 0; };
    StoreOptions declared;
    declared.namespace_index = true;
    Store store(kConfigMaps, declared, logger);
    store.subscribe(steady);
    store.subscribe(shaky);
    InformerOptions options;
    options.first_pause = milliseconds(1);
    options.longest_pause = milliseconds(2);
    Informer informer(client_, kConfigMaps, options, store, logger);
    aio::TaskGroup group(loop_, logger);
    group.spawn("informer", [&informer] { return informer.run(); });
    for (int i = 0; i < 120; ++i) step(random);
    can_throw = false;
    cluster_.put(kConfigMaps, config_map("last", std::to_string(seed)));
    const std::string last(cluster_.find(kConfigMaps, "dynamo", "last")->resource_version());
    ASSERT_TRUE(
        test::run_until(loop_, [&] { return store.version_of(key("last", "dynamo")) == last; }));
    store.redeliver();
    EXPECT_EQ(steady.versions, truth());
    EXPECT_EQ(shaky.versions, truth());
    EXPECT_EQ(store.pending_deliveries(), 0U);
    EXPECT_EQ(store.keys(store.index_by_namespace(), "dynamo"), store.keys());
    EXPECT_EQ(store.watermark(), last);
    if (HasFailure()) break;
  }
}

}  // namespace
}  // namespace dynamo::kube
