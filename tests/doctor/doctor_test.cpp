#include "doctor/doctor.hpp"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <algorithm>
#include <functional>
#include <iterator>
#include <set>
#include <span>
#include <sstream>
#include <string>
#include <string_view>
#include <vector>

#include "doctor/report.hpp"
#include "doctor/rights.hpp"
#include "json/writer.hpp"
#include "tests/doctor/installation.hpp"

namespace dynamo::doctor {
namespace {

using std::chrono_literals::operator""h;
using std::chrono_literals::operator""min;
using std::chrono_literals::operator""s;
using testing::Each;
using testing::ElementsAre;
using testing::IsEmpty;

std::string in_words(const std::vector<CheckFinding>& findings) {
  std::string words;
  for (const CheckFinding& each : findings) {
    if (each.level == Level::kOk) continue;
    words += std::string(to_string(each.level)) + ' ' + std::string(each.check) + ": " +
             each.subject + ": " + each.text + '\n';
  }
  return words;
}

// The levels of one check's findings.
std::vector<Level> levels(const std::vector<CheckFinding>& findings, std::string_view check) {
  std::vector<Level> found;
  for (const CheckFinding& each : findings) {
    if (each.check == check) found.push_back(each.level);
  }
  return found;
}

void put_external_name(Installation& installation) {
  installation.cluster.put(kube::kServices,
                           R"({"metadata":{"name":"webhook","namespace":"dynamo-system"},)"
                           R"("spec":{"type":"ExternalName","externalName":"there.example"}})");
  installation.put_endpoints(0);
}

TEST(Doctor, AcceptsACallableExternalName) {
  Installation installation;
  put_external_name(installation);
  const auto findings = installation.examined();
  EXPECT_THAT(levels(findings, "service.present"), ElementsAre(Level::kOk));
  EXPECT_THAT(levels(findings, "service.endpoints"), ElementsAre(Level::kSkipped));
  EXPECT_EQ(exit_code(findings), 0) << in_words(findings);
}

TEST(Doctor, AcceptsAHealthyInstallation) {
  Installation installation;
  installation.put_operator();
  installation.put_definitions();
  installation.generation = Installation::Generation::kLater;
  installation.put_configurations();
  const auto findings = installation.examined();
  EXPECT_EQ(in_words(findings), "");
  for (const Check& check : checks()) {
    EXPECT_TRUE(std::ranges::any_of(
        findings, [&](const CheckFinding& each) { return each.check == check.id; }))
        << check.id << " says that all is well";
  }
}

struct Problem {
  const char* name;
  std::function<void(Installation&)> cause;
  std::string_view check;
  Level level;
  std::string_view text;  // a part of it
};

void PrintTo(const Problem& problem, std::ostream* out) {
  *out << problem.name;
}

class DoctorFinds : public testing::TestWithParam<Problem> {};

TEST_P(DoctorFinds, ReportsTheProblem) {
  const Problem& problem = GetParam();
  Installation installation;
  problem.cause(installation);
  const auto findings = installation.examined();
  const bool found = std::ranges::any_of(findings, [&](const CheckFinding& each) {
    return each.check == problem.check && each.level == problem.level &&
           each.text.find(problem.text) != std::string::npos &&
           (each.level == Level::kSkipped || !each.remedy.empty());
  });
  EXPECT_TRUE(found) << in_words(findings);
}

Problem misconfigured(const char* name, const std::string& from, const std::string& to,
                      std::string_view check, Level level, std::string_view text) {
  return {name,
          [from, to](Installation& installation) { installation.put_configurations(from, to); },
          check, level, text};
}

INSTANTIATE_TEST_SUITE_P(
    Configurations, DoctorFinds,
    testing::Values(
        Problem{"None",
                [](Installation& i) {
                  i.cluster.erase(kube::kValidatingWebhookConfigurations, "", "dynamo");
                },
                "configuration.present", Level::kFailed, "found none"},
        Problem{"NoDefaulting",
                [](Installation& i) {
                  i.cluster.erase(kube::kMutatingWebhookConfigurations, "", "dynamo");
                },
                "configuration.present", Level::kWarning, "nothing is defaulted"},
        Problem{
            "MayNotLook",
            [](Installation& i) { i.cluster.forbid("list", "validatingwebhookconfigurations"); },
            "configuration.present", Level::kFailed, "Forbidden"},
        misconfigured("UpdatesNotSent", R"("CREATE","UPDATE")", R"("CREATE")",
                      "configuration.rules", Level::kWarning, "UPDATE must be sent"),
        misconfigured("OneKindNotSent", R"(["dynamomodels"])", R"(["others"])",
                      "configuration.rules", Level::kWarning, "dynamomodel"),
        misconfigured("EveryGroup", R"(["nvidia.com"])", R"(["*"])", "configuration.narrow",
                      Level::kFailed, "found *"),
        misconfigured("AnotherGroup", R"(["nvidia.com"])", R"(["apps"])", "configuration.narrow",
                      Level::kWarning, "another group"),
        misconfigured("LocksItselfOut", R"(["nvidia.com"])", R"(["nvidia.com","*"])",
                      "configuration.selector", Level::kFailed, "kube-system and dynamo-system"),
        misconfigured("TimeoutTooLong", R"("timeoutSeconds":10)", R"("timeoutSeconds":30)",
                      "configuration.timeout", Level::kWarning, "found 30"),
        misconfigured("TimeoutTooShort", R"("timeoutSeconds":10)", R"("timeoutSeconds":1)",
                      "configuration.timeout", Level::kWarning, "found 1"),
        misconfigured("Ignore", R"("failurePolicy":"Fail")", R"("failurePolicy":"Ignore")",
                      "configuration.failure-policy", Level::kWarning, "Ignore"),
        misconfigured("OldReviews", R"(["v1"])", R"(["v1beta1"])", "configuration.protocol",
                      Level::kFailed, "v1"),
        misconfigured("SideEffects", R"("sideEffects":"None")", R"("sideEffects":"Unknown")",
                      "configuration.protocol", Level::kWarning, "dry runs are refused"),
        misconfigured("Exact", R"("Equivalent")", R"("Exact")", "configuration.protocol",
                      Level::kWarning, "matchPolicy"),
        misconfigured("NoBundle", R"("caBundle":")", R"("not":")", "configuration.ca-bundle",
                      Level::kFailed, "found none"),
        misconfigured("NoPem", R"("caBundle":")", R"("caBundle":"AAAA)", "configuration.ca-bundle",
                      Level::kFailed, "caBundle"),
        Problem{"SentTwice",
                [](Installation& i) {
                  const auto first =
                      i.cluster.find(kube::kValidatingWebhookConfigurations, "", "dynamo");
                  std::string copy = R"({"metadata":{"name":"other"},"webhooks":)";
                  copy += json::to_text(first->root()["webhooks"]) + "}";
                  i.cluster.put(kube::kValidatingWebhookConfigurations, copy);
                },
                "configuration.once", Level::kWarning, "is sent it as well"}),
    [](const auto& instance) { return std::string(instance.param.name); });

INSTANTIATE_TEST_SUITE_P(
    ServiceAndCertificate, DoctorFinds,
    testing::Values(
        Problem{
            "NoService",
            [](Installation& i) { i.cluster.erase(kube::kServices, "dynamo-system", "webhook"); },
            "service.present", Level::kFailed, "NotFound"},
        Problem{"NoRightToServices", [](Installation& i) { i.cluster.forbid("get", "services"); },
                "service.present", Level::kSkipped, "Forbidden"},
        Problem{"AnotherPort",
                [](Installation& i) {
                  i.cluster.put(kube::kServices,
                                R"({"metadata":{"name":"webhook","namespace":"dynamo-system"},)"
                                R"("spec":{"ports":[{"port":8443}]}})");
                },
                "service.present", Level::kFailed, "port 443"},
        Problem{"ExternalName",
                [](Installation& i) {
                  i.cluster.put(kube::kServices,
                                R"({"metadata":{"name":"webhook","namespace":"dynamo-system"},)"
                                R"("spec":{"type":"ExternalName","ports":[{"port":443}]}})");
                },
                "service.present", Level::kFailed, "externalName; found none"},
        Problem{"ExternalNameThatIsNotCalled",
                [](Installation& i) {
                  put_external_name(i);
                  i.server.answer.clear();
                },
                "service.present", Level::kWarning, "which leads to there.example:443"},
        Problem{"NothingReady", [](Installation& i) { i.put_endpoints(0); }, "service.endpoints",
                Level::kFailed, "found none"},
        Problem{"OneReplica", [](Installation& i) { i.put_endpoints(1); }, "service.endpoints",
                Level::kWarning, "one ready endpoint"},
        Problem{"Expired",
                [](Installation& i) {
                  i.put_secret("webhook.dynamo-system.svc", i.clock.wall() - 1min);
                },
                "certificate.valid", Level::kFailed, "expired"},
        Problem{"EndsSoon",
                [](Installation& i) {
                  i.put_secret("webhook.dynamo-system.svc", i.clock.wall() + 48h, 2000h);
                },
                "certificate.valid", Level::kWarning, "ends in 2d"},
        Problem{"ShortOneEndsSoon",
                [](Installation& i) {
                  i.put_secret("webhook.dynamo-system.svc", i.clock.wall() + 59h, 181h);
                },
                "certificate.valid", Level::kWarning, "ends in 2d11h"},
        Problem{"AnotherName",
                [](Installation& i) { i.put_secret("other.svc", i.clock.wall() + 2000h); },
                "certificate.valid", Level::kFailed, "found other.svc"},
        Problem{"NoSecret",
                [](Installation& i) {
                  i.close_pods();
                  i.cluster.erase(kube::kSecrets, "dynamo-system", "cert");
                },
                "certificate.valid", Level::kSkipped, "cannot reach 127.0.0.1:"},
        Problem{"AnotherCa",
                [](Installation& i) {
                  const auto now = i.clock.wall();
                  i.ca = certs::make_ca("test", now - 1h, now + 2000h).value();
                  i.put_secret("webhook.dynamo-system.svc", now + 2000h);
                },
                "certificate.trusted", Level::kFailed, "every call fails"},
        Problem{"EndedCa",
                [](Installation& i) {
                  const auto now = i.clock.wall();
                  i.ca = certs::make_ca("test", now - 2000h, now - 1h).value();
                  i.put_secret("webhook.dynamo-system.svc", now + 2000h);
                  i.put_configurations();
                },
                "certificate.trusted", Level::kFailed, "every call fails"}),
    [](const auto& instance) { return std::string(instance.param.name); });

INSTANTIATE_TEST_SUITE_P(
    Cluster, DoctorFinds,
    testing::Values(
        Problem{"ClockFiveMinutesOff",
                [](Installation& i) { i.server.set_date(i.clock.wall() - 5min); }, "cluster.clock",
                Level::kFailed, "5m ahead"},
        Problem{"ClockTwoMinutesOff",
                [](Installation& i) { i.server.set_date(i.clock.wall() + 2min); }, "cluster.clock",
                Level::kWarning, "2m behind"},
        Problem{"NoRightToLeases", [](Installation& i) { i.cluster.forbid("watch", "leases"); },
                "cluster.rights", Level::kFailed, "must be allowed"},
        Problem{"NoRightToSecrets", [](Installation& i) { i.cluster.forbid("update", "secrets"); },
                "cluster.rights", Level::kWarning, "managed certificates"},
        Problem{"LiveLease", [](Installation& i) { i.put_marker("a", "them"); }, "cluster.leases",
                Level::kWarning, "\"them\""},
        Problem{"Admitted", [](Installation& i) { i.server.answer.clear(); }, "cluster.dry-run",
                Level::kFailed, "it was admitted"},
        Problem{
            "NotCalled",
            [](Installation& i) {
              i.server.status = 500;
              i.server.answer =
                  R"({"kind":"Status","reason":"InternalError","code":500,"message":)"
                  R"("failed calling webhook \"v.dynamographdeployments\": x509: unknown authority"})";
            },
            "cluster.dry-run", Level::kFailed, "unknown authority"},
        Problem{"DeniedByAnotherWebhook",
                [](Installation& i) {
                  i.server.answer =
                      R"({"kind":"Status","reason":"Invalid","code":422,"message":)"
                      R"("admission webhook \"other.example\" denied the request: no"})";
                },
                "cluster.dry-run", Level::kSkipped, "other.example"},
        Problem{"NoDefinitions",
                [](Installation& i) {
                  i.server.status = 404;
                  i.server.answer = "404 page not found";
                },
                "cluster.dry-run", Level::kSkipped, "404"}),
    [](const auto& instance) { return std::string(instance.param.name); });

