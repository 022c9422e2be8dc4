#include "reconciler/model/endpoints.hpp"

#include <set>
#include <utility>

namespace dynamo::reconciler::model {
namespace {

constexpr std::string_view kServiceLabel = "kubernetes.io/service-name";
// The maximum length of an address or a name.
constexpr std::size_t kLongestHost = 253;

class Collector {
 public:
  explicit Collector(std::uint16_t port) : port_(port) {}

  void add_slice(const kube::Object& slice) {
    const json::Value labels = slice.root()["metadata"]["labels"];
    if (!labels[kServiceLabel].string_or_empty().empty()) found_.has_service = true;
    const json::Value endpoints = slice.root()["endpoints"];
    for (const json::Value each : endpoints.elements()) add_endpoint(each);
  }

  Endpoints take() { return std::move(found_); }

 private:
  void add_endpoint(json::Value endpoint) {
    const json::Value target = endpoint["targetRef"];
    if (target["kind"].string_or_empty() != "Pod") return;
    const std::string_view pod = target["name"].string_or_empty();
    const json::Value addresses = endpoint["addresses"];
    for (const json::Value address : addresses.elements()) {
      add(address.string_or_empty(), pod);
    }
  }

  void add(std::string_view host, std::string_view pod) {
    if (host.empty() || host.size() > kLongestHost) return;
    if (!known_.emplace(host, pod).second) return;
    if (found_.all.size() == kMaxEndpoints) {
      found_.is_cut = true;
      return;
    }
    found_.all.push_back(
        {.host = std::string(host), .url = url_of(host, port_), .pod = std::string(pod)});
  }

  const std::uint16_t port_;
  std::set<std::pair<std::string, std::string>> known_;
  Endpoints found_;
};

}  // namespace

std::string url_of(std::string_view host, std::uint16_t port) {
  const bool is_ipv6 = host.find(':') != std::string_view::npos;
  std::string url = "http://";
  if (is_ipv6) url += '[';
  url += host;
  if (is_ipv6) url += ']';
  url += ':';
  url += std::to_string(port);
  return url;
}

Endpoints endpoints_of(std::span<const kube::Object> slices, std::uint16_t port) {
  Collector collector(port);
  for (const kube::Object& slice : slices) collector.add_slice(slice);
  return collector.take();
}

}  // namespace dynamo::reconciler::model
