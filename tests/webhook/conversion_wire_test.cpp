// Conversion over real TLS on loopback: the outcome of good and bad requests, byte by byte.
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <algorithm>
#include <optional>
#include <string>
#include <vector>

#include "json/writer.hpp"
#include "tests/support/conversion_review.hpp"
#include "tests/support/golden.hpp"
#include "tests/support/temporary_directory.hpp"
#include "tests/support/tls_client.hpp"
#include "tests/webhook/program_fixture.hpp"
#include "webhook/webhook.hpp"

namespace dynamo::webhook {
namespace {

using test::accept_conversion;
using test::ClientAnswer;
using test::conversion_review;
using test::ConversionCheck;
using test::TlsClient;
using ::testing::AnyOf;
using ::testing::HasSubstr;
using ::testing::Not;

constexpr std::string_view kToAlpha = "nvidia.com/v1alpha1";
constexpr std::string_view kToBeta = "nvidia.com/v1beta1";

std::string conversion_post(std::string_view body) {
  return "POST /convert HTTP/1.1\r\nHost: dynamo-webhook.dynamo.svc\r\n"
         "Content-Type: application/json\r\nContent-Length: " +
         std::to_string(body.size()) + "\r\n\r\n" + std::string(body);
}

// An object with these annotations and this spec (JSON).
std::string converted_object(std::string_view version, std::string_view kind,
                             std::string_view annotations = "{}", std::string_view spec = "{}") {
  return R"({"apiVersion":")" + std::string(version) + R"(","kind":")" + std::string(kind) +
         R"(","metadata":{"name":"g","namespace":"team","uid":"u","annotations":)" +
         std::string(annotations) + R"(},"spec":)" + std::string(spec) + "}";
}

std::string alpha_graph_of(std::string_view spec) {
  return converted_object(kToAlpha, "DynamoGraphDeployment", "{}", spec);
}

class ConversionWireTest : public ProgramTest {
 protected:
  ConversionWireTest() {
    options_.cert_mode = CertMode::kSelfSigned;
    options_.cert_dir = directory_.path();
  }
  ~ConversionWireTest() override {
    client_.reset();  // the server waits two seconds for a client that does not close
    webhook_.reset();
  }

  void SetUp() override {
    webhook_.emplace(options_, WebhookDependencies{.log = log_, .clock = clock_});
    const auto started = webhook_->start();
    ASSERT_TRUE(started) << started.error().text;
    ASSERT_TRUE(
        comes_true([this] { return get(webhook_->probe_port(), "/readyz").status == 200; }));
    client_.emplace(client_options());
  }

  test::TlsClientOptions client_options() const {
    test::TlsClientOptions client;
    client.port = webhook_->port();
    client.ca_pem = test::read_file(directory_.path() / "ca.crt");
    return client;
  }

  // The API server's view of the answer. A failure must have a reason.
  ConversionCheck convert(std::string_view version, const std::vector<std::string>& objects) {
    const std::string review = conversion_review(version, objects);
    const ClientAnswer answer = client_->ask(conversion_post(review));
    EXPECT_EQ(answer.status, 200U);
    EXPECT_EQ(answer.header("content-type"), "application/json");
    ConversionCheck check = accept_conversion(review, answer.body);
    EXPECT_EQ(check.complaint, "");
    return check;
  }

