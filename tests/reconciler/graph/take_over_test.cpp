// Fields set by the Go operator become fields applied by us.
#include "reconciler/engine/take_over.hpp"

#include <gtest/gtest.h>

namespace dynamo::reconciler {
namespace {

constexpr std::string_view kUs = "dynamo-reconciler-component";

kube::Object with_fields(const std::string& entries) {
  return kube::Object::parse(R"({"metadata":{"name":"w","resourceVersion":"7","managedFields":[)" +
                             entries + "]}}")
      .value();
}

std::string entry(const std::string& manager, const std::string& operation,
                  const std::string& fields, const std::string& more = "",
                  const std::string& version = "apps/v1") {
  return R"({"manager":")" + manager + R"(","operation":")" + operation + R"(","apiVersion":")" +
         version + R"(","fieldsType":"FieldsV1","fieldsV1":)" + fields + more + "}";
}

std::string patch_with(const std::string& entries) {
  return R"([{"op":"replace","path":"/metadata/managedFields","value":[)" + entries +
         R"(]},{"op":"replace","path":"/metadata/resourceVersion","value":"7"}])";
}

std::string taken(const std::string& fields) {
  return entry(std::string(kUs), "Apply", fields);
}

std::string patch_of(const std::string& entries) {
  return take_over_patch(with_fields(entries), "apps/v1", kUs);
}

TEST(TakeOver, UpdateOfGoOperatorBecomesOurApply) {
  EXPECT_EQ(patch_of(entry("manager", "Update", R"({"f:spec":{"f:replicas":{}}})")),
            patch_with(taken(R"({"f:spec":{"f:replicas":{}}})")));
}

TEST(TakeOver, FieldsAreMergedWithOurOwn) {
  EXPECT_EQ(
      patch_of(
          entry("manager", "Update", R"({"f:spec":{".":{},"k:{\"name\":\"b\"}":{"f:x":{}}}})") +
          "," + taken(R"({"f:spec":{"f:a":{}}})") + "," +
          entry(std::string(kUs), "Update", R"({"f:metadata":{"f:labels":{"f:l":{}}}})")),
      patch_with(taken(R"({"f:metadata":{"f:labels":{"f:l":{}}},)"
                       R"("f:spec":{".":{},"f:a":{},"k:{\"name\":\"b\"}":{"f:x":{}}}})")));
}

// If taken over, the next apply would remove them, including those of other controllers whose
// binary may have the same name.
TEST(TakeOver, FinalizersAndOwnersAreNotTakenOver) {
  EXPECT_EQ(
      patch_of(entry("manager", "Update",
                     R"({"f:metadata":{"f:finalizers":{"v:\"a/b\"":{}},"f:labels":{"f:l":{}},)"
                     R"("f:ownerReferences":{".":{}}},"f:spec":{"f:finalizers":{}}})")),
      patch_with(taken(R"({"f:metadata":{"f:labels":{"f:l":{}}},"f:spec":{"f:finalizers":{}}})")));
}

TEST(TakeOver, FieldsOfOtherManagersAreUnchanged) {
  const std::string rest =
      entry("kubectl-edit", "Update", R"({"f:spec":{"f:replicas":{}}})") + "," +
      entry("manager", "Update", R"({"f:status":{"f:replicas":{}}})",
            R"(,"subresource":"status")") +
      "," + entry("manager", "Apply", R"({"f:spec":{"f:a":{}}})") + "," +
      entry("manager", "Update", R"({"f:spec":{"f:a":{}}})", "", "apps/v1beta1") + "," +
      entry("dynamo-reconciler-graph", "Apply", R"({"f:spec":{"f:b":{}}})");
  EXPECT_EQ(patch_of(rest + "," + entry("manager", "Update", R"({"f:spec":{}})")),
            patch_with(taken(R"({"f:spec":{}})") + "," + rest));
  EXPECT_EQ(patch_of(rest), "");
  EXPECT_EQ(patch_of(taken(R"({"f:spec":{}})")), "");
}

TEST(TakeOver, PatchIsEmptyWithoutEntries) {
  EXPECT_EQ(patch_of(""), "");
  EXPECT_EQ(take_over_patch(kube::Object::parse(R"({"metadata":{}})").value(), "apps/v1", kUs), "");
}

}  // namespace
}  // namespace dynamo::reconciler
