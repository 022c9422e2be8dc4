// The states that the resource metrics count.
#include "reconciler/app/resource_counter.hpp"

#include <gtest/gtest.h>

#include <string>
#include <string_view>

#include "json/parser.hpp"

namespace dynamo::reconciler {
namespace {

std::string counted(api::Kind kind, std::string_view status) {
  const auto object = json::parse_copy(R"({"status":)" + std::string(status) + "}");
  return std::string(counted_state(kind, object->root()));
}

TEST(CountedState, RequestHasItsState) {
  EXPECT_EQ(counted(api::Kind::kGraphDeploymentRequest, R"({"state":"Profiling"})"), "Profiling");
  EXPECT_EQ(counted(api::Kind::kGraphDeploymentRequest, "{}"), "unknown");
}

TEST(CountedState, CheckpointHasItsPhase) {
  EXPECT_EQ(counted(api::Kind::kCheckpoint, R"({"phase":"Failed"})"), "Failed");
  EXPECT_EQ(counted(api::Kind::kCheckpoint, "{}"), "unknown");
}

TEST(CountedState, LongStateIsCut) {
  const std::string status = R"({"phase":")" + std::string(1'000, 'x') + R"("})";
  EXPECT_EQ(counted(api::Kind::kCheckpoint, status), std::string(64, 'x'));
}

}  // namespace
}  // namespace dynamo::reconciler
