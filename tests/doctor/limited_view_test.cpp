// The doctor's findings with little evidence, for a restricted server, and after a timeout.
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <algorithm>
#include <chrono>
#include <set>
#include <sstream>
#include <string>
#include <string_view>
#include <vector>

#include "doctor/doctor.hpp"
#include "doctor/rights.hpp"
#include "json/parser.hpp"
#include "runtime/clock.hpp"
#include "tests/doctor/installation.hpp"

namespace dynamo::doctor {
namespace {

using std::chrono_literals::operator""ms;
using std::chrono_literals::operator""s;
using testing::AllOf;
using testing::Contains;
using testing::Each;
using testing::ElementsAre;
using testing::Field;
using testing::HasSubstr;
using testing::IsEmpty;
using testing::IsSupersetOf;
using testing::Not;
using testing::SizeIs;
using testing::UnorderedElementsAre;

std::vector<CheckFinding> findings_of(const std::vector<CheckFinding>& findings,
                                      std::string_view check) {
  std::vector<CheckFinding> found;
  std::ranges::copy_if(findings, std::back_inserter(found),
                       [check](const CheckFinding& each) { return each.check == check; });
  return found;
}

auto is(Level level, const std::string& text) {
  return AllOf(Field(&CheckFinding::level, level), Field(&CheckFinding::text, HasSubstr(text)));
}

std::vector<std::string> in_words(const std::vector<RightEvidence>& rights) {
  std::vector<std::string> words;
  for (const RightEvidence& right : rights) {
    std::string text = right.verb + ' ' + right.resource;
    if (!right.name.empty()) text += '/' + right.name;
    if (!right.namespace_name.empty()) text += " in " + right.namespace_name;
    words.push_back(text);
  }
  return words;
}

constexpr std::string_view kCannotCall =
    R"({"kind":"Status","reason":"InternalError","code":500,"message":"failed calling webhook )"
    R"(\"v.x\": failed to call webhook: Post )"
    R"(\"https://webhook.dynamo-system.svc:443/validate-nvidia-com-v1alpha1-dynamographdeployment)"
    R"(?timeout=10s\": context deadline exceeded"})";

// --- Dry run

TEST(DoctorDryRun, WaitsLongerThanTwoWebhookTimeouts) {
  Installation installation;
  ASSERT_TRUE(installation.gather_evidence());
  EXPECT_GT(installation.server.deadline_of_bad_object, 60s);
  EXPECT_GT(DoctorOptions().deadline, 90s) << "the dry run, and what comes before it";
}

TEST(DoctorDryRun, FailsWhenTheWebhookSwallowsTheCall) {
  Installation installation;
  installation.server.answer.clear();
  installation.cluster.fail({.method = kube::HttpMethod::kPost, .path = "/dynamographdeployments"},
                            {.kind = test::Fault::Kind::kNever});
  GatherOptions options = installation.options();
  options.dry_run = 50ms;
  EXPECT_THAT(
      findings_of(examine(installation.gather_evidence(options).value()), "cluster.dry-run"),
      ElementsAre(is(Level::kFailed, "could not call the webhook")));
}

TEST(DoctorDryRun, FailsWhenTheApiServerTimesOut) {
  Installation installation;
  installation.server.status = 504;
  installation.server.answer =
      R"({"kind":"Status","reason":"Timeout","code":504,"message":"Timeout: request did not )"
      R"(complete within the allotted timeout"})";
  EXPECT_THAT(findings_of(installation.examined(), "cluster.dry-run"),
              ElementsAre(is(Level::kFailed, "could not call the webhook")));
}

TEST(DoctorDryRun, RecognizesOurDenialByRuleWithoutConfigurations) {
  Installation installation;
  installation.cluster.forbid("list", "validatingwebhookconfigurations");
  installation.cluster.forbid("list", "mutatingwebhookconfigurations");
  EXPECT_THAT(findings_of(installation.examined(), "cluster.dry-run"),
              ElementsAre(is(Level::kOk, "was denied")));
  installation.server.answer = kCannotCall;
  EXPECT_THAT(findings_of(installation.examined(), "cluster.dry-run"),
              ElementsAre(is(Level::kFailed, "could not call the webhook")));
  installation.server.answer =
      R"({"kind":"Status","reason":"Invalid","code":422,"message":"admission webhook \"other\" )"
      R"(denied the request: no [not.a-rule]"})";
  EXPECT_THAT(findings_of(installation.examined(), "cluster.dry-run"),
              ElementsAre(is(Level::kSkipped, "not.a-rule")));
}