TEST(Doctor, AcceptsSelectorsOfWebhooksWithOnlyOurResources) {
  Installation installation;
  const auto reported = levels(installation.examined(), "configuration.selector");
  EXPECT_FALSE(reported.empty());
  EXPECT_THAT(reported, Each(Level::kOk));
}

TEST(Doctor, AcceptsAWildcardCertificate) {
  Installation installation;
  installation.put_secret("*.dynamo-system.svc", installation.clock.wall() + 2000h);
  EXPECT_THAT(levels(installation.examined(), "certificate.valid"), ElementsAre(Level::kOk));
}

TEST(Doctor, AcceptsShortLivedCertificatesBeforeRenewal) {
  Installation installation;
  for (const std::chrono::hours age : {0h, 179h}) {
    installation.put_secret("webhook.dynamo-system.svc", installation.clock.wall() + 240h - age,
                            age);
    EXPECT_THAT(levels(installation.examined(), "certificate.valid"), ElementsAre(Level::kOk))
        << age.count();
  }
}

TEST(Doctor, AcceptsShortLivedCasBeforeRotation) {
  for (const std::chrono::hours age : {1h, 193h, 220h}) {
    Installation installation;
    const auto now = installation.clock.wall();
    installation.ca = certs::make_ca("test", now - age, now + 240h - age).value();
    installation.put_configurations();
    const Level wanted = age < 200h ? Level::kOk : Level::kWarning;
    EXPECT_THAT(levels(installation.examined(), "configuration.ca-bundle"), Each(wanted))
        << age.count();
  }
}

