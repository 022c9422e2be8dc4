// The doctor's findings about each endpoint of a Service.
#include "doctor/endpoints.hpp"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <algorithm>
#include <string>
#include <string_view>
#include <vector>

#include "json/writer.hpp"
#include "tests/doctor/installation.hpp"

namespace dynamo::doctor {
namespace {

using std::chrono_literals::operator""h;
using std::chrono_literals::operator""min;
using std::chrono_literals::operator""ms;
using test::ResponseMode;
using testing::AllOf;
using testing::ElementsAre;
using testing::HasSubstr;
using testing::Not;
using testing::SizeIs;

constexpr const char* kName = "webhook.dynamo-system.svc";

// The findings of one check, one line each.
std::vector<std::string> findings_of(const std::vector<CheckFinding>& findings,
                                     std::string_view check) {
  std::vector<std::string> lines;
  for (const CheckFinding& each : findings) {
    if (each.check != check) continue;
    lines.push_back(std::string(to_string(each.level)) + ": " + each.subject + ": " + each.text);
  }
  return lines;
}

class DoctorEndpoints : public testing::Test {
 protected:
  std::vector<std::string> findings_of(std::string_view check) {
    return doctor::findings_of(installation_.examined(), check);
  }
  // The endpoint under test.
  test::TlsEndpoint::Behaviour& second() { return installation_.pods[1].behaviour(); }

