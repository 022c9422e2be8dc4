#include "kube/object/conditions.hpp"

#include <gtest/gtest.h>

#include <string>

#include "kube/object/object.hpp"

namespace dynamo::kube {
namespace {

using std::chrono::milliseconds;
using std::chrono::seconds;

const auto kWall = std::chrono::system_clock::from_time_t(1'770'091'506);

Condition ready(ConditionStatus status, std::string reason, std::string message = "",
                std::int64_t generation = 1) {
  return {.type = "Ready",
          .status = status,
          .reason = std::move(reason),
          .message = std::move(message),
          .observed_generation = generation};
}

std::string text_of(const Conditions& conditions) {
  std::string text;
  json::Writer writer(text);
  conditions.write(writer);
  return text;
}

TEST(ConditionsTest, TransitionTimeChangesOnlyWithStatus) {
  Conditions conditions;
  EXPECT_TRUE(conditions.set(ready(ConditionStatus::kFalse, "Starting"), kWall));
  EXPECT_FALSE(conditions.set(ready(ConditionStatus::kFalse, "Starting"), kWall + seconds(1)));
  EXPECT_TRUE(conditions.set(ready(ConditionStatus::kFalse, "Waiting"), kWall + seconds(2)));
  EXPECT_TRUE(conditions.set(ready(ConditionStatus::kFalse, "Waiting", "x"), kWall + seconds(3)));
  EXPECT_TRUE(
      conditions.set(ready(ConditionStatus::kFalse, "Waiting", "x", 2), kWall + seconds(4)));
  EXPECT_EQ(conditions.find("Ready")->transition, kWall);
  EXPECT_TRUE(conditions.set(ready(ConditionStatus::kTrue, "Ready"), kWall + milliseconds(5'700)));
  EXPECT_EQ(conditions.find("Ready")->transition, kWall + seconds(5));
  EXPECT_TRUE(conditions.is_true("Ready"));
}

TEST(ConditionsTest, OtherConditionsAndOrderAreKept) {
  const auto object = Object::parse(
      R"({"conditions":[{"type":"Other","status":"True","lastTransitionTime":)"
      R"("2026-01-01T00:00:00Z","reason":"R","message":"m"},{"type":"Ready","status":"Unknown",)"
      R"("observedGeneration":3,"lastTransitionTime":"2026-01-01T00:00:00Z","reason":"R",)"
      R"("message":""},{"status":"True"}]})");
  Conditions conditions = Conditions::read(object->root()["conditions"]);
  EXPECT_FALSE(conditions.set(ready(ConditionStatus::kUnknown, "R", "", 3), kWall));
  conditions.set(ready(ConditionStatus::kTrue, "Done"), kWall);
  EXPECT_EQ(text_of(conditions),
            R"([{"type":"Other","status":"True","lastTransitionTime":"2026-01-01T00:00:00Z",)"
            R"("reason":"R","message":"m"},{"type":"Ready","status":"True","observedGeneration":1,)"
            R"("lastTransitionTime":"2026-02-03T04:05:06Z","reason":"Done","message":""}])");
  EXPECT_TRUE(conditions.remove("Other"));
  EXPECT_FALSE(conditions.remove("Other"));
}

TEST(ConditionsTest, ConditionReadBackIsUnchanged) {
  Conditions conditions;
  conditions.set(ready(ConditionStatus::kTrue, "Done", std::string(40'000, 'x')),
                 kWall + milliseconds(1));
  EXPECT_LE(conditions.find("Ready")->message.size(), 32'768U);
  const auto again = Object::parse(R"({"c":)" + text_of(conditions) + "}");
  Conditions read = Conditions::read(again->root()["c"]);
  EXPECT_FALSE(read.set(ready(ConditionStatus::kTrue, "Done", std::string(40'000, 'x')),
                        kWall + seconds(9)));
  EXPECT_EQ(text_of(read), text_of(conditions));
}

}  // namespace
}  // namespace dynamo::kube
