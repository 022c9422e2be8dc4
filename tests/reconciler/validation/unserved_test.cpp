// Objects of kinds that no controller serves in replacement mode: one condition and one event.
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <string>
#include <vector>

#include "json/writer.hpp"
#include "kube/object/conditions.hpp"
#include "reconciler/engine/resources.hpp"
#include "reconciler/validation/plan.hpp"

namespace dynamo::reconciler::validation {
namespace {

using ::testing::HasSubstr;

constexpr std::chrono::system_clock::time_point kPlannedAt{std::chrono::seconds(1'800'000'000)};

ValidationSettings without_controllers(Mode mode) {
  return {.mode = mode,
          .webhooks_enabled = true,
          .unserved = {api::Kind::kGraphDeploymentRequest, api::Kind::kCheckpoint}};
}

ObservedState unserved_object(api::Kind kind, const std::string& status) {
  ObservedState seen;
  seen.kind = kind;
  seen.resource = resource_of(kind);
  seen.object = kube::Object::parse(R"({"metadata":{"namespace":"ns","name":"x","uid":"u",)"
                                    R"("resourceVersion":"7","generation":3},"spec":{},"status":)" +
                                    status + "}")
                    .value();
  return seen;
}

// Output of a plan: the status, "" if it is unchanged, and the events.
struct WrittenPlan {
  std::string status = {};
  std::vector<EmitEvent> events = {};
};

WrittenPlan written_for(api::Kind kind, const ValidationSettings& settings,
                        const std::string& status = "{}") {
  WrittenPlan all;
  for (Action& each : plan(unserved_object(kind, status), settings, kPlannedAt).actions) {
    if (auto* const event = std::get_if<EmitEvent>(&each)) {
      all.events.push_back(std::move(*event));
    } else if (subresource_of(each) == "status") {
      all.status = json::to_text(kube::Object::parse(body_of(each)).value().root()["status"]);
    }
  }
  return all;
}

TEST(UnservedKind, HasConditionAndWarningEvent) {
  const ValidationSettings settings = without_controllers(Mode::kReplacement);
  for (const api::Kind kind : settings.unserved) {
    const WrittenPlan first = written_for(kind, settings);
    EXPECT_THAT(first.status, HasSubstr(R"("type":"Served","status":"False")"));
    EXPECT_THAT(first.status, HasSubstr(R"("reason":"NoController")"));
    EXPECT_THAT(first.status, HasSubstr("let a Dynamo operator serve its namespace"));
    ASSERT_EQ(first.events.size(), 1U);
    EXPECT_TRUE(first.events.front().is_warning);
    EXPECT_EQ(first.events.front().reason, "NoController");
    EXPECT_THAT(first.events.front().note, HasSubstr(std::string(resource_of(kind).kind)));
  }
}

TEST(UnservedKind, HasNoSecondEvent) {
  const ValidationSettings settings = without_controllers(Mode::kReplacement);
  for (const api::Kind kind : settings.unserved) {
    const WrittenPlan first = written_for(kind, settings);
    ASSERT_EQ(first.events.size(), 1U);
    EXPECT_EQ(first.events.front().occasion, "served") << "the next leader writes the same event";
    const WrittenPlan second = written_for(kind, settings, first.status);
    EXPECT_EQ(second.status, "");
    EXPECT_TRUE(second.events.empty());
  }
}

TEST(UnservedKind, KeepsConditionsOfOthers) {
  const std::string theirs = R"({"type":"JobCreated","status":"True","reason":"a","message":"b"})";
  const WrittenPlan first =
      written_for(api::Kind::kCheckpoint, without_controllers(Mode::kReplacement),
                  R"({"conditions":[)" + theirs + "]}");
  EXPECT_THAT(first.status, HasSubstr(theirs));
  EXPECT_THAT(first.status, HasSubstr("NoController"));
}

TEST(UnservedKind, KeepsItsVerdict) {
  ValidationSettings settings = without_controllers(Mode::kReplacement);
  settings.webhooks_enabled = false;
  ObservedState seen = unserved_object(api::Kind::kGraphDeploymentRequest, "{}");
  seen.verdict.rules = {"dgdr.profiler-image"};
  seen.verdict.message = "why";
  const ValidationPlan planned = plan(seen, settings, kPlannedAt);
  ASSERT_EQ(planned.actions.size(), 3U) << "the status and two events";
  EXPECT_THAT(body_of(planned.actions.front()), HasSubstr("ValidationFailed"));
  EXPECT_THAT(body_of(planned.actions.front()), HasSubstr("NoController"));
}

// Its controller may have retried it: only that controller writes the state.
TEST(UnservedKind, ServedRequestKeepsItsState) {
  ValidationSettings settings = without_controllers(Mode::kReplacement);
  settings.reported_elsewhere = {api::Kind::kGraphDeploymentRequest};
  settings.unserved.clear();
  const WrittenPlan written = written_for(
      api::Kind::kGraphDeploymentRequest, settings,
      R"({"state":"Pending","conditions":[{"type":"DynamoAdmissionValid","status":"False",)"
      R"("reason":"ValidationFailed","message":"m"}]})");
  EXPECT_THAT(written.status, ::testing::Not(HasSubstr("Failed\"")));
}

TEST(UnservedKind, ServedKindsHaveNoCondition) {
  const ValidationSettings settings = without_controllers(Mode::kReplacement);
  EXPECT_EQ(written_for(api::Kind::kGraphDeployment, settings).status, "");
  const WrittenPlan companion =
      written_for(api::Kind::kCheckpoint, without_controllers(Mode::kCompanion));
  EXPECT_THAT(companion.status, ::testing::Not(HasSubstr("Served")));
  EXPECT_TRUE(companion.events.empty());
}

TEST(UnservedKind, CompanionMarksTheKindServed) {
  const WrittenPlan before =
      written_for(api::Kind::kCheckpoint, without_controllers(Mode::kReplacement));
  const WrittenPlan after =
      written_for(api::Kind::kCheckpoint, without_controllers(Mode::kCompanion), before.status);
  EXPECT_THAT(after.status, HasSubstr(R"("type":"Served","status":"True")"));
}

}  // namespace
}  // namespace dynamo::reconciler::validation
