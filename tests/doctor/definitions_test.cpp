// The doctor's findings about definitions with two versions.
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <string>
#include <string_view>
#include <vector>

#include "tests/doctor/installation.hpp"

namespace dynamo::doctor {
namespace {

using testing::AllOf;
using testing::Each;
using testing::ElementsAre;
using testing::HasSubstr;
using testing::IsEmpty;
using testing::SizeIs;
using testing::StartsWith;

class DoctorDefinitions : public testing::Test {
 protected:
  // The findings of one check, one line each.
  std::vector<std::string> lines(std::string_view check) {
    std::vector<std::string> found;
    for (const CheckFinding& each : installation_.examined()) {
      if (each.check != check) continue;
      found.push_back(std::string(to_string(each.level)) + ": " + each.subject + ": " + each.text);
    }
    return found;
  }
  std::vector<std::string> lines_with(std::string_view check, std::string_view from,
                                      std::string_view to) {
    installation_.put_definitions(from, to);
    return lines(check);
  }
  static auto four(const std::string& start, const std::string& text) {
    return AllOf(SizeIs(4), Each(AllOf(StartsWith(start + ": CustomResourceDefinition/dynamo"),
                                       HasSubstr(text))));
  }

  Installation installation_;
};

constexpr std::string_view kStored = "cluster.stored-versions";
constexpr std::string_view kCallable = "cluster.conversion";
constexpr std::string_view kTrusted = "cluster.conversion-ca";

TEST_F(DoctorDefinitions, EachHasOneLinePerCheck) {
  installation_.put_definitions();
  EXPECT_THAT(lines(kStored), four("ok", "stores every object as v1beta1"));
  EXPECT_THAT(lines(kCallable), four("ok", "calls dynamo-system/webhook, with 2 ready endpoints"));
  EXPECT_THAT(lines(kTrusted), four("ok", "caBundle verifies the served certificate"));
}

TEST_F(DoctorDefinitions, OneVersionIsNotReported) {
  for (const std::string_view check : {kStored, kCallable, kTrusted}) {
    EXPECT_THAT(lines(check), IsEmpty());
    EXPECT_THAT(lines_with(check, R"(,{"name":"v1beta1","storage":true})", ""), IsEmpty());
  }
}

TEST_F(DoctorDefinitions, GenerationFollowsDefinitionsAndOperator) {
  constexpr std::string_view kGeneration = "cluster.generation";
  constexpr kube::Resource kDeployments{"apps", "v1", "deployments", "Deployment"};
  const auto put_operator = [&](const std::string& version) {
    installation_.cluster.put(kDeployments,
                              R"({"metadata":{"name":"operator","namespace":"team","labels":{)"
                              R"("control-plane":"controller-manager",)"
                              R"("app.kubernetes.io/part-of":"dynamo-operator",)"
                              R"("app.kubernetes.io/version":")" +
                                  version + R"("}}})");
  };
  const std::string ok = "ok: Dynamo operator: generation ";
  EXPECT_THAT(lines(kGeneration), ElementsAre(ok + "unknown: graphs are served as v1alpha1 only"));
  put_operator("1.0.0");
  EXPECT_THAT(lines(kGeneration), ElementsAre(ok + "first: graphs are served as v1alpha1 only; "
                                                   "found team/operator 1.0.0"));
  put_operator("1.2.0");
  EXPECT_THAT(lines(kGeneration), ElementsAre(StartsWith(ok + "unknown: ")));
  put_operator("1.5.0");
  installation_.put_definitions();
  EXPECT_THAT(lines(kGeneration), ElementsAre(StartsWith(ok + "later: ")));
  installation_.cluster.forbid("list", "deployments");
  EXPECT_THAT(lines(kGeneration), ElementsAre(ok + "later: graphs are served as v1beta1"));
  installation_.cluster.forbid("get", "customresourcedefinitions");
  EXPECT_THAT(lines(kGeneration), ElementsAre(StartsWith("skipped: ")));
}

TEST_F(DoctorDefinitions, OtherGenerationThanStatedIsAWarning) {
  installation_.put_definitions();
  GatherOptions options = installation_.options();
  const auto found_with = [&](api::OperatorGeneration stated) {
    options.operator_generation = stated;
    for (const CheckFinding& each : examine(installation_.gather_evidence(options).value())) {
      if (each.check == "cluster.generation") return each;
    }
    return CheckFinding();
  };
  using enum api::OperatorGeneration;
  EXPECT_EQ(found_with(kLater).level, Level::kOk);
  EXPECT_EQ(found_with(kUnknown).level, Level::kOk);
  const CheckFinding finding = found_with(kFirst);
  EXPECT_EQ(finding.level, Level::kWarning);
  EXPECT_THAT(finding.text, HasSubstr("generation of --operator-generation, first; found "));
  EXPECT_THAT(finding.remedy, HasSubstr("operatorGeneration to later"));
}

TEST_F(DoctorDefinitions, OlderStoredVersionIsAWarning) {
  EXPECT_THAT(lines_with(kStored, R"(["v1beta1"])", R"(["v1alpha1","v1beta1"])"),
              four("warning", "must be v1beta1 alone; found v1alpha1, v1beta1"));
}

TEST_F(DoctorDefinitions, UnreadableDefinitionsAreSkipped) {
  installation_.cluster.forbid("get", "customresourcedefinitions");
  EXPECT_THAT(lines(kStored), AllOf(SizeIs(1), Each(HasSubstr("Forbidden"))));
  EXPECT_THAT(lines(kCallable), IsEmpty());
}

TEST_F(DoctorDefinitions, MissingConversionWebhookFails) {
  EXPECT_THAT(lines_with(kCallable, R"("strategy":"Webhook")", R"("strategy":"None")"),
              four("failed", "found strategy None"));
  EXPECT_THAT(lines(kTrusted), IsEmpty());
  EXPECT_THAT(lines_with(kCallable, R"("service":{)", R"("other":{)"),
              four("failed", "must name the Service"));
}

TEST_F(DoctorDefinitions, UncallableServiceFails) {
  EXPECT_THAT(lines_with(kCallable, R"("name":"webhook")", R"("name":"operator")"),
              four("failed", "must call a Service that exists"));
  installation_.put_endpoints(0);
  EXPECT_THAT(lines_with(kCallable, "", ""), four("failed", "with a ready endpoint; found none"));
}

TEST_F(DoctorDefinitions, UnreachableEndpointsAreSkipped) {
  installation_.close_pods();
  EXPECT_THAT(lines_with(kCallable, "", ""), four("skipped", "none of which was reached"));
}

TEST_F(DoctorDefinitions, BundleMustVerifyServedCertificate) {
  EXPECT_THAT(lines_with(kTrusted, R"("caBundle")", R"("not")"),
              four("failed", "must have a caBundle; found none"));
  const auto now = installation_.clock.wall();
  const auto other =
      certs::make_ca("other", now - std::chrono::hours(1), now + std::chrono::hours(24 * 365))
          .value();
  EXPECT_THAT(lines_with(kTrusted, text::encode_base64(installation_.ca.certificate_pem),
                         text::encode_base64(other.certificate_pem)),
              four("failed", "caBundle must verify the certificate that is served"));
}

}  // namespace
}  // namespace dynamo::doctor
