// Which Leases are not trusted, and which updates are validated completely because of one (ADR 18).
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <chrono>
#include <optional>
#include <string>
#include <string_view>

#include "admission/namespace_lease.hpp"
#include "tests/admission/policy_evaluation.hpp"

namespace dynamo::admission {
namespace {

using namespace std::chrono_literals;
using std::chrono::system_clock;
using testing::ElementsAre;
using testing::HasSubstr;
using testing::UnorderedElementsAre;

constexpr system_clock::time_point kLast = system_clock::time_point::max();
constexpr system_clock::time_point kFirst = system_clock::time_point::min();

TEST(LeaseTimes, NeverOverflowTheClock) {
  EXPECT_EQ(end_of({kNow, 30s}), kNow + 30s);
  EXPECT_EQ(end_of({kLast, 1s}), kLast);
  EXPECT_EQ(end_of({kLast - 10s, 2147483647s}), kLast);
  const auto longest = std::chrono::floor<std::chrono::seconds>(kLast - kNow);
  EXPECT_EQ(end_of({kNow, longest}), kLast);
  EXPECT_EQ(end_of({kNow, longest - 1s}), kNow + (longest - 1s));
  EXPECT_EQ(end_of({system_clock::time_point{}, 30s}), system_clock::time_point{30s});
  for (const NamespaceLease& dead :
       {NamespaceLease{kNow, 0s}, NamespaceLease{kNow, -1s}, NamespaceLease{kFirst, 30s},
        NamespaceLease{std::nullopt, 30s}, NamespaceLease{kNow, std::nullopt}}) {
    EXPECT_EQ(end_of(dead), std::nullopt);
    for (const auto now : {kFirst, kNow, kLast}) {
      EXPECT_FALSE(is_live(dead, now));
      EXPECT_EQ(rejection_of(dead, now), LeaseRejection::kNone);
      EXPECT_EQ(left_unvalidated_until(dead, now), std::nullopt);
    }
  }
}

TEST(LeaseRejections, OnlyUnexpiredLeasesAreRejected) {
  EXPECT_EQ(rejection_of({kNow + 1min, 30s}, kNow), LeaseRejection::kNone);
  EXPECT_EQ(rejection_of({kNow + 61s, 30s}, kNow), LeaseRejection::kFuture);
  EXPECT_EQ(rejection_of({kLast, 30s}, kNow), LeaseRejection::kFuture);
  EXPECT_EQ(rejection_of({kNow, 30s, "a", LeaseRejection::kHolder}, kNow), LeaseRejection::kHolder);
  EXPECT_EQ(rejection_of({kNow - 30s, 30s, "a", LeaseRejection::kHolder}, kNow),
            LeaseRejection::kNone);
  // An absurd clock of ours does not overflow, either.
  EXPECT_EQ(rejection_of({kLast, 30s}, kFirst), LeaseRejection::kFuture);
  EXPECT_EQ(rejection_of({kNow, 30s}, kLast), LeaseRejection::kNone);
}

// An update of a graph in team-a. By default it keeps nine replicas and no limits and changes the
// image, while the policy allows eight replicas and requires limits: rules that forgive existing
// violations.
struct UpdateInputs {
  std::optional<NamespaceLease> lease = NamespaceLease{kNow - 1h, 30s, "them"};
  std::string_view created = "2026-02-03T00:00:00Z";
  std::string_view image = "b";
  std::optional<std::string_view> user = std::nullopt;
  std::string restricted_namespace = "";
  bool names_operator = true;
};

struct CheckResult {
  bool allowed;
  bool validated_in_full;
  std::vector<test::Place> errors;
  std::vector<std::string> warnings;
};

std::string graph(std::string_view image, std::string_view created) {
  std::string text = "{metadata: {name: llama";
  if (!created.empty()) text += ", creationTimestamp: '" + std::string(created) + "'";
  return text +
         "}, spec: {services: {A: {componentType: worker, replicas: 9, extraPodSpec: "
         "{mainContainer: {image: nvcr.io/" +
         std::string(image) + ":1}}}}}}";
}

CheckResult updated(const UpdateInputs& given) {
  const Policy policy = policy_of(
      "{version: 1, parameters: [{maxReplicasPerService: 8, "
      "requiredResourceLimits: [memory]}]}");
  const json::Document old = test::from_yaml(graph("a", given.created));
  const json::Document now = test::from_yaml(graph(given.image, given.created));
  const api::AdmissionRequest request{.uid = "u",
                                      .kind = {"nvidia.com", "v1alpha1", "DynamoGraphDeployment"},
                                      .namespace_name = "team-a",
                                      .operation = api::Operation::kUpdate,
                                      .user = given.user,
                                      .object = now.root(),
                                      .old_object = old.root()};
  api::Settings settings;
  if (given.names_operator) {
    settings.operator_service_account = api::ServiceAccount{"dynamo", "operator"};
  }
  settings.restricted_namespace = given.restricted_namespace;
  const api::ClusterFacts facts{.inference_pool_served = api::Fact::kYes};
  test::FakeNamespaceLeases leases;
  if (given.lease) leases.set("team-a", *given.lease);
  const Route& route = test::validating(api::Kind::kGraphDeployment);
  Decision decision;
  evaluate(route, request, {settings, facts, leases, kNow, &policy}, decision);
  std::string answer;
  write_answer(route, request, decision, Enforcement::kDeny, answer);
  const std::string review =
      R"({"apiVersion":"admission.k8s.io/v1","kind":"AdmissionReview","request":{"uid":"u"}})";
  const test::ResponseCheck accepted =
      test::accept_answer(review, answer, test::Webhook::kValidating);
  EXPECT_EQ(accepted.complaint, "");
  EXPECT_EQ(accepted.allowed, decision.is_allowed());
  return {decision.is_allowed(), decision.validated_in_full, test::places_of(decision.findings),
          accepted.warnings};
}

TEST(ValidatedInFull, ObjectOlderThanLeaseEndIsNotForgiven) {
  const CheckResult found = updated({});
  EXPECT_FALSE(found.allowed);
  EXPECT_TRUE(found.validated_in_full);
  EXPECT_THAT(found.errors,
              UnorderedElementsAre(
                  test::Place{"spec.services[A].replicas", "policy.replicas"},
                  test::Place{"spec.services[A].resources.limits", "policy.resource-limits"}));
  EXPECT_THAT(found.warnings,
              testing::Contains("fully validated, also what the update does not change: Lease "
                                "team-a/dynamo-operator-namespace-scope left the object to "
                                "another operator until 2026-02-03T03:05:36Z; holder: them"));
}

TEST(ValidatedInFull, NamespaceWithoutLeaseIsForgiven) {
  const CheckResult found = updated({.lease = std::nullopt});
  EXPECT_TRUE(found.allowed);
  EXPECT_FALSE(found.validated_in_full);
}

TEST(ValidatedInFull, ObjectYoungerThanLeaseEndIsForgiven) {
  EXPECT_FALSE(updated({.created = "2026-02-03T03:05:35Z"}).allowed);
  EXPECT_TRUE(updated({.created = "2026-02-03T03:05:36Z"}).allowed);
  // An unknown time is not forgiven.
  EXPECT_FALSE(updated({.created = ""}).allowed);
}

TEST(ValidatedInFull, DoubtedLeaseIsNotForgiven) {
  for (const NamespaceLease& lease :
       {NamespaceLease{kLast, 30s}, NamespaceLease{kNow, 30s, "them", LeaseRejection::kHolder},
        NamespaceLease{kNow - 1h, 86'400s, "them", LeaseRejection::kDuration}}) {
    EXPECT_FALSE(updated({.lease = lease}).allowed);
  }
}

TEST(ValidatedInFull, LeaseThatNeverLivedIsForgiven) {
  EXPECT_TRUE(updated({.lease = NamespaceLease{kNow, std::nullopt}}).allowed);
  EXPECT_TRUE(updated({.lease = NamespaceLease{kNow, 0s}}).allowed);
}

TEST(ValidatedInFull, UnchangedSpecIsForgiven) {
  EXPECT_TRUE(updated({.image = "a"}).allowed);
}

TEST(ValidatedInFull, OperatorUpdateIsForgiven) {
  EXPECT_TRUE(updated({.user = "system:serviceaccount:dynamo:operator"}).allowed);
  EXPECT_FALSE(updated({.user = "system:serviceaccount:team-a:operator"}).allowed);
  EXPECT_FALSE(updated({.user = "system:serviceaccount:team-a:planner-serviceaccount"}).allowed);
  // Without a configured name the end of the name identifies it.
  constexpr std::string_view kGuessed =
      "system:serviceaccount:dynamo:x-dynamo-operator-controller-manager";
  EXPECT_FALSE(updated({.user = kGuessed}).allowed);
  EXPECT_TRUE(updated({.user = kGuessed, .names_operator = false}).allowed);
  EXPECT_FALSE(updated({.user = "jane", .names_operator = false}).allowed);
}

TEST(ValidatedInFull, RestrictedServerForgives) {
  EXPECT_TRUE(updated({.restricted_namespace = "team-a"}).allowed);
}

TEST(ValidatedInFull, LiveLeaseSkipsValidation) {
  const CheckResult found = updated({.lease = NamespaceLease{kNow, 30s}});
  EXPECT_TRUE(found.allowed);
  EXPECT_THAT(found.warnings, ElementsAre(HasSubstr("not validated: Lease team-a/")));
}

}  // namespace
}  // namespace dynamo::admission
