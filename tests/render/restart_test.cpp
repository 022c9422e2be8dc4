// The progress of a restart, reconcile by reconcile.
#include "render/component/restart.hpp"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <algorithm>

#include "tests/render/rendering.hpp"

namespace dynamo::render {
namespace {

using test::Yaml;

std::optional<RestartStatus> next(std::string_view restart, std::string_view status,
                                  std::vector<std::string> updated = {}) {
  const Yaml graph("spec: {restart: " + std::string(restart) + ", services: {A: {}, B: {}}}");
  const Yaml now("at: " + std::string(status));
  return restart_status(api::GraphDeployment{graph.root()}, now.root()["at"],
                        [&](std::string_view service) {
                          return std::ranges::find(updated, service) != updated.end();
                        });
}

TEST(Restart, SequentialRestartAdvancesServiceByService) {
  const std::string_view asked = "{id: r1, strategy: {order: [B, A]}}";
  EXPECT_EQ(next(asked, "null", {"A", "B"}), (RestartStatus{"r1", "Restarting", {"B"}}));
  const std::string_view first = "{observedID: r1, phase: Restarting, inProgress: [B]}";
  EXPECT_EQ(next(asked, first), (RestartStatus{"r1", "Restarting", {"B"}}));
  EXPECT_EQ(next(asked, first, {"B"}), (RestartStatus{"r1", "Restarting", {"A"}}));
  const std::string_view second = "{observedID: r1, phase: Restarting, inProgress: [A]}";
  EXPECT_EQ(next(asked, second, {"A"}), (RestartStatus{"r1", "Completed", {}}));
  // A service that is not in the order comes last.
  EXPECT_EQ(next("{id: r1, strategy: {order: [A]}}", first, {"B"}),
            (RestartStatus{"r1", "Completed", {}}));
}

TEST(Restart, ParallelRestartWaitsForEachService) {
  const std::string_view asked = "{id: r1, strategy: {type: Parallel}}";
  EXPECT_EQ(next(asked, "null", {"A", "B"}), (RestartStatus{"r1", "Restarting", {"A", "B"}}));
  const std::string_view both = "{observedID: r1, phase: Restarting, inProgress: [A, B]}";
  EXPECT_EQ(next(asked, both, {"A"}), (RestartStatus{"r1", "Restarting", {"B"}}));
  EXPECT_EQ(next(asked, both, {"A", "B"}), (RestartStatus{"r1", "Completed", {}}));
}

TEST(Restart, RemovedServiceIsNotAwaited) {
  const std::string_view gone = "{observedID: r1, phase: Restarting, inProgress: [C]}";
  EXPECT_EQ(next("{id: r1}", gone), (RestartStatus{"r1", "Restarting", {"A"}}));
  EXPECT_EQ(next("{id: r1, strategy: {type: Parallel}}", gone),
            (RestartStatus{"r1", "Completed", {}}));
}

TEST(Restart, NewIdStartsOver) {
  EXPECT_EQ(next("{id: r2}", "{observedID: r1, phase: Restarting, inProgress: [B]}"),
            (RestartStatus{"r2", "Restarting", {"A"}}));
}

std::vector<std::string> marked(std::string_view restart, std::string_view status) {
  const Yaml graph("spec: {restart: " + std::string(restart) +
                   ", services: {A: {}, B: {}, C: {}}}");
  const Yaml now("at: " + std::string(status));
  return restart_selection(api::GraphDeployment{graph.root()}, now.root()["at"]).services;
}

TEST(Restart, SequentialRestartMarksBegunServices) {
  using testing::ElementsAre;
  const std::string_view asked = "{id: r1}";
  EXPECT_THAT(marked(asked, "{observedID: r1, phase: Restarting, inProgress: [B]}"),
              ElementsAre("A", "B"));
  EXPECT_THAT(marked(asked, "{observedID: r1, phase: Failed, inProgress: [B]}"), ElementsAre("A"));
  EXPECT_THAT(marked(asked, "{observedID: r1, phase: Failed}"), ElementsAre("A"));
  EXPECT_THAT(marked("{id: r2}", "{observedID: r1, phase: Restarting, inProgress: [C]}"),
              ElementsAre("A"));
}

TEST(Restart, EndedRestartIsRemembered) {
  const std::string_view completed = "{observedID: r1, phase: Completed}";
  EXPECT_EQ(next("{id: r1}", completed), (RestartStatus{"r1", "Completed", {}}));
  EXPECT_EQ(next("null", completed), (RestartStatus{"r1", "Completed", {}}));
  EXPECT_EQ(next("null", "{observedID: r1, phase: Restarting, inProgress: [A]}"), std::nullopt);
  EXPECT_EQ(next("null", "null"), std::nullopt);
}

}  // namespace
}  // namespace dynamo::render
