// Random edits of a graph: whatever happened before, its owned objects end up equal to those of a
// newly created graph with the same spec.
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <array>
#include <random>
#include <set>

#include "api/kind.hpp"
#include "json/parser.hpp"
#include "json/writer.hpp"
#include "reconciler/verdict/operator_validator.hpp"
#include "tests/controller_cases/compare.hpp"
#include "tests/controller_cases/controllers.hpp"
#include "tests/support/sanitizers.hpp"

namespace dynamo::cases {
namespace {

constexpr unsigned kSeeds = test::played(16U);
constexpr int kEdits = 5;
constexpr int kMaxRounds = 40;

// Random numbers from a seed, identical on every machine.
class RandomNumbers {
 public:
  explicit RandomNumbers(unsigned seed) : engine_(seed) {}
  unsigned below(unsigned bound) { return static_cast<unsigned>(engine_() % bound); }
  bool one_in(unsigned bound) { return below(bound) == 0; }

 private:
  std::mt19937 engine_;
};

// A random but valid service.
std::string service(RandomNumbers& numbers, std::string_view type) {
  std::string text = "{\"componentType\":\"" + std::string(type) + "\"";
  const auto add = [&text](std::string_view member) { text.append(",").append(member); };
  const unsigned replicas = numbers.below(4);
  if (numbers.one_in(2)) {
    add("\"replicas\":" + std::to_string(type == "epp" ? 1 : replicas));
  }
  if (numbers.one_in(3))
    add("\"envs\":[{\"name\":\"A\",\"value\":\"" + std::to_string(numbers.below(3)) + "\"}]");
  constexpr std::array<std::string_view, 4> kAnnotations = {
      "deployment-strategy\":\"Recreate", "enable-stealing-traffic-debug-mode\":\"true",
      "enable-debug-mode\":\"true", "deployment-rolling-update-max-surge\":\"2"};
  if (numbers.one_in(2)) {
    add("\"annotations\":{\"nvidia.com/" + std::string(kAnnotations[numbers.below(4)]) + "\"}");
  }
  if (numbers.one_in(3)) add(R"("scalingAdapter":{"enabled":true})");
  const bool multinode = type == "worker" && numbers.one_in(5);
  if (multinode || numbers.one_in(3)) {
    add(R"("resources":{"limits":{"cpu":"1000m","memory":"1024Mi","gpu":"2"}})");
  }
  if (numbers.one_in(3))
    add(R"("extraPodMetadata":{"labels":{"team":"a"},"annotations":{"scrape":"yes"}})");
  if (numbers.one_in(3)) add(R"("modelRef":{"name":"m"})");
  constexpr std::array<std::string_view, 3> kWaysIn = {
      R"("ingressControllerClassName":"nginx")",
      R"("useVirtualService":true,"virtualServiceGateway":"mesh/gate")",
      R"("ingressControllerClassName":"nginx","useVirtualService":true,)"
      R"("virtualServiceGateway":"mesh/other")"};
  if (numbers.one_in(2)) {
    add(R"("ingress":{"enabled":true,"host":"h",)" + std::string(kWaysIn[numbers.below(3)]) + "}");
  }
  if (numbers.one_in(3)) add(R"("volumeMounts":[{"name":"models","mountPoint":"/models"}])");
  if (type == "epp") {
    add(R"("eppConfig":{"config":{"plugins":[{"type":")" +
        std::string(numbers.one_in(2) ? "label-filter" : "other-filter") + R"("}]}})");
  }
  const bool checkpointed = type == "worker" && !multinode && numbers.one_in(3);
  if (multinode || checkpointed || numbers.one_in(3)) {
    add(R"("extraPodSpec":{"mainContainer":{"image":"i:)" + std::to_string(numbers.below(3)) +
        R"(","command":["python3"],"args":["-m","dynamo.vllm"]}})");
    if (multinode) add(R"("multinode":{"nodeCount":2})");
  }
  if (checkpointed) {
    add(R"("checkpoint":{"enabled":true,"identity":{"model":"m)" +
        std::to_string(numbers.below(2)) + R"(","backendFramework":"vllm"}})");
  }
  return text + "}";
}

// A requested restart stays in the spec until the next one replaces it.
class Restarts {
 public:
  // The spec member with a trailing comma; "" if no restart was requested yet.
  std::string next(RandomNumbers& numbers) {
    constexpr std::array<std::string_view, 2> kStrategies = {"Sequential", "Parallel"};
    if (numbers.one_in(2)) {
      asked_ = R"("restart":{"id":"r)" + std::to_string(++count_) + R"(","strategy":{"type":")" +
               std::string(kStrategies[numbers.below(2)]) + R"("}},)";
    }
    return asked_;
  }

 private:
  int count_ = 0;
  std::string asked_;
};