TEST(Doctor, ChecksWebhooksWithUrls) {
  Installation installation;
  installation.by_url = true;
  // For a URL the API server's own root certificates may suffice.
  installation.put_configurations(R"("caBundle":")", R"("not":")");
  const auto findings = installation.examined();
  EXPECT_THAT(levels(findings, "configuration.present"), Each(Level::kOk));
  EXPECT_THAT(levels(findings, "configuration.rules"), ElementsAre(Level::kOk));
  EXPECT_THAT(levels(findings, "configuration.ca-bundle"), ElementsAre(Level::kOk));
}

TEST(Doctor, ChangesNothing) {
  Installation installation;
  ASSERT_TRUE(installation.gather_evidence());
  for (const test::Call& call : installation.cluster.calls()) {
    const bool only_asks = call.method == kube::HttpMethod::kGet ||
                           call.target.find("accessreviews") != std::string::npos ||
                           call.target.find("dryRun=All") != std::string::npos;
    EXPECT_TRUE(only_asks) << call.target;
  }
}

TEST(Doctor, SkipsServerPermissionsForTheCallersAccount) {
  Installation installation;
  const auto evidence = installation.gather_evidence(GatherOptions());
  EXPECT_THAT(levels(examine(evidence.value()), "cluster.rights"), ElementsAre(Level::kSkipped));
}

