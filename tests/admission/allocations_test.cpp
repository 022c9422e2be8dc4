// The allocations of a review in steady state: a small number that is independent of the object's
// size.
#include <gtest/gtest.h>

#include <cstddef>
#include <cstdint>
#include <span>
#include <string>

#include "json/parser.hpp"
#include "tests/support/allocation_counter.hpp"
#include "tests/support/golden.hpp"
#include "tests/support/review_fixture.hpp"

namespace dynamo::admission {
namespace {

// The allocations of one review after the reviewer and its answer's buffer have warmed up.
std::size_t allocations_of(const Route& route, const std::string& text,
                           const Policy* policy = nullptr) {
  test::ReviewFixture fixture;
  const EvaluationInputs inputs{fixture.settings, fixture.facts, fixture.leases, fixture.now,
                                policy};
  std::string answer;
  std::size_t counted = 0;
  for (int round = 0; round < 3; ++round) {
    test::PaddedText body{text};
    answer.clear();
    const std::uint64_t before = test::allocations();
    const ReviewResult outcome =
        fixture.reviewer.review(route, std::span{body.bytes.data(), body.size}, inputs, answer);
    counted = test::allocations() - before;
    EXPECT_EQ(outcome.http_status, 200U) << answer;
    EXPECT_EQ(outcome.verdict, ReviewVerdict::kAllowed) << answer;
  }
  return counted;
}

std::string captured(const char* name) {
  return test::read_file(test::testdata("../../bench/reviews") / name);
}

// Measured values. The remaining ones are the sorted lists of services: one on a create; on an
// update those of both objects, once for the rules on services and once for the rule that compares
// their names.
constexpr std::size_t kForCreate = 1;
constexpr std::size_t kForUpdate = 4;
constexpr std::size_t kForDefaults = 11;  // most of them for checking the patch

const Route& graph_route() {
  return test::validating(api::Kind::kGraphDeployment);
}

TEST(Allocations, AreFewForAllowedCreate) {
  EXPECT_LE(allocations_of(graph_route(), captured("create_2k.json")), kForCreate);
  EXPECT_LE(allocations_of(graph_route(), captured("create_13k.json")), kForCreate);
}

TEST(Allocations, AreFewForAllowedUpdate) {
  EXPECT_LE(allocations_of(graph_route(), captured("update_28k.json")), kForUpdate);
}

TEST(Allocations, PolicyAddsNone) {
  const ReadPolicy read = read_policy(
      "version: 1\n"
      "severities:\n"
      "  - {rules: service.*, severity: warn}\n"
      "  - {rules: dgd.*, severity: deny, namespaces: inf*}\n"
      "parameters:\n"
      "  - allowedRegistries: [nvcr.io, docker.io]\n"
      "    maxReplicasPerService: 100\n"
      "    requiredResourceLimits: [gpu]\n"
      "    namespaces: inf*\n");
  ASSERT_TRUE(read.policy.has_value());
  const std::string text = captured("update_28k.json");
  EXPECT_EQ(allocations_of(graph_route(), text, &*read.policy),
            allocations_of(graph_route(), text));
}

TEST(Allocations, CountIsIndependentOfObjectSize) {
  const auto graph_of = [](int services) {
    std::string spec = "{services: {";  // sorted by name, as the API server sends them
    for (int i = 0; i < services; ++i) {
      spec +=
          "s" + std::to_string(100 + i) +
          ": {replicas: 2, componentType: frontend, sharedMemory: {size: 1Gi}, envs: [{name: a, "
          "value: b}], ingress: {enabled: true, host: h, ingressControllerClassName: nginx}, "
          "extraPodSpec: {mainContainer: {image: a}}}, ";
    }
    const json::Document object =
        test::from_yaml(test::object_text(api::Kind::kGraphDeployment, spec + "}}"));
    return test::review_text({.object = object.root()});
  };
  EXPECT_EQ(allocations_of(graph_route(), graph_of(40)),
            allocations_of(graph_route(), graph_of(4)));
}

TEST(Allocations, AreFewForDefaultedCreate) {
  EXPECT_LE(allocations_of(test::mutating(), captured("create_13k.json")), kForDefaults);
}

}  // namespace
}  // namespace dynamo::admission
