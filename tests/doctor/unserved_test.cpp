// Requests and checkpoints that no controller serves.
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <chrono>
#include <string>
#include <string_view>

#include "doctor/unserved.hpp"
#include "reconciler/request/plan.hpp"
#include "reconciler/validation/plan.hpp"
#include "tests/doctor/installation.hpp"

namespace dynamo::doctor {
namespace {

using std::chrono_literals::operator""min;
using ::testing::HasSubstr;

constexpr const ServableKind& kRequestKind = kServable[0];
constexpr const ServableKind& kCheckpointKind = kServable[1];

class DoctorOfUnservedKinds : public testing::Test {
 protected:
  void put(const ServableKind& kind, const std::string& name, const std::string& status,
           const std::string& space = "team-a") {
    i_.cluster.put(kind.resource, R"({"metadata":{"name":")" + name + R"(","namespace":")" + space +
                                      R"("},"status":)" + status + "}");
  }
  CheckFinding finding(const ServableKind& kind) {
    const std::string subject = std::string(kind.resource.kind) + "s";
    for (const CheckFinding& each : i_.examined()) {
      if (each.check == "cluster.unserved" && each.subject == subject) return each;
    }
    ADD_FAILURE() << "no finding of " << subject;
    return {};
  }

  Installation i_;
};

constexpr const char* kReported =
    R"({"state":"Pending","conditions":[{"type":"Served","status":"False","reason":"NoController"}]})";

TEST_F(DoctorOfUnservedKinds, AcceptsAClusterWithoutThem) {
  for (const ServableKind& kind : kServable) {
    const CheckFinding found = finding(kind);
    EXPECT_EQ(found.level, Level::kOk) << found.text;
    EXPECT_EQ(found.text, "none of 0 waits for a controller");
  }
}

TEST_F(DoctorOfUnservedKinds, WarnsOfTheConditionNoController) {
  put(kRequestKind, "r", kReported);
  put(kRequestKind, "served", R"({"state":"Ready"})");
  const CheckFinding found = finding(kRequestKind);
  EXPECT_EQ(found.level, Level::kWarning);
  EXPECT_THAT(found.text, HasSubstr("found 1 of 2 that no controller serves: team-a/r:"));
  EXPECT_THAT(found.remedy, HasSubstr("add request to --controllers of dynamo-reconciler"));
  EXPECT_EQ(finding(kCheckpointKind).level, Level::kOk);
}

TEST_F(DoctorOfUnservedKinds, WarnsOfObjectsWithoutAStatus) {
  put(kCheckpointKind, "old", "{}");
  put(kCheckpointKind, "served", R"({"phase":"Creating"})");
  i_.clock.tick(1min);
  put(kCheckpointKind, "new", "{}");
  i_.clock.tick(kUnservedAfter - 1min);
  const CheckFinding found = finding(kCheckpointKind);
  EXPECT_EQ(found.level, Level::kWarning);
  EXPECT_THAT(found.text, HasSubstr("found 1 of 3 that no controller serves: team-a/old:"));
  EXPECT_THAT(found.remedy, HasSubstr("add checkpoint to --controllers"));
}

TEST_F(DoctorOfUnservedKinds, AcceptsObjectsServedAgain) {
  put(kRequestKind, "r",
      R"({"state":"Pending","conditions":[{"type":"Served","status":"True","reason":"Served"}]})");
  EXPECT_EQ(finding(kRequestKind).level, Level::kOk);
}

TEST_F(DoctorOfUnservedKinds, NamesFiveObjectsAtMost) {
  for (int i = 0; i < 7; ++i) put(kRequestKind, "r" + std::to_string(i), "{}");
  i_.clock.tick(kUnservedAfter);
  EXPECT_THAT(finding(kRequestKind).text, HasSubstr("team-a/r4 and 2 more: nothing will happen"));
}

TEST_F(DoctorOfUnservedKinds, RestrictedServerSeesItsOwnNamespace) {
  put(kRequestKind, "r", "{}", "elsewhere");
  i_.clock.tick(kUnservedAfter);
  i_.restricted_namespace = "team-a";
  EXPECT_EQ(finding(kRequestKind).text, "none of 0 waits for a controller");
}

TEST_F(DoctorOfUnservedKinds, SkipsKindsThatCannotBeListed) {
  i_.cluster.forbid("list", "dynamocheckpoints");
  const CheckFinding found = finding(kCheckpointKind);
  EXPECT_EQ(found.level, Level::kSkipped);
  EXPECT_THAT(found.text, HasSubstr("dynamocheckpoints"));
  EXPECT_EQ(finding(kRequestKind).level, Level::kOk);
}

TEST(DoctorUnservedTest, WordsMatchDynamoReconciler) {
  EXPECT_EQ(kRequestKind.resource, reconciler::request::kRequests);
  EXPECT_EQ(reconciler::validation::kServedCondition, "Served");
  EXPECT_EQ(reconciler::validation::kUnservedEvent, "NoController");
}

}  // namespace
}  // namespace dynamo::doctor