TEST(DoctorDryRun, IgnoresRuleIdsWhenConfigurationsAreKnown) {
  Installation installation;
  installation.server.answer =
      R"({"kind":"Status","reason":"Invalid","code":422,"message":"admission webhook \"other\" )"
      R"(denied the request: no [dgd.services.required]"})";
  EXPECT_THAT(findings_of(installation.examined(), "cluster.dry-run"),
              ElementsAre(is(Level::kSkipped, "other")));
}

// Selects only namespaces with a label.
void exclude_all(Installation& installation) {
  installation.server.answer.clear();
  installation.put_configurations(R"("sideEffects")",
                                  R"("namespaceSelector":{"matchLabels":{"a":"b"}},"sideEffects")");
}

TEST(DoctorDryRun, SkipsAnExcludedDefaultNamespace) {
  Installation installation;
  exclude_all(installation);
  const auto findings = findings_of(installation.examined(), "cluster.dry-run");
  ASSERT_THAT(findings, ElementsAre(is(Level::kSkipped, "exclude namespace default")));
  EXPECT_THAT(findings[0].remedy, HasSubstr("--namespace"));
}

TEST(DoctorDryRun, FailsInAnExcludedNamedNamespace) {
  Installation installation;
  exclude_all(installation);
  GatherOptions options = installation.options();
  options.dry_run_namespace = "default";
  EXPECT_THAT(
      findings_of(examine(installation.gather_evidence(options).value()), "cluster.dry-run"),
      ElementsAre(is(Level::kFailed, "exclude namespace default")));
}

// --- Missing evidence

TEST(DoctorWithoutConfigurations, UnlistedConfigurationsAreNeverOk) {
  for (const char* const plural :
       {"validatingwebhookconfigurations", "mutatingwebhookconfigurations"}) {
    Installation installation;
    installation.cluster.forbid("list", plural);
    const auto findings = installation.examined();
    for (const Check& check : checks()) {
      if (check.id.starts_with("cluster.")) continue;
      const Level level = check.id == "configuration.present" ? Level::kFailed : Level::kSkipped;
      EXPECT_THAT(findings_of(findings, check.id), ElementsAre(is(level, plural))) << check.id;
    }
  }
}

TEST(DoctorWithoutConfigurations, MissingConfigurationsAreNeverOk) {
  Installation installation;
  installation.cluster.erase(kube::kValidatingWebhookConfigurations, "", "dynamo");
  installation.cluster.erase(kube::kMutatingWebhookConfigurations, "", "dynamo");
  const auto findings = installation.examined();
  for (const Check& check : checks()) {
    if (check.id.starts_with("cluster.") || check.id == "configuration.present") continue;
    EXPECT_THAT(findings_of(findings, check.id),
                ElementsAre(is(Level::kSkipped, "no webhook calls us")))
        << check.id;
  }
}

TEST(DoctorWithoutConfigurations, AcceptsSelectorsThatSelectNeitherNamespace) {
  Installation installation;
  installation.put_configurations(R"("sideEffects")",
                                  R"("namespaceSelector":{"matchLabels":{"a":"b"}},"sideEffects")");
  installation.cluster.put(kube::kNamespaces, R"({"metadata":{"name":"kube-system","labels":{}}})");
  EXPECT_THAT(findings_of(installation.examined(), "configuration.selector"),
              ElementsAre(is(Level::kOk, "neither kube-system")));
}

