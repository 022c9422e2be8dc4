// A healthy installation in a cluster in memory, for tests that break one part of it.
#pragma once

#include <boost/asio/io_context.hpp>
#include <chrono>
#include <cstddef>
#include <cstdint>
#include <memory>
#include <string>
#include <string_view>
#include <vector>

#include "admission/routes.hpp"
#include "certs/issue.hpp"
#include "doctor/checks.hpp"
#include "doctor/gather.hpp"
#include "kube/object/resource.hpp"
#include "tests/doctor/tls_endpoint.hpp"
#include "tests/support/fake_clock.hpp"
#include "tests/support/fake_cluster.hpp"
#include "text/base64.hpp"
#include "text/micro_time.hpp"

namespace dynamo::doctor {

inline constexpr std::string_view kLabels =
    R"(,"labels":{"nvidia.com/dynamo-webhook-inject-ca":"true"})";

// Answers the doctor's invalid object like a cluster with webhooks, and reports the time.
class ServerWithWebhooks final : public kube::Transport {
 public:
  ServerWithWebhooks(std::unique_ptr<kube::Transport> server, const runtime::Clock& clock)
      : server_(std::move(server)), date_(clock.wall()) {}

  aio::Task<kube::Result<kube::Response>> send(kube::Request request) override {
    const bool is_bad_object = request.method == kube::HttpMethod::kPost &&
                               request.target.find("/dynamographdeployments") != std::string::npos;
    if (is_bad_object) deadline_of_bad_object = request.deadline;
    if (is_bad_object && !answer.empty()) {
      kube::Response refused;
      refused.status = status;
      refused.body = answer;
      co_return refused;
    }
    auto response = co_await server_->send(std::move(request));
    if (response) response->date = date_;
    co_return response;
  }
  aio::Task<kube::Result<std::unique_ptr<kube::Stream>>> open(kube::Request request) override {
    co_return co_await server_->open(std::move(request));
  }

  void set_date(TimePoint date) { date_ = date; }

  std::chrono::milliseconds deadline_of_bad_object{};
  int status = 422;
  std::string answer =
      R"({"kind":"Status","apiVersion":"v1","status":"Failure","reason":"Invalid","code":422,)"
      R"("message":"admission webhook \"v.dynamographdeployments\" denied the request: )"
      R"(spec.services: )"
      R"(must have at least one service [dgd.services.required]"})";

 private:
  std::unique_ptr<kube::Transport> server_;
  TimePoint date_;
};