TEST(Doctor, CountsAPodOfTwoFamiliesOnce) {
  Installation installation;
  installation.put_endpoints(0);
  for (const char* const slice : {"webhook-1", "webhook-2"}) {
    installation.cluster.put(
        kube::kEndpointSlices,
        R"({"metadata":{"name":")" + std::string(slice) + R"(","namespace":"dynamo-system",)" +
            R"("labels":{"kubernetes.io/service-name":"webhook"}},"ports":[{"port":1}],)" +
            R"("endpoints":[{"addresses":["127.0.0.1"],"targetRef":{"name":"pod-a"}}]})");
  }
  EXPECT_THAT(levels(installation.examined(), "service.endpoints"), ElementsAre(Level::kWarning));
}

TEST(Doctor, ChecksPermissionsOfTheNamedServiceAccount) {
  Installation installation;
  GatherOptions options;
  options.service_account = "dynamo-system/webhook";
  ASSERT_TRUE(installation.gather_evidence(options));
  EXPECT_GT(installation.cluster.count({.path = "/subjectaccessreviews"}), 0U);
  EXPECT_EQ(installation.cluster.count({.path = "/selfsubjectaccessreviews"}), 0U);
}

// A restricted installation next to a cluster-wide one, each with its own Service and its own
// managed certificates.
class DoctorOfTwoInstallations : public testing::Test {
 protected:
  DoctorOfTwoInstallations() {
    for (const kube::Resource& resource :
         {kube::kValidatingWebhookConfigurations, kube::kMutatingWebhookConfigurations}) {
      std::string other = json::to_text(installation_.cluster.find(resource, "", "dynamo")->root());
      Installation::put_in(other, R"("name":"dynamo")", R"("name":"restricted")");
      Installation::put_in(other, R"("namespace":"dynamo-system")", R"("namespace":"beside")");
      Installation::put_in(other, R"("sideEffects")",
                           R"("namespaceSelector":{"matchLabels":)"
                           R"({"kubernetes.io/metadata.name":"team-a"}},"sideEffects")");
      installation_.cluster.put(resource, other);
    }
    installation_.put_marker("team-a", "namespace-restricted-operator-1.0.0");
  }