TEST(Doctor, WarnsOfForgedLeases) {
  Installation installation;
  installation.put_marker("future", "them", std::chrono::hours(24 * 365));
  installation.put_marker("long", "them", 0s, std::chrono::hours(24));
  installation.put_marker("stranger", "mallory");
  installation.put_marker("other", "them");
  installation.put_marker("live", "them", 30s);
  installation.put_marker("dead", "mallory", -std::chrono::hours(1));
  GatherOptions options = installation.options();
  options.lease_trust.holders = {"th*"};
  options.lease_trust.namespaces = {"future", "long", "stranger", "live"};
  const auto findings =
      findings_of(examine(installation.gather_evidence(options).value()), "cluster.leases");
  EXPECT_THAT(
      findings,
      UnorderedElementsAre(
          is(Level::kWarning, "looks forged and is not trusted: renewTime must not be more than"),
          is(Level::kWarning,
             "looks forged and is not trusted: leaseDurationSeconds must be at most 300"),
          is(Level::kWarning, "holderIdentity must be one of --lease-holders; found \"mallory\""),
          is(Level::kWarning, "the namespace must be one of --lease-namespaces; found \"other\""),
          is(Level::kWarning, "is left to \"them\""), is(Level::kOk, "no longer live")));
}

// --- Restricted server

class DoctorOfARestrictedServer : public testing::Test {
 protected:
  DoctorOfARestrictedServer() {
    installation_.restricted_namespace = "team-a";
    installation_.cluster.put(kube::kNamespaces, R"({"metadata":{"name":"team-a","labels":{}}})");
    installation_.put_marker("team-a", "namespace-restricted-operator-1.0.0");
    // Permissions that this account should not have.
    for (const char* const verb : {"list", "watch"}) {
      installation_.cluster.forbid(verb, "leases");
    }
    installation_.labelled = false;
    installation_.put_configurations();
  }

  Installation installation_;
};

TEST_F(DoctorOfARestrictedServer, AcceptsAHealthyServer) {
  const auto findings = installation_.examined();
  for (const CheckFinding& each : findings) {
    EXPECT_TRUE(each.level == Level::kOk || each.level == Level::kSkipped)
        << each.check << ": " << each.subject << ": " << each.text;
  }
  EXPECT_THAT(findings_of(findings, "cluster.leases"), ElementsAre(is(Level::kOk, "is held by")));
  EXPECT_THAT(findings_of(findings, "cluster.dry-run"), ElementsAre(is(Level::kOk, "was denied")));
}

TEST_F(DoctorOfARestrictedServer, WarnsOfAForgedLease) {
  GatherOptions options = installation_.options();
  options.lease_trust.holders = {"namespace-restricted-operator-*"};
  installation_.put_marker("team-a", "mallory");
  EXPECT_THAT(
      findings_of(examine(installation_.gather_evidence(options).value()), "cluster.leases"),
      ElementsAre(is(Level::kWarning, "looks forged")));
}

TEST_F(DoctorOfARestrictedServer, ChecksPermissionsOfItsRole) {
  GatherOptions options = installation_.options();
  options.cluster_lookups = {"secrets"};
  const Evidence evidence = installation_.gather_evidence(options).value();
  EXPECT_THAT(in_words(evidence.rights),
              UnorderedElementsAre("create leases in team-a",
                                   "get leases/dynamo-operator-namespace-scope in team-a",
                                   "update leases/dynamo-operator-namespace-scope in team-a",
                                   "delete leases/dynamo-operator-namespace-scope in team-a",
                                   "list secrets in team-a", "watch secrets in team-a"));
}

TEST_F(DoctorOfARestrictedServer, FailsWithoutPermissionForItsLease) {
  installation_.cluster.forbid("update", "leases");
  EXPECT_THAT(findings_of(installation_.examined(), "cluster.rights"),
              Contains(is(Level::kFailed, "holding the namespace")));
}

TEST_F(DoctorOfARestrictedServer, WarnsWhenItsLeaseIsNotLive) {
  installation_.clock.tick(31s);
  EXPECT_THAT(findings_of(installation_.examined(), "cluster.leases"),
              ElementsAre(is(Level::kWarning, "found none")));
  installation_.cluster.erase(kube::kLeases, "team-a", "dynamo-operator-namespace-scope");
  EXPECT_THAT(findings_of(installation_.examined(), "cluster.leases"),
              ElementsAre(is(Level::kWarning, "found none")));
}