  Installation installation_;
};

TEST_F(DoctorEndpoints, AreReportedOnceWithTheSameCertificate) {
  EXPECT_THAT(findings_of("certificate.valid"),
              ElementsAre(AllOf(HasSubstr("ok: "), HasSubstr("valid until "),
                                HasSubstr(", at all 2 endpoints"))));
  EXPECT_THAT(findings_of("service.answers"),
              ElementsAre("ok: endpoints: each shakes hands and answers"));
}

TEST_F(DoctorEndpoints, ExpiredCertificateIsReportedPerEndpoint) {
  second().pair = installation_.issue(kName, installation_.clock.wall() - 1min);
  EXPECT_THAT(findings_of("certificate.valid"),
              ElementsAre(AllOf(HasSubstr("ok: "), HasSubstr(", at " + installation_.label(0))),
                          AllOf(HasSubstr("failed: "), HasSubstr("expired"),
                                HasSubstr(", at " + installation_.label(1)),
                                Not(HasSubstr(installation_.label(0))))));
}

TEST_F(DoctorEndpoints, WrongNameIsReportedPerEndpoint) {
  second().pair = installation_.issue("other.svc", installation_.clock.wall() + 2000h);
  EXPECT_THAT(findings_of("certificate.valid"),
              testing::Contains(AllOf(HasSubstr("failed: "), HasSubstr("found other.svc"),
                                      HasSubstr(installation_.label(1)))));
}

TEST_F(DoctorEndpoints, EqualFindingsForDifferentCertificatesAreMerged) {
  second().pair = installation_.issue(kName, installation_.clock.wall() + 24h * 60);
  EXPECT_THAT(findings_of("certificate.valid"),
              ElementsAre(AllOf(HasSubstr("ok: "), HasSubstr(", at all 2 endpoints"))));
}

TEST_F(DoctorEndpoints, UntrustedEndpointsAreReported) {
  const auto now = installation_.clock.wall();
  Installation other;
  second().pair = other.issue(kName, now + 2000h);
  const auto lines = findings_of("certificate.trusted");
  EXPECT_THAT(lines, SizeIs(admission::routes().size()));
  EXPECT_THAT(lines, testing::Each(AllOf(HasSubstr("failed: "), HasSubstr(installation_.label(1)),
                                         Not(HasSubstr(installation_.label(0))),
                                         HasSubstr("every call that is sent there fails"))));
}

TEST_F(DoctorEndpoints, UnreachableReadyEndpointIsAFinding) {
  installation_.pods[0].close();
  const auto findings = installation_.examined();
  EXPECT_THAT(doctor::findings_of(findings, "service.answers"),
              ElementsAre(AllOf(HasSubstr("failed: endpoint " + installation_.label(0)),
                                HasSubstr("is ready and must answer; cannot reach 127.0.0.1:"))));
  // The others are still checked.
  EXPECT_THAT(doctor::findings_of(findings, "certificate.valid"),
              ElementsAre(AllOf(HasSubstr("ok: "), HasSubstr(installation_.label(1)))));
}

TEST_F(DoctorEndpoints, UnreachableEndpointsAreSkipped) {
  installation_.close_pods();
  const auto findings = installation_.examined();
  EXPECT_THAT(doctor::findings_of(findings, "service.answers"),
              ElementsAre(HasSubstr("skipped: "), HasSubstr("skipped: ")));
  EXPECT_THAT(doctor::findings_of(findings, "certificate.valid"),
              ElementsAre(AllOf(HasSubstr("ok: "), HasSubstr("at Secret dynamo-system/cert"))));
}

struct EndpointFault {
  const char* name;
  ResponseMode mode;
  Level level;
  std::string_view text;
};

void PrintTo(const EndpointFault& row, std::ostream* out) {
  *out << row.name;
}

class DoctorEndpointFaults : public testing::TestWithParam<EndpointFault> {};

TEST_P(DoctorEndpointFaults, AreReported) {
  const EndpointFault& row = GetParam();
  Installation installation;
  // The healthy endpoint must answer in time on a busy machine, too.
  installation.reach = row.text.ends_with("no answer in time") ? 1500ms : 10000ms;
  installation.pods[1].behaviour().mode = row.mode;
  const auto findings = installation.examined();
  EXPECT_THAT(findings_of(findings, "service.answers"),
              ElementsAre(AllOf(HasSubstr(std::string(to_string(row.level)) + ": endpoint " +
                                          installation.label(1)),
                                HasSubstr(std::string(row.text)))));
}

INSTANTIATE_TEST_SUITE_P(
    Manners, DoctorEndpointFaults,
    testing::Values(EndpointFault{"SaysNothing", ResponseMode::kSaysNothing, Level::kFailed,
                                  "no answer in time"},
                    EndpointFault{"HangsUp", ResponseMode::kHangsUp, Level::kFailed,
                                  "shakes hands, and then must"},
                    EndpointFault{"SpeaksNoTls", ResponseMode::kNoTls, Level::kFailed,
                                  "TLS handshake failed: "},
                    EndpointFault{"DoesNotShakeHands", ResponseMode::kNoHandshake, Level::kFailed,
                                  "TLS handshake failed: no answer in time"},
                    EndpointFault{"WantsACertificate", ResponseMode::kWantsCertificate,
                                  Level::kSkipped, "asks for a client's certificate"}),
    [](const auto& instance) { return std::string(instance.param.name); });

TEST_F(DoctorEndpoints, EndpointsWithoutTlsFail) {
  installation_.pods[0].close();
  second().mode = ResponseMode::kNoTls;
  EXPECT_THAT(findings_of("service.answers"),
              ElementsAre(HasSubstr("skipped: endpoint " + installation_.label(0)),
                          HasSubstr("failed: endpoint " + installation_.label(1))));
}

TEST_F(DoctorEndpoints, EndpointsWithHttpErrorsAreReported) {
  second().status = 503;
  EXPECT_THAT(findings_of("service.answers"),
              ElementsAre(AllOf(HasSubstr("warning: endpoint " + installation_.label(1)),
                                HasSubstr("found 503"))));
}

TEST_F(DoctorEndpoints, ClockDifferencesAreReported) {
  second().time = installation_.clock.wall() - 6min;
  EXPECT_THAT(findings_of("cluster.clock"),
              ElementsAre(HasSubstr("ok: clock: "),
                          AllOf(HasSubstr("failed: clock of endpoint " + installation_.label(1)),
                                HasSubstr("behind"))));
}

TEST_F(DoctorEndpoints, ClocksAreComparedWithTheApiServer) {
  installation_.server.set_date(installation_.clock.wall() - 6min);
  for (test::TlsEndpoint& pod : installation_.pods) {
    pod.behaviour().time = installation_.clock.wall() - 6min;
  }
  EXPECT_THAT(
      findings_of("cluster.clock"),
      ElementsAre(HasSubstr("failed: clock: "), HasSubstr("ok: clocks of the endpoints: ")));
}

TEST_F(DoctorEndpoints, NumberOfProbesIsBounded) {
  while (installation_.pods.size() < kMaxEndpointsAsked + 4) installation_.add_pod();
  installation_.put_endpoints(installation_.pods.size());
  const auto findings = installation_.examined();
  std::size_t asked = 0;
  for (const test::TlsEndpoint& pod : installation_.pods) asked += pod.connections();
  EXPECT_EQ(asked, kMaxEndpointsAsked);
  EXPECT_THAT(doctor::findings_of(findings, "service.answers"),
              ElementsAre(HasSubstr("skipped: Service dynamo-system/webhook: 4 of 20 ready "
                                    "endpoints were not checked")));
  EXPECT_THAT(doctor::findings_of(findings, "certificate.valid"),
              ElementsAre(HasSubstr("all 16 endpoints that were reached")));
  EXPECT_THAT(doctor::findings_of(findings, "service.endpoints"),
              ElementsAre(HasSubstr("20 ready")));
}

TEST_F(DoctorEndpoints, HangingEndpointsRespectTheTimeLimit) {
  while (installation_.pods.size() < kMaxEndpointsAsked) installation_.add_pod();
  for (test::TlsEndpoint& pod : installation_.pods)
    pod.behaviour().mode = ResponseMode::kNoHandshake;
  installation_.put_endpoints(installation_.pods.size());
  installation_.reach = 600ms;
  installation_.all_reach = 300ms;
  const auto findings = installation_.examined();
  std::size_t asked = 0;
  for (const test::TlsEndpoint& pod : installation_.pods) asked += pod.connections();
  EXPECT_LE(asked, 4U);
  EXPECT_THAT(doctor::findings_of(findings, "service.answers"),
              testing::Contains(HasSubstr("of 16 ready endpoints were not checked")));
}

TEST_F(DoctorEndpoints, UsesTheFirstAddressFamilyOfTheService) {
  ServiceEvidence service;
  service.service.value =
      kube::Object::parse(R"({"spec":{"ipFamilies":["IPv6","IPv4"],"ports":[{"port":443}]}})")
          .value();
  for (const auto& [family, address] :
       {std::pair("IPv4", "10.0.0.3"), std::pair("IPv6", "fd::3")}) {
    service.endpoint_slices.value.push_back(
        kube::Object::parse(R"({"addressType":")" + std::string(family) +
                            R"(","ports":[{"port":9443}],"endpoints":[{"addresses":[")" + address +
                            R"("],"targetRef":{"name":"a"}}]})")
            .value());
  }
  const auto found = ready_endpoints(service);
  ASSERT_THAT(found, SizeIs(1));
  EXPECT_EQ(found.front().label(), "[fd::3]:9443 (pod a)");
}

