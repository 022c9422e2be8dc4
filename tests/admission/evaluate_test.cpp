// Which requests are validated or exempt: operations, subresources, deletion, namespaces, Leases.
#include "admission/evaluate.hpp"

#include <gtest/gtest.h>

#include <chrono>
#include <string>
#include <string_view>

#include "tests/support/objects.hpp"
#include "tests/support/review_fixture.hpp"

namespace dynamo::admission {
namespace {

using namespace std::chrono_literals;
using api::Operation;

const std::chrono::system_clock::time_point kNow =
    std::chrono::system_clock::from_time_t(1'770'091'506);

constexpr std::string_view kBroken =
    "{metadata: {name: a}, spec: {services: {A: {" DYNAMO_UNSCALED_SERVICE ", replicas: -1}}}}";
constexpr std::string_view kOther =
    "{metadata: {name: a}, spec: {services: {A: {" DYNAMO_UNSCALED_SERVICE ", replicas: -2}}}}";
constexpr std::string_view kTerminating =
    "{metadata: {name: a, deletionTimestamp: '2026-01-01T00:00:00Z'}, "
    "spec: {services: {A: {" DYNAMO_UNSCALED_SERVICE ", replicas: -1}}}}";

struct RequestInputs {
  Operation operation = Operation::kCreate;
  std::string_view object = kBroken;
  std::string_view old_object = "";
  std::string_view sub_resource = "";
  std::string_view namespace_name = "default";
  std::string restricted_namespace = "";
  std::optional<NamespaceLease> lease = std::nullopt;  // in namespace "default"
  const Route& route = test::validating(api::Kind::kGraphDeployment);
};

struct CheckResult {
  Exemption exemption;
  bool allowed;
  bool patched;
};

CheckResult found(const RequestInputs& given) {
  json::Document object;
  json::Document old;
  if (!given.object.empty()) object = test::from_yaml(given.object);
  if (!given.old_object.empty()) old = test::from_yaml(given.old_object);
  const api::AdmissionRequest request{.uid = "u",
                                      .kind = {"nvidia.com", "v1alpha1", "DynamoGraphDeployment"},
                                      .sub_resource = given.sub_resource,
                                      .name = "a",
                                      .namespace_name = given.namespace_name,
                                      .operation = given.operation,
                                      .user = "jane",
                                      .object = object.root(),
                                      .old_object = old.root()};
  const api::Settings settings{.operator_version = "1.2.3",
                               .operator_service_account = {},
                               .restricted_namespace = given.restricted_namespace};
  const api::ClusterFacts facts;
  test::FakeNamespaceLeases leases;
  if (given.lease) leases.set("default", *given.lease);
  Decision decision;
  evaluate(given.route, request, {settings, facts, leases, kNow}, decision);
  return {decision.exemption, decision.is_allowed(), !decision.patch.empty()};
}

void expect_exempted(const RequestInputs& given, Exemption exemption) {
  const CheckResult result = found(given);
  EXPECT_EQ(name(result.exemption), name(exemption));
  EXPECT_TRUE(result.allowed);
  EXPECT_FALSE(result.patched);
}

void expect_evaluated(const RequestInputs& given) {
  const CheckResult result = found(given);
  EXPECT_EQ(name(result.exemption), "none");
  EXPECT_FALSE(result.allowed);
}

TEST(Evaluate, CreatesAndUpdatesAreValidated) {
  expect_evaluated({});
  expect_evaluated({.operation = Operation::kUpdate, .old_object = kBroken});
}

TEST(Evaluate, DeletesAndConnectsAreExempt) {
  expect_exempted({.operation = Operation::kDelete, .object = "", .old_object = kBroken},
                  Exemption::kOperation);
  expect_exempted({.operation = Operation::kConnect}, Exemption::kOperation);
}

TEST(Evaluate, SubresourcesAreExempt) {
  for (const std::string_view sub_resource : {"status", "scale"}) {
    expect_exempted(
        {.operation = Operation::kUpdate, .old_object = kOther, .sub_resource = sub_resource},
        Exemption::kSubResource);
  }
}

TEST(Evaluate, TerminatingObjectWithUnchangedSpecIsExempt) {
  expect_exempted({.operation = Operation::kUpdate, .object = kTerminating, .old_object = kBroken},
                  Exemption::kTerminating);
}

TEST(Evaluate, TerminatingObjectWithChangedSpecIsValidated) {
  expect_evaluated({.operation = Operation::kUpdate, .object = kTerminating, .old_object = kOther});
}

TEST(Evaluate, CreatedTerminatingObjectIsValidated) {
  expect_evaluated({.object = kTerminating});
}

TEST(Evaluate, UnchangedSpecIsValidatedUnlessTerminating) {
  expect_evaluated(
      {.operation = Operation::kUpdate, .object = kBroken, .old_object = kTerminating});
}

TEST(Evaluate, TerminatingObjectIsNotDefaulted) {
  expect_exempted({.operation = Operation::kUpdate,
                   .object = "{metadata: {deletionTimestamp: x}, spec: {services: {A: {}}}}",
                   .old_object = "{metadata: {}, spec: {services: {A: {}}}}",
                   .route = test::mutating()},
                  Exemption::kTerminating);
}

TEST(NamespaceLease, LiveLeaseExemptsItsNamespace) {
  const NamespaceLease live{kNow, 30s};
  expect_exempted({.lease = live}, Exemption::kNamespaceLease);
  expect_exempted({.object = "{metadata: {}, spec: {services: {A: {}}}}",
                   .lease = live,
                   .route = test::mutating()},
                  Exemption::kNamespaceLease);
  expect_evaluated({.namespace_name = "another", .lease = live});
}

TEST(NamespaceLease, IsLiveUntilDurationEnds) {
  expect_exempted({.lease = NamespaceLease{kNow - 30s + 1ns, 30s}}, Exemption::kNamespaceLease);
  expect_evaluated({.lease = NamespaceLease{kNow - 30s, 30s}});
  expect_evaluated({.lease = NamespaceLease{kNow - 30s - 1ns, 30s}});
}

TEST(NamespaceLease, FutureRenewTimeIsNotTrusted) {
  expect_exempted({.lease = NamespaceLease{kNow + 1min, 30s}}, Exemption::kNamespaceLease);
  expect_evaluated({.lease = NamespaceLease{kNow + 1min + 1ns, 30s}});
  expect_evaluated({.lease = NamespaceLease{kNow + 1h, 30s}});
  // Renewed at the clock's last moment: its end is beyond that.
  expect_evaluated({.lease = NamespaceLease{std::chrono::system_clock::time_point::max(), 30s}});
}

TEST(NamespaceLease, DoubtedLeaseIsNotTrusted) {
  for (const LeaseRejection rejection :
       {LeaseRejection::kDuration, LeaseRejection::kNamespace, LeaseRejection::kHolder}) {
    expect_evaluated({.lease = NamespaceLease{kNow, 30s, "them", rejection}});
  }
}

TEST(NamespaceLease, LeaseWithMissingFieldIsNotLive) {
  expect_evaluated({.lease = NamespaceLease{kNow, std::nullopt}});
  expect_evaluated({.lease = NamespaceLease{std::nullopt, 30s}});
  expect_evaluated({.lease = NamespaceLease{}});
  expect_evaluated({.lease = NamespaceLease{kNow + 1s, 0s}});
  expect_evaluated({.lease = NamespaceLease{kNow, -30s}});
}

TEST(RestrictedNamespace, OtherNamespacesAreExempt) {
  expect_evaluated({.restricted_namespace = "default"});
  expect_exempted({.namespace_name = "another", .restricted_namespace = "default"},
                  Exemption::kOtherNamespace);
  expect_exempted({.namespace_name = "", .restricted_namespace = "default"},
                  Exemption::kOtherNamespace);
}

TEST(RestrictedNamespace, LeaseDoesNotExemptRestrictedNamespace) {
  expect_evaluated({.restricted_namespace = "default", .lease = NamespaceLease{kNow, 30s}});
}

TEST(NoNamespaceLeases, FindsNone) {
  EXPECT_FALSE(NoNamespaceLeases{}.find("default"));
}

TEST(MissingObject, IsReportedForOperationsThatNeedIt) {
  const json::Document object = test::from_yaml("{}");
  const auto missing = [&](Operation operation, bool has_object, bool has_old) {
    api::AdmissionRequest request;
    request.operation = operation;
    if (has_object) request.object = object.root();
    if (has_old) request.old_object = object.root();
    return missing_object(request);
  };
  EXPECT_EQ(missing(Operation::kCreate, true, false), "");
  EXPECT_EQ(missing(Operation::kCreate, false, false), "request.object");
  EXPECT_EQ(missing(Operation::kUpdate, true, true), "");
  EXPECT_EQ(missing(Operation::kUpdate, false, true), "request.object");
  EXPECT_EQ(missing(Operation::kUpdate, true, false), "request.oldObject");
  EXPECT_EQ(missing(Operation::kDelete, false, false), "");
  EXPECT_EQ(missing(Operation::kConnect, false, false), "");
}

class PatchCheckTest : public testing::Test {
 protected:
  // The check's complaint about this patch to the object; "" if there is none.
  std::string complaint(std::string_view object_text, std::string_view path,
                        std::string_view value) {
    const json::Document object = test::from_yaml(object_text);
    const api::AdmissionRequest request{.uid = "u",
                                        .kind = {},
                                        .sub_resource = {},
                                        .name = {},
                                        .namespace_name = {},
                                        .operation = Operation::kUpdate,
                                        .user = {},
                                        .object = object.root(),
                                        .old_object = {}};
    const api::Settings settings{
        .operator_version = "1.2.3", .operator_service_account = {}, .restricted_namespace = {}};
    const api::ClusterFacts facts;
    const NoNamespaceLeases leases;
    Decision decision;
    if (!path.empty()) {
      decision.patch.add(path, [&](json::Writer& writer) { writer.raw(value); });
    }
    return check_.check(test::mutating(), request, {settings, facts, leases, kNow}, decision)
        .value_or("");
  }

  PatchCheck check_;
};

TEST_F(PatchCheckTest, DefaultsPass) {
  const char* const object = "{spec: {services: {A: {}}}}";
  EXPECT_EQ(complaint(object, "/spec/services/A/replicas", "1"), "");
  EXPECT_EQ(complaint(object, "", ""), "");
}

TEST_F(PatchCheckTest, InapplicablePatchIsRefused) {
  EXPECT_TRUE(complaint("{spec: {services: {A: {}}}}", "/spec/services/B/replicas", "1")
                  .starts_with("the patch does not apply: "));
}

TEST_F(PatchCheckTest, InvalidJsonPatchIsRefused) {
  EXPECT_TRUE(complaint("{spec: {services: {A: {}}}}", "/spec/services/A/replicas", "one")
                  .starts_with("the patch is not JSON: "));
}

TEST_F(PatchCheckTest, IncompletePatchIsRefused) {
  EXPECT_EQ(complaint("{spec: {services: {A: {}, B: {}}}}", "/spec/services/A/replicas", "1"),
            "defaulting the defaulted object changes it again");
}

TEST_F(PatchCheckTest, CheckIsReusableAfterRefusal) {
  EXPECT_NE(complaint("{spec: {services: {A: {}}}}", "/x/y", "1"), "");
  EXPECT_EQ(complaint("{spec: {services: {A: {}}}}", "/spec/services/A/replicas", "1"), "");
}

}  // namespace
}  // namespace dynamo::admission
