#include "kube/client/writes.hpp"

#include <string>

#include "tests/kube/kube_fixture.hpp"

namespace dynamo::kube {
namespace {

using test::run;
using ::testing::ElementsAre;
using ::testing::IsEmpty;

constexpr std::string_view kFinalizer = "example.com/stub";

class WritesTest : public KubeTest {
 protected:
  Object put(const std::string& name) { return cluster_.put(kConfigMaps, config_map(name, "1")); }
  Result<Object> patch(const Object& seen, PatchType type, std::string body,
                       std::string subresource = {}) {
    WriteOptions options;
    options.field_manager = "writer";
    options.force = true;
    options.subresource = std::move(subresource);
    return run(loop_, client_.patch(kConfigMaps, "dynamo", std::string(seen.name()), type,
                                    std::move(body), options));
  }
  std::string last_body() const { return cluster_.calls().back().body; }
};

TEST_F(WritesTest, FinalizerPatchesKeepOtherFinalizers) {
  Object seen = cluster_.put(
      kConfigMaps,
      R"({"apiVersion":"v1","kind":"ConfigMap","metadata":{"name":"a","namespace":"dynamo",)"
      R"("finalizers":["example.com/other"]}})");
  seen = patch(seen, PatchType::kJson, add_finalizer_patch(seen, kFinalizer)).value();
  EXPECT_THAT(finalizers_of(seen), ElementsAre("example.com/other", "example.com/stub"));
  seen = patch(seen, PatchType::kJson, add_finalizer_patch(seen, kFinalizer)).value();
  EXPECT_TRUE(has_finalizer(seen, kFinalizer));
  EXPECT_EQ(finalizers_of(seen).size(), 2U);
  seen = patch(seen, PatchType::kJson, remove_finalizer_patch(seen, kFinalizer)).value();
  EXPECT_THAT(finalizers_of(seen), ElementsAre("example.com/other"));
}

TEST_F(WritesTest, FinalizerPatchOfOlderVersionIsRefused) {
  const Object seen = put("a");
  cluster_.put(kConfigMaps, config_map("a", "2"));
  EXPECT_FALSE(patch(seen, PatchType::kJson, add_finalizer_patch(seen, kFinalizer)));
  EXPECT_THAT(finalizers_of(*cluster_.find(kConfigMaps, "dynamo", "a")), IsEmpty());
}

TEST_F(WritesTest, ObjectWithFinalizerStaysUntilRemoval) {
  Object seen = put("a");
  seen = patch(seen, PatchType::kJson, add_finalizer_patch(seen, kFinalizer)).value();
  EXPECT_FALSE(is_terminating(seen));
  ASSERT_TRUE(run(loop_, client_.remove(kConfigMaps, "dynamo", "a")));
  seen = run(loop_, client_.get(kConfigMaps, "dynamo", "a")).value();
  EXPECT_TRUE(is_terminating(seen));
  patch(seen, PatchType::kJson, remove_finalizer_patch(seen, kFinalizer)).value();
  EXPECT_FALSE(cluster_.find(kConfigMaps, "dynamo", "a"));
}

TEST_F(WritesTest, AppliedObjectNamesOwnerByUid) {
  const Object parent = put("parent");
  std::string body;
  json::Writer writer(body);
  writer.start_object();
  write_apply_header(writer, kConfigMaps,
                     {.key = {.namespace_name = "dynamo", .name = "child"},
                      .labels = {{"app", "stub"}},
                      .owners = {controller_reference(kConfigMaps, parent)}});
  writer.key("data").start_object().member("k", "v").end_object().end_object();
  const Object secret = put("child");
  const Object applied = patch(secret, PatchType::kApply, body).value();
  EXPECT_TRUE(is_owned_by(applied, parent.uid()));
  EXPECT_FALSE(is_owned_by(applied, secret.uid()));
  ASSERT_TRUE(controller_of(applied));
  EXPECT_EQ(controller_of(applied)->name, "parent");
  EXPECT_TRUE(controller_of(applied)->blocks_deletion);
  EXPECT_EQ(owners_of(applied).size(), 1U);
  EXPECT_FALSE(controller_of(parent));
}

TEST_F(WritesTest, StatusOfOlderVersionIsRefused) {
  const Object seen = put("a");
  ASSERT_TRUE(patch(seen, PatchType::kMerge, merge_status(seen, R"({"phase":"x"})"), "status"));
  const auto late =
      patch(seen, PatchType::kMerge, merge_status(seen, R"({"phase":"y"})"), "status");
  ASSERT_FALSE(late);
  EXPECT_TRUE(late.error().is("Conflict"));
}

TEST_F(WritesTest, BodiesForStatusAndScale) {
  const Object seen =
      Object::parse(R"({"metadata":{"name":"a","namespace":"n","uid":"u","resourceVersion":"7"}})")
          .value();
  EXPECT_EQ(apply_status(kConfigMaps, seen, R"({"x":1})"),
            R"({"apiVersion":"v1","kind":"ConfigMap","metadata":{"name":"a","namespace":"n",)"
            R"("uid":"u"},"status":{"x":1}})");
  EXPECT_EQ(merge_status(seen, "{}"),
            R"({"metadata":{"uid":"u","resourceVersion":"7"},"status":{}})");
}

TEST_F(WritesTest, DeleteSendsPropagationPolicy) {
  for (const auto& [propagation, word] : {std::pair{Propagation::kBackground, "Background"},
                                          std::pair{Propagation::kForeground, "Foreground"},
                                          std::pair{Propagation::kOrphan, "Orphan"}}) {
    const Object seen = put("a");
    DeleteOptions options;
    options.preconditions.uid = seen.uid();
    options.propagation = propagation;
    ASSERT_TRUE(run(loop_, client_.remove(kConfigMaps, "dynamo", "a", options)));
    EXPECT_EQ(last_body(), R"({"apiVersion":"v1","kind":"DeleteOptions","preconditions":{"uid":")" +
                               std::string(seen.uid()) + R"("},"propagationPolicy":")" + word +
                               R"("})");
  }
  put("a");
  ASSERT_TRUE(run(loop_, client_.remove(kConfigMaps, "dynamo", "a", DeleteOptions())));
  EXPECT_EQ(last_body(), "");
}

TEST_F(WritesTest, SubresourceIsPartOfPath) {
  static_cast<void>(run(loop_, client_.get(kConfigMaps, "dynamo", "a", "scale")));
  EXPECT_EQ(cluster_.calls().back().target, "/api/v1/namespaces/dynamo/configmaps/a/scale");
}

}  // namespace
}  // namespace dynamo::kube