TEST_F(DoctorEndpoints, SecretAppliesOnlyToItsNamespace) {
  std::string other = json::to_text(
      installation_.cluster.find(kube::kMutatingWebhookConfigurations, "", "dynamo")->root());
  Installation::put_in(other, R"("namespace":"dynamo-system")", R"("namespace":"elsewhere")");
  Installation::put_in(other, R"("name":"dynamo")", R"("name":"other")");
  installation_.cluster.put(kube::kMutatingWebhookConfigurations, other);
  const auto lines = findings_of("certificate.valid");
  EXPECT_THAT(lines, SizeIs(2));
  EXPECT_THAT(lines, testing::Contains(
                         AllOf(HasSubstr("skipped: certificate of elsewhere/webhook: there is no"),
                               Not(HasSubstr("Secret")))));
  EXPECT_THAT(findings_of("certificate.trusted"), testing::Each(Not(HasSubstr("failed: "))));
}

TEST_F(DoctorEndpoints, AreMatchedByServicePort) {
  // The validating webhooks call another port of the Service, which serves another CA's leaf.
  const std::string mutating = json::to_text(
      installation_.cluster.find(kube::kMutatingWebhookConfigurations, "", "dynamo")->root());
  installation_.put_configurations(R"("name":"webhook","path")",
                                   R"("name":"webhook","port":8443,"path")");
  installation_.cluster.put(kube::kMutatingWebhookConfigurations, mutating);
  installation_.cluster.put(kube::kServices,
                            R"({"metadata":{"name":"webhook","namespace":"dynamo-system"},"spec":)"
                            R"({"ports":[{"name":"a","port":443},{"name":"b","port":8443}]}})");
  std::string slice = R"({"metadata":{"name":"webhook-0","namespace":"dynamo-system",)"
                      R"("labels":{"kubernetes.io/service-name":"webhook"}},"ports":)"
                      R"([{"name":"a","port":FIRST},{"name":"b","port":SECOND}],)"
                      R"("endpoints":[{"addresses":["127.0.0.1"]}]})";
  Installation::put_in(slice, "FIRST", std::to_string(installation_.ports[0]));
  Installation::put_in(slice, "SECOND", std::to_string(installation_.ports[1]));
  installation_.put_endpoints(0);
  installation_.cluster.put(kube::kEndpointSlices, slice);
  Installation other;
  second().pair = other.issue(kName, installation_.clock.wall() + 2000h);

  const auto lines = findings_of("certificate.trusted");
  EXPECT_THAT(lines, testing::Not(testing::IsEmpty()));
  EXPECT_THAT(lines, testing::Each(HasSubstr("failed: ValidatingWebhookConfiguration/")));
}

}  // namespace
}  // namespace dynamo::doctor