TEST_F(DoctorOfARestrictedServer, FailsWhenAnotherHolderHasItsNamespace) {
  for (const char* const holder : {"somebody-else", "", "namespace-restricted-operator"}) {
    installation_.put_marker("team-a", holder);
    const auto findings = findings_of(installation_.examined(), "cluster.leases");
    ASSERT_THAT(findings, ElementsAre(is(Level::kFailed, "found \"" + std::string(holder) + '"')));
    EXPECT_THAT(findings[0].remedy, HasSubstr("delete the Lease"));
  }
  installation_.clock.tick(31s);
  EXPECT_THAT(findings_of(installation_.examined(), "cluster.leases"),
              ElementsAre(is(Level::kWarning, "found none")));
}

TEST_F(DoctorOfARestrictedServer, DryRunUsesItsNamespaceByDefault) {
  EXPECT_EQ(installation_.gather_evidence()->dry_run.namespace_name, "team-a");
  GatherOptions options = installation_.options();
  options.dry_run_namespace = "other";
  EXPECT_EQ(installation_.gather_evidence(options)->dry_run.namespace_name, "other");
}

// --- Optional permissions

std::size_t asked_for(const Installation& installation, const std::string& plural) {
  return static_cast<std::size_t>(
      std::ranges::count_if(installation.cluster.calls(), [&](const test::Call& call) {
        return call.body.find('"' + plural + '"') != std::string::npos;
      }));
}

TEST(DoctorRights, UnmanagedCertificatesAreOneLine) {
  Installation installation;
  installation.labelled = false;
  installation.put_configurations();
  installation.cluster.forbid("update", "secrets");
  EXPECT_THAT(findings_of(installation.examined(), "cluster.rights"),
              ElementsAre(is(Level::kOk, "3 rights are given"),
                          is(Level::kSkipped, "nvidia.com/dynamo-webhook-inject-ca=true")));
  EXPECT_EQ(asked_for(installation, "secrets"), 0U);
}

TEST(DoctorRights, OwnSecretImpliesManagedCertificates) {
  Installation installation;
  installation.labelled = false;
  installation.put_configurations();
  installation.cluster.merge(kube::kSecrets, "dynamo-system", "cert",
                             R"({"data":{"ca.key":"AA=="}})");
  EXPECT_THAT(findings_of(installation.examined(), "cluster.rights"),
              ElementsAre(is(Level::kOk, "given")));
  EXPECT_GT(asked_for(installation, "secrets"), 0U);
}

TEST(DoctorRights, CrdInjectionRequiresCrdPermissions) {
  Installation installation;
  EXPECT_THAT(in_words(installation.gather_evidence()->rights),
              Not(Contains(HasSubstr("customresourcedefinitions"))));
  installation.cluster.forbid("patch", "customresourcedefinitions");
  GatherOptions options = installation.options();
  options.inject_crds = true;
  const Evidence evidence = installation.gather_evidence(options).value();
  EXPECT_THAT(in_words(evidence.rights),
              IsSupersetOf({"list customresourcedefinitions", "watch customresourcedefinitions",
                            "patch customresourcedefinitions/dynamographdeployments.nvidia.com"}));
  EXPECT_THAT(in_words(evidence.rights), Not(Contains("patch customresourcedefinitions")));
  EXPECT_THAT(findings_of(examine(evidence), "cluster.rights"),
              AllOf(SizeIs(4), Each(is(Level::kWarning, "--inject-crds"))));
}

// --- Unreachable API server

struct DoctorRun {
  int code;
  std::string out;
  std::string err;
};

DoctorRun run_doctor_at(Installation& installation, DoctorOptions options) {
  options.gather = installation.options();
  std::ostringstream out;
  std::ostringstream err;
  const int code = run_doctor(options, installation.server, installation.loop, "https://test",
                              installation.clock, out, err);
  return {code, out.str(), err.str()};
}