std::string graph(RandomNumbers& numbers, Restarts& restarts) {
  constexpr std::array<std::string_view, 5> kNames = {"Frontend", "Decode", "Prefill", "Planner",
                                                      "Epp"};
  constexpr std::array<std::string_view, 5> kTypes = {"frontend", "worker", "worker", "planner",
                                                      "epp"};
  std::string services;
  for (std::size_t i = 0; i < kNames.size(); ++i) {
    if (i > 0 && numbers.one_in(3)) continue;
    services += (services.empty() ? "\"" : ",\"") + std::string(kNames[i]) + "\":";
    services += service(numbers, kTypes[i]);
  }
  std::string text =
      R"({"apiVersion":"nvidia.com/v1alpha1","kind":"DynamoGraphDeployment","metadata":{"name":"g",)"
      R"("namespace":"team-a","generation":1)";
  if (numbers.one_in(3)) text += R"(,"annotations":{"nvidia.com/enable-metrics":"false"})";
  text += R"(},"spec":{)" + restarts.next(numbers) + R"("backendFramework":"vllm","services":{)" +
          services + "}";
  text += R"(,"pvcs":[{"name":"models","create":false})";
  if (numbers.one_in(2)) {
    text += R"(,{"name":"cache","create":true,"size":")" + std::to_string(1 + numbers.below(2)) +
            R"(Gi","storageClass":"s","volumeAccessMode":"ReadWriteMany"})";
  }
  text += "]";
  if (numbers.one_in(3)) text += R"(,"envs":[{"name":"SHARED","value":"graph"}])";
  return text + "}}";
}

// A namespace with the operator's controllers and the garbage collector.
class Namespace {
 public:
  Namespace() : Namespace(Store{}) {
    store_.put(parsed(
        R"({"kind":"Secret","metadata":{"name":"mpi-run-ssh-secret","namespace":"team-a"}})"));
    // Mounted, but not created by graphs.
    store_.put(parsed(
        R"({"kind":"PersistentVolumeClaim","metadata":{"name":"models","namespace":"team-a"}})"));
  }
  explicit Namespace(Store store)
      : store_(std::move(store)),
        flags_(parsed(R"({"restrictedNamespace":"team-a","lws":true,"checkpoint-enabled":true,)"
                      R"("istio-virtual-service-gateway":"mesh/gate"})")),
        inputs_{store_, flags_, "team-a"} {}

  // Replaces the object like kubectl: keeps the status and server-side fields.
  void apply(const std::string& text) {
    const std::string key = "DynamoGraphDeployment/team-a/g";
    Object next = parsed(text);
    const Object* const live = store_.find(key);
    if (live != nullptr) {
      Object kept = copy_of(*live);
      kept.RemoveMember("spec");
      kept["metadata"].RemoveMember("annotations");
      merge_patch(next, kept, next.GetAllocator());
    }
    store_.put(std::move(next));
  }

  // A few reconciles of some controllers, in random order.
  void stir(RandomNumbers& numbers) {
    for (unsigned i = 0; i < numbers.below(6); ++i) {
      numbers.one_in(2) ? pass_graph() : pass_components();
      if (numbers.one_in(2)) collect();
    }
  }

  // Runs until nothing is written. Returns false if writes never stop.
  bool settle() {
    for (int i = 0; i < kMaxRounds; ++i) {
      const std::size_t before = store_.writes();
      pass_graph();
      pass_components();
      const bool collected = collect();
      const bool played = play();
      if (store_.writes() == before && !collected && !played) return true;
    }
    return false;
  }

  const Store& store() const { return store_; }
  Store& store() { return store_; }

 private:
  void pass_graph() { reconcile_graph(inputs_, "g"); }
  void pass_components() {
    std::vector<std::string> names;
    for (const auto& [key, object] : store_.objects()) {
      if (key.starts_with("DynamoComponentDeployment/")) {
        names.emplace_back(text(member(member(object, "metadata"), "name")));
      }
    }
    for (const std::string& name : names) reconcile_component(inputs_, name);
  }

  // Simulates ready pods and completed checkpoints. Returns false if nothing changed.
  bool play() {
    bool changed = false;
    std::vector<std::string> keys;
    for (const auto& [key, object] : store_.objects()) keys.push_back(key);
    for (const std::string& key : keys) {
      const std::string status = status_of(*store_.find(key));
      if (status.empty()) continue;
      const Object wanted = parsed(R"({"status":)" + status + "}");
      if (member(*store_.find(key), "status") == wanted["status"]) continue;
      store_.patch(key, wanted);
      changed = true;
    }
    return changed;
  }