class Installation {
 public:
  Installation() {
    const auto now = clock.wall();
    ca = certs::make_ca("test", now - std::chrono::hours(1), now + std::chrono::hours(24 * 365))
             .value();
    add_pod();
    add_pod();
    put_secret("webhook.dynamo-system.svc", now + std::chrono::hours(24 * 60));
    put_configurations();
    for (const std::string_view name : {"kube-system", "dynamo-system", "default"}) {
      cluster.put(kube::kNamespaces, R"({"metadata":{"name":")" + std::string(name) +
                                         R"(","labels":{"kubernetes.io/metadata.name":")" +
                                         std::string(name) + R"("}}})");
    }
    cluster.put(kube::kServices, R"({"metadata":{"name":"webhook","namespace":"dynamo-system"},)"
                                 R"("spec":{"ports":[{"port":443,"targetPort":9443}]}})");
    put_endpoints(2);
  }

  // Makes this many pods ready.
  void put_endpoints(std::size_t ready) {
    for (std::size_t i = 0; i < pods.size(); ++i) put_endpoint(i, i < ready);
  }
  // A slice per pod, because each listens on another port.
  void put_endpoint(std::size_t pod, bool is_ready) {
    const std::string number = std::to_string(pod);
    std::string slice =
        R"({"metadata":{"name":"webhook-N","namespace":"dynamo-system",)"
        R"("labels":{"kubernetes.io/service-name":"webhook"}},"ports":[{"port":PORT}],)"
        R"("endpoints":[{"addresses":["127.0.0.1"],"targetRef":{"kind":"Pod","name":"pod-N"},)"
        R"("conditions":{"ready":IS_READY}}]})";
    put_in(slice, "-N", "-" + number);
    put_in(slice, "PORT", std::to_string(ports[pod]));
    put_in(slice, "IS_READY", is_ready ? "true" : "false");
    cluster.put(kube::kEndpointSlices, slice);
  }
  // Adds a pod that serves the same certificate.
  test::TlsEndpoint& add_pod() {
    pods.emplace_back(loop);
    ports.push_back(pods.back().port());
    pods.back().behaviour().time = clock.wall();
    if (pods.size() > 1) pods.back().behaviour().pair = pods.front().behaviour().pair;
    return pods.back();
  }
  // "127.0.0.1:PORT (pod pod-N)"
  std::string label(std::size_t pod) const {
    return "127.0.0.1:" + std::to_string(ports[pod]) + " (pod pod-" + std::to_string(pod) + ')';
  }

  certs::KeyPair issue(std::string name, TimePoint not_after,
                       TimePoint::duration age = std::chrono::hours(1)) const {
    certs::LeafRequest request;
    request.names = {std::move(name)};
    request.not_before = clock.wall() - age;
    request.not_after = not_after;
    return certs::issue(ca, request).value().pair;
  }
  // Sets the certificate in all pods and in the Secret.
  void put_secret(std::string name, TimePoint not_after,
                  TimePoint::duration age = std::chrono::hours(1)) {
    const certs::KeyPair pair = issue(std::move(name), not_after, age);
    for (test::TlsEndpoint& pod : pods) pod.behaviour().pair = pair;
    cluster.put(kube::kSecrets,
                R"({"metadata":{"name":"cert","namespace":"dynamo-system"},"data":{"tls.crt":")" +
                    text::encode_base64(pair.certificate_pem) + R"("}})");
  }
  void close_pods() {
    for (test::TlsEndpoint& pod : pods) pod.close();
  }

  // The routes that the chart registers for `generation`.
  std::vector<admission::Route> registered_routes() const {
    std::vector<admission::Route> routes;
    for (const admission::Route& route : admission::routes()) {
      const bool has_later =
          admission::find_route(route.kind, route.purpose, api::Version::kV1beta1) != &route;
      if (generation != Generation::kLater || !has_later) routes.push_back(route);
    }
    if (generation != Generation::kFirst) {
      const auto later = admission::later_routes();
      routes.insert(routes.end(), later.begin(), later.end());
    }
    return routes;
  }
  bool is_registered_in_both(const admission::Route& route) const {
    const api::Version other =
        route.version == api::Version::kV1alpha1 ? api::Version::kV1beta1 : api::Version::kV1alpha1;
    const admission::Route* const found = admission::find_route(route.kind, route.purpose, other);
    return generation == Generation::kUnknown && found != nullptr && found->version == other;
  }

  // Replaces `from` by `to` in each webhook.
  void put_configurations(std::string_view from = {}, std::string_view to = {}) {
    const std::string bundle = text::encode_base64(ca.certificate_pem);
    std::string validating;
    std::string mutating;
    for (const admission::Route& route : registered_routes()) {
      std::string plural(api::names(route.kind).singular);
      plural += 's';
      std::string webhook = R"({"name":"v.PLURAL","admissionReviewVersions":["v1"],)"
                            R"("sideEffects":"None","failurePolicy":"Fail",)"
                            R"("matchPolicy":"POLICY","timeoutSeconds":10,)"
                            R"("rules":[{"apiGroups":["nvidia.com"],"apiVersions":["VERSION"],)"
                            R"("operations":["CREATE","UPDATE"],"resources":["PLURAL"]}],)"
                            R"("clientConfig":{"caBundle":"BUNDLE",)" +
                            std::string(by_url ? R"("url":"https://webhook.example:8443PATH?a=b"}})"
                                               : R"("service":{"namespace":"dynamo-system",)"
                                                 R"("name":"webhook","path":"PATH"}}})");
      put_in(webhook, "POLICY", is_registered_in_both(route) ? "Exact" : "Equivalent");
      put_in(webhook, "VERSION", api::name(route.version));
      put_in(webhook, "PLURAL", plural);
      put_in(webhook, "BUNDLE", bundle);
      put_in(webhook, "PATH", route.path);
      if (const auto at = webhook.find(from); !from.empty() && at != std::string::npos) {
        webhook.replace(at, from.size(), to);
      }
      std::string& list = route.purpose == admission::Purpose::kValidate ? validating : mutating;
      list += (list.empty() ? "" : ",") + webhook;
    }
    put_configuration(kube::kValidatingWebhookConfigurations, validating);
    put_configuration(kube::kMutatingWebhookConfigurations, mutating);
  }

  // Definitions with two versions that this installation converts. Replaces `from` by `to` in each.
  void put_definitions(std::string_view from = {}, std::string_view to = {}) {
    for (const std::string_view plural :
         {"dynamocomponentdeployments", "dynamographdeploymentrequests", "dynamographdeployments",
          "dynamographdeploymentscalingadapters"}) {
      std::string definition =
          R"({"metadata":{"name":"PLURAL.nvidia.com"},"spec":{"versions":[{"name":"v1alpha1"},)"
          R"({"name":"v1beta1","storage":true}],"conversion":{"strategy":"Webhook","webhook":{)"
          R"("clientConfig":{"caBundle":"BUNDLE","service":{"namespace":"dynamo-system","name":)"
          R"("webhook","path":"/convert"}}}}},"status":{"storedVersions":["v1beta1"]}})";
      put_in(definition, "PLURAL", plural);
      put_in(definition, "BUNDLE", text::encode_base64(ca.certificate_pem));
      if (const auto at = definition.find(from); !from.empty() && at != std::string::npos) {
        definition.replace(at, from.size(), to);
      }
      cluster.put(kube::kCustomResourceDefinitions, definition);
    }
  }

  // Replaces every occurrence of `word`.
  static void put_in(std::string& text, std::string_view word, std::string_view value) {
    for (std::size_t at = text.find(word); at != std::string::npos; at = text.find(word, at)) {
      text.replace(at, word.size(), value);
      at += value.size();
    }
  }

  void put_configuration(const kube::Resource& resource, const std::string& webhooks) {
    cluster.put(resource, R"({"metadata":{"name":"dynamo")" + std::string(labelled ? kLabels : "") +
                              R"(},"webhooks":[)" + webhooks + "]}");
  }

  // Options for a server with managed certificates, run by the server itself.
  GatherOptions options() const {
    GatherOptions made;
    made.secret = "dynamo-system/cert";
    made.as_server = true;
    made.reach = reach;
    made.all_reach = all_reach;
    made.restricted_namespace = restricted_namespace;
    return made;
  }
  kube::Result<Evidence> gather_evidence() { return gather_evidence(options()); }
  kube::Result<Evidence> gather_evidence(const GatherOptions& with) {
    const auto evidence = std::make_shared<Evidence>();
    auto gathered = test::run(loop, gather(server, "https://test", with, clock.wall(), evidence));
    if (!gathered) return gathered.error();
    return *evidence;
  }
  std::vector<CheckFinding> examined() { return examine(gather_evidence().value()); }

  void put_marker(std::string_view namespace_name, std::string_view holder,
                  std::chrono::seconds ahead = std::chrono::seconds(0),
                  std::chrono::seconds duration = std::chrono::seconds(30)) {
    cluster.put(kube::kLeases,
                R"({"metadata":{"name":"dynamo-operator-namespace-scope","namespace":")" +
                    std::string(namespace_name) + R"("},"spec":{"holderIdentity":")" +
                    std::string(holder) + R"(","leaseDurationSeconds":)" +
                    std::to_string(duration.count()) + R"(,"renewTime":")" +
                    text::format_micro_time(clock.wall() + ahead) + R"("}})");
  }

  // An operator leads in the whole cluster.
  void put_operator() {
    cluster.put(kube::kLeases,
                R"({"metadata":{"name":"dynamo.nvidia.com","namespace":"kube-system"},"spec":{)"
                R"("holderIdentity":"go","leaseDurationSeconds":15,"renewTime":")" +
                    text::format_micro_time(clock.wall()) + R"("}})");
  }

  // Of configurations created from now on.
  enum class Generation : std::uint8_t { kFirst, kLater, kUnknown };
  Generation generation = Generation::kFirst;  // the chart's webhook.operatorGeneration
  bool by_url = false;                         // they call a URL
  bool labelled = true;                        // the server writes caBundles into them
  std::string restricted_namespace;
  boost::asio::io_context loop;
  test::FakeClock clock;
  test::FakeCluster cluster{&clock};
  ServerWithWebhooks server{cluster.connect("doctor"), clock};
  certs::KeyPair ca;
  std::vector<test::TlsEndpoint> pods;
  std::vector<unsigned short> ports;  // of the pods, including closed ones
  std::chrono::milliseconds reach{10'000};
  std::chrono::milliseconds all_reach{25'000};
};

}  // namespace dynamo::doctor