  Evidence gather_evidence(const std::string& account) {
    GatherOptions options;
    options.service_account = account;
    return installation_.gather_evidence(options).value();
  }

  Installation installation_;
};

TEST_F(DoctorOfTwoInstallations, ChecksPermissionsOfTheNamedInstallation) {
  const Evidence evidence = gather_evidence("dynamo-system/webhook");
  std::set<std::string> namespaces;
  std::set<std::string> patched;
  for (const RightEvidence& right : evidence.rights) {
    namespaces.insert(right.namespace_name);
    if (right.verb == "patch" && !right.name.empty()) patched.insert(right.name);
  }
  EXPECT_THAT(namespaces, ElementsAre("", "dynamo-system"));
  EXPECT_THAT(patched, ElementsAre("dynamo"));
}

TEST_F(DoctorOfTwoInstallations, FindsItsOwnInstallationInAPod) {
  GatherOptions options = installation_.options();
  options.pod_namespace = "dynamo-system";
  const Evidence evidence = installation_.gather_evidence(options).value();
  EXPECT_TRUE(std::ranges::none_of(evidence.rights, [](const RightEvidence& right) {
    return right.namespace_name == "beside" || right.name == "restricted";
  }));
}

TEST_F(DoctorOfTwoInstallations, SkipsCertificatePermissionsForAnAccountElsewhere) {
  const Evidence evidence = gather_evidence("elsewhere/webhook");
  EXPECT_FALSE(evidence.managed.has_value());
  EXPECT_NE(evidence.managed.problem.find("calls a Service in namespace elsewhere"),
            std::string::npos)
      << evidence.managed.problem;
  for (const RightEvidence& right : evidence.rights) {
    EXPECT_EQ(right.needed_for.find("certificates"), std::string::npos) << right.needed_for;
  }
}

TEST_F(DoctorOfTwoInstallations, MarkerLeasePreventsOverlap) {
  const auto levels_now = [this] {
    return levels(examine(gather_evidence("dynamo-system/webhook")), "configuration.once");
  };
  EXPECT_THAT(levels_now(), ElementsAre(Level::kOk));
  installation_.cluster.forbid("list", "leases");
  EXPECT_THAT(levels_now(), Each(Level::kSkipped));
}

TEST_F(DoctorOfTwoInstallations, FindsOverlapWithoutLiveTrustedMarkerLease) {
  GatherOptions options;
  options.lease_trust.holders = {"nobody"};
  const auto levels_now = [&] {
    return levels(examine(installation_.gather_evidence(options).value()), "configuration.once");
  };
  EXPECT_THAT(levels_now(), Each(Level::kWarning));
  options.lease_trust.holders.clear();
  EXPECT_THAT(levels_now(), ElementsAre(Level::kOk));
  installation_.clock.tick(31s);
  EXPECT_THAT(levels_now(), Each(Level::kWarning));
}

TEST_F(DoctorOfTwoInstallations, RestrictedServerChecksItsOwnMarkerLease) {
  GatherOptions options;
  options.restricted_namespace = "team-a";
  EXPECT_THAT(levels(examine(installation_.gather_evidence(options).value()), "configuration.once"),
              ElementsAre(Level::kOk));
  options.restricted_namespace = "team-b";
  EXPECT_THAT(levels(examine(installation_.gather_evidence(options).value()), "configuration.once"),
              Each(Level::kSkipped));
}