  static std::string status_of(const Object& object) {
    const std::string_view kind = text(member(object, "kind"));
    const std::string available = R"("conditions":[{"type":"Available","status":"True"}]})";
    if (kind == "LeaderWorkerSet") {
      return R"({"replicas":1,"readyReplicas":1,"updatedReplicas":1,)" + available;
    }
    if (kind == "DynamoCheckpoint") {
      const Value& labels = member(member(object, "metadata"), "labels");
      return R"({"phase":"Ready","identityHash":")" +
             std::string(text(member(labels, "nvidia.com/checkpoint-hash"))) + "\"}";
    }
    if (kind != "Deployment") return {};
    const Value& replicas = member(member(object, "spec"), "replicas");
    const std::string count = replicas.IsInt() ? std::to_string(replicas.GetInt()) : "1";
    return R"({"observedGeneration":1,"replicas":)" + count + R"(,"updatedReplicas":)" + count +
           R"(,"readyReplicas":)" + count + R"(,"availableReplicas":)" + count + "," + available;
  }

  // Garbage collection: deletes objects whose owners have all been deleted.
  bool collect() {
    std::set<std::string> uids;
    for (const auto& [key, object] : store_.objects()) {
      uids.emplace(text(member(member(object, "metadata"), "uid")));
    }
    std::vector<std::string> gone;
    for (const auto& [key, object] : store_.objects()) {
      const Value& owners = member(member(object, "metadata"), "ownerReferences");
      if (!owners.IsArray() || owners.Empty()) continue;
      bool owned = false;
      for (const Value& owner : owners.GetArray()) {
        owned = owned || uids.contains(std::string(text(member(owner, "uid"))));
      }
      if (!owned) gone.push_back(key);
    }
    for (const std::string& key : gone) store_.erase(key);
    return !gone.empty();
  }

  Store store_;
  const Object flags_;
  ReconcileInputs inputs_;
};

// The parts of an object to compare: without fields that a server adds, bookkeeping and status.
Object bare(const Object& object) {
  Object copy = copy_of(object);
  copy.RemoveMember("status");
  Value& metadata = copy["metadata"];
  metadata.RemoveMember("ownerReferences");
  if (metadata.HasMember("annotations")) {
    metadata["annotations"].RemoveMember("nvidia.com/last-applied-generation");
  }
  return copy;
}

// Created once and not updated afterwards, because it may hold data.
bool is_made_once(std::string_view key) {
  return key.starts_with("PersistentVolumeClaim/") || key.starts_with("DynamoCheckpoint/");
}

// Only valid graphs yield owned objects.
void assert_is_in_order(const std::string& graph) {
  const auto object = json::parse_copy(graph);
  ASSERT_THAT(reconciler::errors_of(api::Kind::kGraphDeployment, object->root(), "team-a", "g"),
              testing::IsEmpty())
      << graph;
}

TEST(Edits, ObjectsDependOnTheLastEditOnly) {
  for (unsigned seed = 0; seed < kSeeds; ++seed) {
    SCOPED_TRACE("seed " + std::to_string(seed));
    RandomNumbers numbers(seed);
    Namespace edited;
    Restarts restarts;
    std::string last;
    for (int i = 0; i < kEdits; ++i) {
      last = graph(numbers, restarts);
      ASSERT_NO_FATAL_FAILURE(assert_is_in_order(last));
      edited.apply(last);
      edited.stir(numbers);
    }
    ASSERT_TRUE(edited.settle()) << last;
    Namespace fresh;
    fresh.apply(last);
    ASSERT_TRUE(fresh.settle()) << last;
    std::set<std::string> keys;
    for (const auto& [key, object] : edited.store().objects()) keys.insert(key);
    for (const auto& [key, object] : fresh.store().objects()) keys.insert(key);
    for (const std::string& key : keys) {
      const Object* const left = edited.store().find(key);
      const Object* const right = fresh.store().find(key);
      ASSERT_TRUE(left != nullptr) << key << " is missing after " << last;
      if (is_made_once(key)) continue;
      ASSERT_TRUE(right != nullptr) << key << " is left over from edits before " << last;
      if (key.starts_with("DynamoGraphDeployment")) continue;  // and adapters: they set the count
      EXPECT_THAT(differences(bare(*right), bare(*left)), testing::IsEmpty()) << key << last;
    }
  }
}

// The process crashes after each possible write; a restart must reach the same result.
TEST(Edits, CrashAtAnyWriteDoesNotChangeResult) {
  RandomNumbers numbers(7);
  Restarts restarts;
  const std::string first = graph(numbers, restarts);
  const std::string last = graph(numbers, restarts);
  Namespace begun;
  begun.apply(first);
  ASSERT_TRUE(begun.settle());
  begun.apply(last);
  Namespace whole(begun.store().copy());
  ASSERT_TRUE(whole.settle());
  bool crashed = true;
  for (std::size_t most = 0; crashed; ++most) {
    SCOPED_TRACE("crash after " + std::to_string(most) + " writes");
    Namespace broken(begun.store().copy());
    broken.store().crash_after(most);
    crashed = false;
    try {
      broken.settle();
    } catch (const Crash&) {
      crashed = true;
    }
    broken.store().crash_after(std::nullopt);
    ASSERT_TRUE(broken.settle());
    for (const auto& [key, object] : whole.store().objects()) {
      const Object* const found = broken.store().find(key);
      ASSERT_TRUE(found != nullptr) << key;
      EXPECT_THAT(differences(bare(object), bare(*found)), testing::IsEmpty()) << key;
    }
    EXPECT_EQ(broken.store().objects().size(), whole.store().objects().size());
  }
}

}  // namespace
}  // namespace dynamo::cases
