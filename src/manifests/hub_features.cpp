// Objects of experimental features of v1beta1.
#include <algorithm>
#include <array>
#include <cstdint>
#include <utility>

#include "json/writer.hpp"
#include "manifests/hub_builders.hpp"
#include "manifests/label_list.hpp"
#include "render/component/experimental.hpp"
#include "render/component/names.hpp"
#include "render/component/resources.hpp"
#include "render/document/well_known.hpp"
#include "render/object/write.hpp"
#include "render/pod/launch.hpp"

namespace dynamo::render {
namespace {

constexpr std::string_view kWaitScriptFile = "wait-for-leader.py";

// Ends once the leader accepts connections, and its pod runs and is not being deleted. Without
// access to the API the connection alone decides.
constexpr std::string_view kWaitScript = R"(import http.client
import json
import os
import socket
import ssl
import time

ACCOUNT = "/var/run/secrets/kubernetes.io/serviceaccount/"


def content(name):
    with open(ACCOUNT + name, encoding="utf-8") as file:
        return file.read().strip()


def pods_at(address):
    api = http.client.HTTPSConnection(
        os.environ["KUBERNETES_SERVICE_HOST"],
        int(os.environ["KUBERNETES_SERVICE_PORT"]),
        timeout=5,
        context=ssl.create_default_context(cafile=ACCOUNT + "ca.crt"),
    )
    path = "/api/v1/namespaces/" + content("namespace") + "/pods"
    query = "?fieldSelector=status.podIP=" + address
    api.request("GET", path + query, headers={"Authorization": "Bearer " + content("token")})
    return json.load(api.getresponse())["items"]


def can_lead(address):
    try:
        pods = pods_at(address)
    except (KeyError, OSError, ValueError, http.client.HTTPException):
        return True
    return any(
        pod["status"].get("phase") == "Running" and "deletionTimestamp" not in pod["metadata"]
        for pod in pods
    )


def connect():
    host, port = os.environ["LEADER_HOST"], int(os.environ["LEADER_PORT"])
    for found in socket.getaddrinfo(host, port, type=socket.SOCK_STREAM):
        address = found[4][0]
        if can_lead(address):
            socket.create_connection((address, port), timeout=2).close()
            return
    raise OSError("no pod runs at " + host)


while True:
    try:
        connect()
        break
    except OSError as reason:
        print("waiting for the leader:", reason, flush=True)
        time.sleep(2)
)";

std::uint32_t fnv_1a(std::string_view text) {
  std::uint32_t hash = 0x811C9DC5U;
  for (const char letter : text) {
    hash = (hash ^ static_cast<unsigned char>(letter)) * 0x01000193U;
  }
  return hash;
}

struct RayPort {
  std::string_view name;
  std::int64_t number;
};

}  // namespace

void write_gpu_claim(json::Writer& out, const Component& component, std::string_view request) {
  out.start_object().key("spec").start_object().key("devices").start_object();
  out.key("requests").start_array().start_object().member("name", request);
  out.key("exactly").start_object().member("deviceClassName", device_class_of(component));
  out.member("allocationMode", "ExactCount").key("count").integer(counted_gpus(component));
  out.end_object().end_object().end_array().end_object().end_object().end_object();
}

DesiredObject build_gpu_claim_template(const Component& component, const OwnerMetadata& owner,
                                       Arena& arena) {
  std::string spec = "\"spec\":";
  json::Writer out(spec);
  write_gpu_claim(out, component, "gpus");
  return make_desired_object({.api_version = "resource.k8s.io/v1",
                              .kind = "ResourceClaimTemplate",
                              .name = gpu_claim_template_name(component).in(arena),
                              .namespace_name = component.namespace_name,
                              .owner = owner},
                             spec);
}

DesiredObject build_wait_script(const Component& component, const OwnerMetadata& owner,
                                Arena& arena) {
  const std::array<Label, 1> labels = {Label{.key = label::kGraph, .value = component.graph_name}};
  std::string data = "\"data\":";
  json::Writer out(data);
  out.start_object().member(kWaitScriptFile, kWaitScript).end_object();
  return make_desired_object({.api_version = "v1",
                              .kind = "ConfigMap",
                              .name = wait_script_name(component.graph_name).in(arena),
                              .namespace_name = component.namespace_name,
                              .labels = labels,
                              .owner = owner},
                             data);
}

bool has_ray_service(const Component& component, Arena& arena) {
  const Backend backend = backend_of(component);
  const Container main = main_container(component, backend, PodRole::kMain, arena);
  return component.hub["replicas"].integer().value_or(1) == 1 &&
         starts_ray_alone(component, backend, main);
}

DesiredObject build_ray_service(const Component& component, const OwnerMetadata& owner,
                                Arena& arena) {
  std::string spec = "\"spec\":";
  json::Writer out(spec);
  out.start_object().member("clusterIP", "None").key("ports").start_array();
  for (const auto& [name, number] : {RayPort{"ray-gcs", 6379}, RayPort{"system", 9090}}) {
    out.start_object().member("name", name).key("port").integer(number);
    out.member("protocol", "TCP").key("targetPort").integer(number).end_object();
  }
  out.end_array().key("publishNotReadyAddresses").boolean(true).key("selector");
  write_labels(out, hub_service_selector(component, arena));
  out.end_object();
  constexpr std::size_t kLongestName = 63;
  return make_desired_object(
      {.api_version = "v1",
       .kind = "Service",
       .name = shortened_name(ray_service_name(component).in(arena), kLongestName),
       .namespace_name = component.namespace_name,
       .owner = owner},
      spec);
}

std::string shortened_name(std::string_view whole, std::size_t most) {
  std::string name(whole);
  if (name.size() <= most) return name;
  constexpr std::size_t kSuffix = 5;
  name.resize(most - kSuffix);
  name += '-';
  constexpr std::string_view kDigits = "0123456789abcdef";
  const std::uint32_t hash = fnv_1a(whole);
  for (const unsigned shift : {12U, 8U, 4U, 0U}) name += kDigits[(hash >> shift) & 0xFU];
  return name;
}

void set_topology_source(const Component& component, std::vector<Label>& annotations) {
  std::erase_if(annotations, [](const Label& each) {
    return each.key == annotation::kTopologyLabel || each.key == annotation::kTopologyName;
  });
  if (!component.in_graph) {
    for (const std::string_view key : {annotation::kTopologyLabel, annotation::kTopologyName}) {
      const json::Value value = component.object_annotations[key];
      if (value.is_string()) set_label(annotations, {.key = key, .value = *value.string()});
    }
    return;
  }
  const json::Value policy = transfer_policy_of(component);
  const std::string_view key = policy["labelKey"].string_or_empty();
  const std::string_view topology = policy["clusterTopologyName"].string_or_empty();
  if (!key.empty()) {
    set_label(annotations, {.key = annotation::kTopologyLabel, .value = key});
  } else if (!topology.empty()) {
    set_label(annotations, {.key = annotation::kTopologyName, .value = topology});
  }
}

}  // namespace dynamo::render