  const test::TemporaryDirectory directory_;
  std::optional<Webhook> webhook_;
  std::optional<TlsClient> client_;
};

TEST_F(ConversionWireTest, EveryKindIsConvertedBothWays) {
  for (const std::string_view kind :
       {"DynamoGraphDeployment", "DynamoComponentDeployment", "DynamoGraphDeploymentRequest",
        "DynamoGraphDeploymentScalingAdapter"}) {
    SCOPED_TRACE(kind);
    const ConversionCheck beta = convert(kToBeta, {converted_object(kToAlpha, kind)});
    ASSERT_TRUE(beta.is_success) << beta.message;
    EXPECT_TRUE(convert(kToAlpha, beta.objects).is_success);
  }
}

TEST_F(ConversionWireTest, UnconvertibleObjectsFailWithReason) {
  const std::string good = converted_object(kToAlpha, "DynamoGraphDeployment");
  const struct {
    std::string version;
    std::vector<std::string> objects;
    std::string_view says;
  } rows[] = {
      {"nvidia.com/v2", {good}, "request.desiredAPIVersion: must be \"nvidia.com/v1alpha1\" or"},
      {"", {good}, "request.desiredAPIVersion: must be"},
      {"v1beta1", {good}, "found \"v1beta1\""},
      {"apps/v1beta1", {good}, "found \"apps/v1beta1\""},
      {std::string(kToBeta),
       {converted_object("apps/v1", "Deployment")},
       "team/g: cannot convert apiVersion \"apps/v1\", kind \"Deployment\""},
      {std::string(kToBeta), {converted_object("nvidia.com/v2", "DynamoGraphDeployment")}, "v2"},
      {std::string(kToBeta), {converted_object(kToAlpha, "DynamoModel")}, "\"DynamoModel\""},
      {std::string(kToBeta), {converted_object(kToAlpha, "dynamographdeployment")}, "kind"},
      {std::string(kToBeta),
       {good, converted_object(kToBeta, "DynamoGraphDeployment")},
       "the object has version nvidia.com/v1beta1 already"},
      {std::string(kToBeta), {good, "null"}, "request.objects[1]: "},
      {std::string(kToBeta), {"[]"}, "request.objects[0]: "},
      {std::string(kToBeta), {"7", good}, "request.objects[0]: "},
      {std::string(kToBeta), {R"("text")"}, "request.objects[0]: "},
      {std::string(kToBeta), {R"({"apiVersion":1,"kind":[]})"}, "cannot convert apiVersion \"\""},
      {std::string(kToBeta),
       {R"({"apiVersion":"nvidia.com/v1alpha1","kind":"DynamoGraphDeployment","metadata":[]})"},
       "metadata: must be an object"},
      {std::string(kToBeta),
       {R"({"apiVersion":"nvidia.com/v1alpha1","kind":"DynamoGraphDeployment","metadata":)"
        R"({"name":1}})"},
       "metadata.name: must be a string"},
      {std::string(kToBeta),
       {R"({"apiVersion":"nvidia.com/v1alpha1","kind":"DynamoGraphDeployment","metadata":)"
        R"({"name":"g","labels":{"a":1}}})"},
       "g: metadata.labels[a]: must be a string"},
      {std::string(kToBeta),
       {R"({"apiVersion":"nvidia.com/v1alpha1","kind":"DynamoGraphDeployment","metadata":)"
        R"({"name":"g","finalizers":"x"}})"},
       "g: metadata.finalizers: must be a list"},
      {std::string(kToBeta), {alpha_graph_of("[]")}, "team/g: spec: must be an object"},
      {std::string(kToBeta),
       {alpha_graph_of(R"({"services":{"w":{"replicas":1.5}}})")},
       "spec.services[w].replicas: must be an integer"},
      {std::string(kToAlpha),
       {converted_object(kToBeta, "DynamoGraphDeployment", "{}",
                         R"({"components":[{"name":"w"},{"name":"w"}]})")},
       "team/g: spec.components has two components with the name \"w\""},
      {std::string(kToBeta),
       {converted_object(kToAlpha, "DynamoGraphDeploymentRequest", "{}",
                         R"({"profilingConfig":{"config":"a: b"}})")},
       "ProfilingConfig.Config"},
  };
  for (const auto& row : rows) {
    SCOPED_TRACE(row.says);
    const ConversionCheck check = convert(row.version, row.objects);
    EXPECT_FALSE(check.is_success);
    EXPECT_THAT(check.message, HasSubstr(row.says));
    EXPECT_TRUE(convert(kToBeta, {good}).is_success);  // the connection stays usable
  }
}

// Payload annotations edited by hand: live data wins, or the review fails with a reason.
TEST_F(ConversionWireTest, EditedPayloadsNeverLoseLiveData) {
  const std::string huge(262'144, 'x');
  std::string deep = R"(\"spec\":)";
  for (int i = 0; i < 5'000; ++i) deep += R"({\"a\":)";
  const struct {
    std::string payload;  // as it is in a JSON string
    std::string_view failure;
  } rows[] = {
      {"", ""},
      {"x", ""},
      {R"({\"version\":1,\"spec\":)", ""},
      {R"({\"version\":99,\"spec\":{\"pvcs\":[{\"name\":\"p\"}]}})", ""},
      {R"({\"version\":\"one\",\"spec\":{}})", ""},
      {R"({\"version\":1,\"spec\":[]})", ""},
      {R"({\"version\":1,\"spec\":{\"services\":[],\"components\":{}}})", ""},
      {R"({\"version\":1,\"spec\":{\"services\":{\"w\":{\"replicas\":\"9\"}}}})", ""},
      {R"({\"version\":1,\"spec\":{\"services\":{\"gone\":{\"replicas\":9}}}})", ""},
      {R"({\"version\":1,\"spec\":{\"services\":{\"w\":null,\"w\":{\"replicas\":9}}}})", ""},
      {R"({\"version\":1,\"spec\":{\"services\":{\"w\":{\"replicas\":9}}},\"rawJSON\":[null]})",
       ""},
      {"{" + deep, ""},
      {huge, "metadata.annotations must have at most 262144; found "},
  };
  for (const auto& row : rows) {
    SCOPED_TRACE(row.payload.substr(0, 80));
    const ConversionCheck check =
        convert(kToAlpha, {converted_object(kToBeta, "DynamoGraphDeployment",
                                            R"({"nvidia.com/dgd-spec":")" + row.payload + R"("})",
                                            R"({"components":[{"name":"w","replicas":2}]})")});
    EXPECT_EQ(check.is_success, row.failure.empty()) << check.message;
    EXPECT_THAT(check.message, HasSubstr(row.failure));
    if (check.is_success) {
      EXPECT_THAT(check.objects.at(0), HasSubstr(R"("w":{"replicas":2})"));
    }
  }
}

TEST_F(ConversionWireTest, EditedPayloadsOfEveryKindKeepLiveData) {
  const struct {
    std::string_view version;
    std::string_view kind;
    std::string_view key;
    std::string_view spec;
    std::string_view kept;  // in the other version
  } objects[] = {
      {kToAlpha, "DynamoGraphDeployment", "nvidia.com/dgd-spec",
       R"({"services":{"w":{"replicas":2}}})", R"([{"name":"w","replicas":2}])"},
      {kToBeta, "DynamoGraphDeployment", "nvidia.com/dgd-spec",
       R"({"components":[{"name":"w","replicas":2}]})", R"({"w":{"replicas":2}})"},
      {kToAlpha, "DynamoComponentDeployment", "nvidia.com/dcd-spec",
       R"({"serviceName":"w","replicas":2})", R"({"name":"w","replicas":2})"},
      {kToBeta, "DynamoComponentDeployment", "nvidia.com/dcd-spec", R"({"name":"w","replicas":2})",
       R"({"replicas":2,"serviceName":"w"})"},
      {kToAlpha, "DynamoGraphDeploymentRequest", "nvidia.com/dgdr-spec", R"({"model":"m"})",
       R"("model":"m")"},
      {kToBeta, "DynamoGraphDeploymentRequest", "nvidia.com/dgdr-spec", R"({"model":"m"})",
       R"("model":"m")"},
  };
  // Other JSON, another version, wrong types, duplicate names, names without a live entry,
  // metadata.
  constexpr std::string_view kPayloads[] = {
      "",
      "null",
      "[]",
      "{",
      R"({"version":2,"spec":{"replicas":9,"model":"other"}})",
      R"({"spec":{"services":1,"components":"w","model":[],"replicas":"9"}})",
      R"({"spec":{"components":[{"name":"w","replicas":9},{"name":"w"},{"name":"gone"}]}})",
      R"({"spec":{"services":{"w":{"replicas":9},"gone":{"replicas":7}}}})",
      R"({"spec":{"metadata":{"name":"other"}},"metadata":{"name":"other","uid":"x"}})",
      R"({"spec":null,"rawJSON":{"path":"serviceName"}})",
      R"({"spec":{"replicas":9,"serviceName":"other","name":"other","model":"other"}})",
      R"({"spec":{},"rawJSON":[{"path":"serviceName","nil":true},{"path":7},null]})",
  };
  for (const auto& object : objects) {
    for (const std::string_view payload : kPayloads) {
      SCOPED_TRACE(std::string(object.kind).append(" ").append(payload));
      std::string annotations = "{";
      json::append_quoted(annotations, object.key);
      annotations += ':';
      json::append_quoted(annotations, payload);
      annotations += '}';
      const ConversionCheck check =
          convert(object.version == kToAlpha ? kToBeta : kToAlpha,
                  {converted_object(object.version, object.kind, annotations, object.spec)});
      ASSERT_TRUE(check.is_success) << check.message;
      EXPECT_THAT(check.objects.at(0), HasSubstr(object.kept));
      EXPECT_THAT(check.objects.at(0), Not(AnyOf(HasSubstr("gone"), HasSubstr("other"))));
    }
  }
}

// The API server refuses a response with other metadata, except labels and annotations.
TEST_F(ConversionWireTest, MetadataReturnsUnchanged) {
  constexpr std::string_view kMetadata =
      R"("metadata":{"name":"g","generateName":"g-","namespace":"team","uid":"u",)"
      R"("resourceVersion":"7","generation":3,"creationTimestamp":"2026-08-21T12:00:00Z",)"
      R"("deletionTimestamp":"2026-08-22T12:00:00Z","deletionGracePeriodSeconds":30,)"
      R"("labels":{"a":"b"},"annotations":{"keep":"me"},"ownerReferences":[{"apiVersion":"v1",)"
      R"("kind":"ConfigMap","name":"o","uid":"x","controller":true}],"finalizers":["a/b"]})";
  for (const std::string_view kind : {"DynamoGraphDeployment", "DynamoGraphDeploymentRequest",
                                      "DynamoGraphDeploymentScalingAdapter"}) {
    for (const std::string_view version : {kToAlpha, kToBeta}) {
      SCOPED_TRACE(kind);
      const ConversionCheck check =
          convert(version == kToAlpha ? kToBeta : kToAlpha, {std::string(R"({"apiVersion":")")
                                                                 .append(version)
                                                                 .append(R"(","kind":")")
                                                                 .append(kind)
                                                                 .append("\",")
                                                                 .append(kMetadata)
                                                                 .append("}")});
      ASSERT_TRUE(check.is_success) << check.message;
      EXPECT_THAT(check.objects.at(0), HasSubstr(kMetadata));
    }
  }
}

TEST_F(ConversionWireTest, EditedStatusPayloadsFailWithReason) {
  for (const std::string_view payload : {"x", "[]", R"({\"services\":1})"}) {
    SCOPED_TRACE(payload);
    const ConversionCheck check = convert(
        kToAlpha,
        {converted_object(kToBeta, "DynamoGraphDeployment",
                          R"({"nvidia.com/dgd-status":")" + std::string(payload) + R"("})")});
    EXPECT_FALSE(check.is_success);
    EXPECT_THAT(check.message, HasSubstr("team/g: annotation nvidia.com/dgd-status"));
  }
  // The operator ignores the one of a request.
  EXPECT_TRUE(convert(kToAlpha, {converted_object(kToBeta, "DynamoGraphDeploymentRequest",
                                                  R"({"nvidia.com/dgdr-status":"x"})")})
                  .is_success);
}

TEST_F(ConversionWireTest, FiveHundredObjectsAreConverted) {
  std::vector<std::string> objects;
  for (int i = 0; i < 500; ++i) {
    objects.push_back(alpha_graph_of(R"({"services":{"w":{"replicas":)" + std::to_string(i) +
                                     R"(,"componentType":"worker"}}})"));
  }
  const ConversionCheck beta = convert(kToBeta, objects);
  ASSERT_EQ(beta.objects.size(), 500U);
  EXPECT_THAT(beta.objects.back(), HasSubstr(R"("replicas":499)"));
  EXPECT_EQ(convert(kToAlpha, beta.objects).objects.size(), 500U);
}

TEST_F(ConversionWireTest, ThreeMegabytesAreConverted) {
  std::string environment = R"({"name":"A","value":"x"})";
  for (int i = 0; environment.size() < 3'000'000; ++i) {
    environment += R"(,{"name":"V)" + std::to_string(i) + R"(","value":"some text"})";
  }
  const ConversionCheck beta =
      convert(kToBeta, {alpha_graph_of(R"({"services":{"w":{"envs":[)" + environment + "]}}}")});
  EXPECT_TRUE(beta.is_success) << beta.message;
  EXPECT_TRUE(convert(kToAlpha, beta.objects).is_success);
}

TEST_F(ConversionWireTest, OtherBodiesGet400WithOneLine) {
  const std::string good =
      conversion_review(kToBeta, std::vector{converted_object(kToAlpha, "DynamoGraphDeployment")});
  const auto with = [&](std::string_view from, std::string_view to) {
    std::string text = good;
    text.replace(text.find(from), from.size(), to);
    return text;
  };
  const struct {
    std::string body;
    std::string_view says;
  } rows[] = {
      {"", "ConversionReview: byte 0: the text is empty"},
      {"request=1", "expected a JSON value"},
      {good.substr(0, good.size() - 1), "the text ends before the JSON value is complete"},
      {good + "x", "more text follows the end of the JSON value"},
      {with("team", "te\xFFm"), "the text is not UTF-8"},
      {with(R"("spec":{})", R"("spec":)" + std::string(5'000, '[')),
       "nested deeper than 128 levels"},
      {with(R"("spec":{})", R"("spec":)" + std::string(200, '[') + std::string(200, ']')),
       "nested deeper than 128 levels"},
      {"[]", "ConversionReview: must be an object; found list"},
      {"null", "ConversionReview: must be an object; found null"},
      {"{}", "apiVersion: must be \"apiextensions.k8s.io/v1\"; found nothing"},
      {with("apiextensions.k8s.io/v1", "apiextensions.k8s.io/v1beta1"),
       "found \"apiextensions.k8s.io/v1beta1\""},
      {with("ConversionReview", "AdmissionReview"),
       "kind: must be \"ConversionReview\"; found \"AdmissionReview\""},
      {with("request", "response"), "request: must be an object; found nothing"},
      {with("\"request\":", "\"request\":null,\"x\":"), "request: must be an object; found null"},
      {with("\"uid\"", "\"id\""), "request.uid: must be a text of 1 to 128 bytes; found nothing"},
      {with(test::kConversionUid, ""), "request.uid: must be a text of 1 to 128 bytes"},
      {with(test::kConversionUid, std::string(129, 'u')), "request.uid: must be a text"},
      {with("\"objects\":[", "\"objects\":{},\"x\":["),
       "request.objects: must be a list; found object"},
      {with("\"nvidia.com/v1beta1\"", "1"),
       "request.desiredAPIVersion: must be a string; found integer"},
  };
  for (const auto& row : rows) {
    SCOPED_TRACE(row.says);
    const ClientAnswer answer = client_->ask(conversion_post(row.body));
    EXPECT_EQ(answer.status, 400U);
    EXPECT_EQ(answer.header("content-type"), "text/plain; charset=utf-8");
    EXPECT_THAT(answer.body, HasSubstr(row.says));
    EXPECT_EQ(std::ranges::count(answer.body, '\n'), 1);
    EXPECT_EQ(client_->ask(conversion_post(good)).status, 200U);  // the connection stays usable
  }
}

TEST_F(ConversionWireTest, EndpointRulesApplyToConversions) {
  const std::string body = conversion_review(kToBeta, {});
  const auto with = [&](std::string_view from, std::string_view to) {
    std::string text = conversion_post(body);
    text.replace(text.find(from), from.size(), to);
    return text;
  };
  const struct {
    std::string request;
    unsigned status;
  } rows[] = {
      {with("POST /convert", "GET /convert"), 405},
      {with("POST /convert", "PUT /convert"), 405},
      {with("/convert", "/convert/"), 404},
      {with("/convert", "/convert/v1"), 404},
      {with("/convert", "/Convert"), 404},
      {with("Content-Type: application/json\r\n", ""), 415},
      {with("application/json", "application/yaml"), 415},
      {with("application/json", "application/json\r\nContent-Encoding: gzip"), 415},
      {with("Content-Length: ", "Content-Length: 99999999"), 413},
      {with("/convert", "/convert?timeout=10s"), 200},
      {with("application/json", "application/json; charset=utf-8"), 200},
  };
  for (const auto& row : rows) {
    SCOPED_TRACE(row.request.substr(0, row.request.find("\r\n\r\n")));
    TlsClient client(client_options());
    EXPECT_EQ(client.ask(row.request).status, row.status);
  }
}

TEST_F(ConversionWireTest, OutcomesAreExportedAsMetrics) {
  convert(kToBeta, {converted_object(kToAlpha, "DynamoGraphDeployment")});
  convert(kToBeta, {converted_object(kToBeta, "DynamoGraphDeployment")});
  client_->ask(conversion_post("{}"));
  const std::string metrics = get(webhook_->metrics_port(), "/metrics").body;
  constexpr std::string_view kLabels =
      "{resource_type=\"DynamoGraphDeployment\",version=\"v1beta1\",status=\"";
  for (const std::string_view status : {"success", "failure"}) {
    const std::string labels = std::string(kLabels).append(status).append("\"} 1\n");
    EXPECT_THAT(metrics, HasSubstr("\ndynamo_webhook_conversion_requests_total" + labels));
    EXPECT_THAT(metrics, HasSubstr("\ndynamo_webhook_conversion_duration_seconds_count" + labels));
  }
  EXPECT_THAT(metrics, HasSubstr("\ndynamo_webhook_parse_failures_total{reason=\"review\"} 1\n"));
  EXPECT_THAT(metrics, HasSubstr("\ndynamo_webhook_bad_requests_total{code=\"400\"} 1\n"));
}

}  // namespace
}  // namespace dynamo::webhook