TEST(Doctor, ChecksSecretPermissionsByName) {
  Evidence evidence;
  evidence.managed.set(true);
  evidence.services.resize(2);
  evidence.services[0].namespace_name = "configured";
  evidence.services[1].namespace_name = "untold";
  std::set<std::string> asked;
  Duties duties;
  duties.secret = "configured/pair";
  for (const RightEvidence& right : needed_rights(evidence, duties)) {
    if (right.resource != "secrets") continue;
    asked.insert(right.verb + " " + right.namespace_name + "/" + right.name);
    EXPECT_EQ(right.name_is_guessed, right.name == "dynamo-webhook-cert") << right.verb;
  }
  const std::set<std::string> wanted{"create configured/",
                                     "list configured/pair",
                                     "update configured/pair",
                                     "watch configured/pair",
                                     "create untold/",
                                     "list untold/dynamo-webhook-cert",
                                     "update untold/dynamo-webhook-cert",
                                     "watch untold/dynamo-webhook-cert"};
  EXPECT_EQ(asked, wanted);
}

TEST(Doctor, SkipsPermissionsForAGuessedSecretName) {
  Installation installation;
  installation.cluster.forbid("list", "secrets");
  installation.cluster.forbid("update", "secrets");
  GatherOptions options = installation.options();
  EXPECT_THAT(levels(examine(installation.gather_evidence(options).value()), "cluster.rights"),
              ElementsAre(Level::kWarning, Level::kWarning));
  options.secret.clear();
  std::vector<CheckFinding> reported;
  std::ranges::copy_if(examine(installation.gather_evidence(options).value()),
                       std::back_inserter(reported),
                       [](const CheckFinding& each) { return each.check == "cluster.rights"; });
  ASSERT_EQ(reported.size(), 1U) << in_words(reported);
  EXPECT_EQ(reported[0].level, Level::kSkipped);
  EXPECT_EQ(reported[0].subject, "rights to the Secret in namespace dynamo-system");
  EXPECT_NE(reported[0].text.find("dynamo-webhook-cert"), std::string::npos) << reported[0].text;
  EXPECT_EQ(reported[0].remedy, "name it with --secret dynamo-system/NAME");
}

TEST(Doctor, ChecksLookupPermissionsOnlyOnRequest) {
  const auto asked = [](std::span<const api::LookupKind> lookups) {
    std::vector<std::string> rights;
    Duties duties;
    duties.lookups = lookups;
    for (const RightEvidence& right : needed_rights({}, duties)) {
      if (right.needed_for != "--cluster-lookups") continue;
      rights.push_back(right.verb + " " + right.resource + "." + right.group);
    }
    return rights;
  };
  EXPECT_THAT(asked({}), IsEmpty());
  EXPECT_THAT(
      asked(std::vector{api::LookupKind::kGraphDeployment, api::LookupKind::kSecret}),
      ElementsAre("list dynamographdeployments.nvidia.com",
                  "watch dynamographdeployments.nvidia.com", "list secrets.", "watch secrets."));
}

TEST(Doctor, PrintsNoReportWithoutApiServer) {
  Installation installation;
  installation.cluster.set_reachable(false);
  EXPECT_FALSE(installation.gather_evidence());
}

TEST(Doctor, ReportsAMissingClusterInOneLine) {
  const runtime::SystemClock clock;
  std::ostringstream out;
  std::ostringstream err;
  EXPECT_EQ(run_doctor({}, clock, out, err), 2);
  EXPECT_EQ(out.str(), "");
  EXPECT_EQ(err.str(), "doctor: no cluster to check: name a kubeconfig with --kubeconfig\n");
}

TEST(Doctor, ReportsKubeconfigErrorsInOneLine) {
  const runtime::SystemClock clock;
  std::ostringstream out;
  std::ostringstream err;
  DoctorOptions options;
  options.kubeconfig = "no/such/file";
  EXPECT_EQ(run_doctor(options, clock, out, err), 2);
  EXPECT_NE(err.str().find("no/such/file"), std::string::npos);
  EXPECT_EQ(std::ranges::count(err.str(), '\n'), 1);
}

}  // namespace
}  // namespace dynamo::doctor
