// The result of an apply over an existing object: follows kubectl's three-way merge and server-side
// apply.
#include "cli/check/applied.hpp"

#include <gtest/gtest.h>

#include <string>
#include <string_view>

#include "json/document.hpp"
#include "json/parser.hpp"

namespace dynamo::cli {
namespace {

void expect_applied(std::string_view manifest, std::string_view live, std::string_view expected) {
  const std::string merged =
      applied_to(json::parse_copy(manifest)->root(), json::parse_copy(live)->root());
  const auto actual = json::parse_copy(merged);
  ASSERT_FALSE(actual->error) << merged;
  EXPECT_TRUE(json::equal(actual->root(), json::parse_copy(expected)->root())) << merged;
}

TEST(Applied, KeepsFieldsAbsentFromTheManifest) {
  expect_applied(
      R"({"kind":"K","metadata":{"name":"g","uid":"mine"},"spec":{"a":2,"list":[1],"map":{"x":1}}})",
      R"({"kind":"K","metadata":{"name":"g","uid":"u","resourceVersion":"5","generation":3,)"
      R"("deletionTimestamp":"t","annotations":{"by":"webhook"},"finalizers":["f"]},)"
      R"("spec":{"a":1,"b":1,"list":[1,2],"map":{"y":2}},"status":{"state":"ready"}})",
      R"({"kind":"K","metadata":{"name":"g","uid":"u","annotations":{"by":"webhook"},)"
      R"("finalizers":["f"]},"spec":{"a":2,"b":1,"list":[1],"map":{"x":1,"y":2}}})");
}

TEST(Applied, RemovesLastAppliedFieldsMissingFromTheManifest) {
  const std::string live =
      R"({"metadata":{"name":"g","uid":"u","annotations":{"own":"1","by":"webhook",)"
      R"("kubectl.kubernetes.io/last-applied-configuration":"{\"metadata\":{\"annotations\":)"
      R"({\"own\":\"1\"}},\"spec\":{\"a\":1,\"map\":{\"x\":1}}}"}},)"
      R"("spec":{"a":1,"b":1,"map":{"x":1,"y":2}}})";
  const std::string last =
      R"("kubectl.kubernetes.io/last-applied-configuration":"{\"metadata\":{\"annotations\":)"
      R"({\"own\":\"1\"}},\"spec\":{\"a\":1,\"map\":{\"x\":1}}}")";
  expect_applied(R"({"metadata":{"name":"g"},"spec":{"map":{}}})", live,
                 R"({"metadata":{"name":"g","uid":"u","annotations":{"by":"webhook",)" + last +
                     R"(}},"spec":{"b":1,"map":{"y":2}}})");
  expect_applied(R"({"metadata":{"name":"g","annotations":{"new":"2"}},"spec":{"map":{}}})", live,
                 R"({"metadata":{"name":"g","uid":"u","annotations":{"new":"2","by":"webhook",)" +
                     last + R"(}},"spec":{"b":1,"map":{"y":2}}})");
}

TEST(Applied, RemovesFieldsOwnedOnlyByTheApplier) {
  const std::string live =
      R"({"metadata":{"name":"g","uid":"u","annotations":{"by":"webhook","own":"1"},)"
      R"("managedFields":[{"manager":"argocd","operation":"Apply","fieldsV1":{"f:metadata":)"
      R"({"f:annotations":{"f:own":{}}},"f:spec":{"f:a":{},"f:both":{},"f:map":{"f:x":{}},)"
      R"("f:whole":{"f:z":{}}}}},{"manager":"hpa","operation":"Update","fieldsV1":{"f:spec":)"
      R"({"f:both":{},"f:map":{"f:y":{}}}}}]},)"
      R"("spec":{"a":1,"both":1,"map":{"x":1,"y":2},"whole":{"z":1}}})";
  expect_applied(R"({"metadata":{"name":"g","annotations":{}},"spec":{}})", live,
                 R"({"metadata":{"name":"g","uid":"u","annotations":{"by":"webhook"}},)"
                 R"("spec":{"both":1,"map":{"y":2}}})");
  expect_applied(R"({"metadata":{"name":"g","annotations":{"own":"2"}},"spec":{"a":3}})", live,
                 R"({"metadata":{"name":"g","uid":"u","annotations":{"by":"webhook","own":"2"}},)"
                 R"("spec":{"a":3,"both":1,"map":{"y":2}}})");
}

TEST(Applied, KeepsFieldsSetByAnUpdate) {
  const std::string live =
      R"({"metadata":{"name":"g","uid":"u","managedFields":[{"manager":"kubectl-create",)"
      R"("operation":"Update","fieldsV1":{"f:spec":{"f:a":{}}}}]},"spec":{"a":1}})";
  expect_applied(R"({"metadata":{"name":"g"},"spec":{}})", live,
                 R"({"metadata":{"name":"g","uid":"u"},"spec":{"a":1}})");
}

TEST(Applied, RemovesFieldsThatTheManifestSetsToNull) {
  expect_applied(R"({"metadata":{"name":"g"},"spec":{"a":null}})",
                 R"({"metadata":{"name":"g","uid":"u"},"spec":{"a":1}})",
                 R"({"metadata":{"name":"g","uid":"u"},"spec":{}})");
}

TEST(Applied, OnlyStoredObjectsHaveUids) {
  EXPECT_TRUE(is_stored_object(json::parse_copy(R"({"metadata":{"uid":"u"}})")->root()));
  EXPECT_FALSE(is_stored_object(json::parse_copy(R"({"metadata":{"name":"u"}})")->root()));
  EXPECT_FALSE(is_stored_object({}));
}

TEST(Applied, KeepsRecordedProviderOfOperator) {
  const auto kept = [](std::string_view metadata, std::string_view live) {
    const auto manifest = json::parse_copy(R"({"metadata":)" + std::string(metadata) + "}");
    return provider_kept_by_apply(manifest->root(), json::parse_copy(live)->root());
  };
  const std::string live =
      R"({"metadata":{"uid":"u","annotations":{"nvidia.com/workload-provider":"grove"}}})";
  EXPECT_EQ(kept("{}", live), R"([{"op":"add","path":"/metadata/annotations","value":)"
                              R"({"nvidia.com/workload-provider":"grove"}}])");
  EXPECT_EQ(kept(R"({"annotations":{"a":"b"}})", live),
            R"([{"op":"add","path":"/metadata/annotations/nvidia.com~1workload-provider",)"
            R"("value":"grove"}])");
  EXPECT_EQ(kept(R"({"annotations":{"nvidia.com/workload-provider":"component"}})", live), "");
  EXPECT_EQ(kept("{}", R"({"metadata":{"uid":"u"}})"), "");
  // The user wrote it, and removes it.
  EXPECT_EQ(kept("{}", R"({"metadata":{"uid":"u","annotations":{"nvidia.com/workload-provider":)"
                       R"("grove","kubectl.kubernetes.io/last-applied-configuration":)"
                       R"("{\"metadata\":{\"annotations\":{\"nvidia.com/workload-provider\":)"
                       R"(\"grove\"}}}"}}})"),
            "");
}

}  // namespace
}  // namespace dynamo::cli