TEST(DoctorWithoutAnAnswer, PrintsJsonOnFailure) {
  Installation installation;
  installation.cluster.set_reachable(false);
  DoctorOptions options;
  options.json = true;
  const DoctorRun run = run_doctor_at(installation, options);
  EXPECT_EQ(run.code, 2);
  const auto parsed = json::parse_copy(run.out);
  ASSERT_FALSE(parsed->error) << run.out;
  const json::Value root = parsed->root();
  EXPECT_EQ(root["server"].string_or_empty(), "https://test");
  EXPECT_EQ(root["complete"].boolean(), false);
  EXPECT_NE(root["error"].string_or_empty(), "");
  EXPECT_TRUE(root["findings"].is_array());
  EXPECT_EQ(root["findings"].size(), 0U);
  EXPECT_EQ(root["failed"].integer(), 0);
  EXPECT_EQ(run.err, "doctor: " + std::string(root["error"].string_or_empty()) + '\n');
}

TEST(DoctorWithoutAnAnswer, PrintsJsonWithoutApiServer) {
  const runtime::SystemClock clock;
  DoctorOptions options;
  options.json = true;
  options.kubeconfig = "no/such/file";
  std::ostringstream out;
  std::ostringstream err;
  EXPECT_EQ(run_doctor(options, clock, out, err), 2);
  const auto parsed = json::parse_copy(out.str());
  ASSERT_FALSE(parsed->error) << out.str();
  EXPECT_THAT(parsed->root()["error"].string_or_empty(), HasSubstr("no/such/file"));
  EXPECT_EQ(parsed->root()["complete"].boolean(), false);
}

// --- Timeout

TEST(DoctorWithoutTime, ReportsPartialEvidence) {
  Installation installation;
  installation.cluster.fail({.path = "/namespaces/kube-system"},
                            {.kind = test::Fault::Kind::kNever});
  DoctorOptions options;
  options.deadline = 300ms;
  const DoctorRun run = run_doctor_at(installation, options);
  EXPECT_EQ(run.code, 2);
  EXPECT_THAT(run.out, HasSubstr("ok      configuration.present: Validating"));
  EXPECT_THAT(run.out, HasSubstr("ok      service.endpoints: "));
  EXPECT_THAT(run.out,
              HasSubstr("skipped configuration.selector: namespaceSelector: there was no time"));
  EXPECT_THAT(run.out, HasSubstr("skipped cluster.leases: leases: there was no time"));
  EXPECT_THAT(run.out, HasSubstr("skipped cluster.dry-run: dry run in default: there was no time"));
  EXPECT_THAT(run.out, HasSubstr("not complete"));
  EXPECT_THAT(run.out, Not(HasSubstr("ok      cluster.rights")));
  EXPECT_EQ(run.err, "doctor: https://test did not answer everything within 1 s\n");
}

TEST(DoctorWithoutTime, DoesNotReportUnreadServicesAsMissing) {
  Installation installation;
  installation.cluster.fail({.path = "/services/webhook"}, {.kind = test::Fault::Kind::kNever});
  DoctorOptions options;
  options.deadline = 300ms;
  const DoctorRun run = run_doctor_at(installation, options);
  EXPECT_EQ(run.code, 2);
  EXPECT_THAT(run.out, HasSubstr("skipped service.present: Service dynamo-system/webhook: "));
  EXPECT_THAT(run.out, HasSubstr("skipped service.endpoints: Service dynamo-system/webhook: "));
}

TEST(DoctorWithoutTime, StillReportsFailures) {
  Installation installation;
  installation.cluster.erase(kube::kServices, "dynamo-system", "webhook");
  installation.cluster.fail({.path = "/namespaces/kube-system"},
                            {.kind = test::Fault::Kind::kNever});
  DoctorOptions options;
  options.json = true;
  options.deadline = 300ms;
  const DoctorRun run = run_doctor_at(installation, options);
  EXPECT_EQ(run.code, 1);
  EXPECT_THAT(run.out, HasSubstr(R"("complete":false,"error":"https://test did not answer)"));
}

TEST(DoctorWithoutTime, EveryCheckReportsTheTimeout) {
  for (const CheckFinding& each : examine(Evidence())) {
    EXPECT_EQ(each.level, Level::kSkipped) << each.check << ": " << each.text;
  }
}

}  // namespace
}  // namespace dynamo::doctor
