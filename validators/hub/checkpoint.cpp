// Rules of later operators for a DynamoCheckpoint, which exists in v1alpha1 only.
#include <algorithm>
#include <cstddef>
#include <string>
#include <string_view>
#include <vector>

#include "validators/hub/view.hpp"
#include "validators/rule.hpp"

namespace dynamo::validators::hub::checkpoint {

using api::ErrorType;
using api::FieldPath;

namespace {

constexpr FieldPath kSpec{"spec"};
constexpr FieldPath kService = kSpec.child("gpuMemoryService");
constexpr FieldPath kJob = kSpec.child("job");
constexpr FieldPath kTemplate = kJob.child("podTemplateSpec");
constexpr FieldPath kPod = kTemplate.child("spec");
constexpr FieldPath kContainers = kPod.child("containers");

constexpr std::string_view kServer = "gms-server";
constexpr std::string_view kControl = "gms-intrapod-control";
constexpr std::string_view kControlPath = "/gms-intrapod-control";
constexpr std::string_view kClaim = "intrapod-shared-gpu";
constexpr std::string_view kAdvice =
    ", as the operator writes it; copy the pod template of a checkpoint that the operator created";

bool has_control_mount(json::Value container) {
  for (const json::Value mount : container["volumeMounts"].elements()) {
    if (mount["name"].string_or_empty() == kControl &&
        mount["mountPath"].string_or_empty() == kControlPath) {
      return true;
    }
  }
  return false;
}

// Values of the pod are never repeated: they may hold secrets.
void check_container(json::Value container, const FieldPath& path, Report& report) {
  const json::Value directory = find_named(container["env"], "GMS_SOCKET_DIR").value;
  if (directory["value"].string_or_empty() != kControlPath) {
    report.add(ErrorType::kRequired, path.child("env"),
               "must set GMS_SOCKET_DIR to /gms-intrapod-control" + std::string(kAdvice));
  }
  const FieldPath resources = path.child("resources");
  if (!find_named(container["resources"]["claims"], kClaim).value.exists()) {
    report.add(ErrorType::kRequired, resources.child("claims"),
               "must hold the claim intrapod-shared-gpu" + std::string(kAdvice));
  }
  if (!has_control_mount(container)) {
    report.add(ErrorType::kRequired, path.child("volumeMounts"),
               "must mount gms-intrapod-control at /gms-intrapod-control" + std::string(kAdvice));
  }
}

void check_clients(json::Value clients, json::Value containers, Report& report) {
  const NameSet known{containers};
  const FieldPath list = kService.child("extraClientContainers");
  std::size_t index = 0;
  for (const json::Value client : clients.elements()) {
    const std::size_t at = index++;
    if (known.contains(client.string_or_empty())) continue;
    report.add(ErrorType::kInvalid, list.index(at),
               "must be the name of a container of the job's pod");
  }
}

void check_server(json::Value pod, Report& report) {
  const FieldPath list = kPod.child("initContainers");
  const IndexedValue server = find_named(pod["initContainers"], kServer);
  if (server.value.exists()) return check_container(server.value, list.index(server.index), report);
  report.add(ErrorType::kRequired, list, "must hold gms-server" + std::string(kAdvice));
}

void check_target(json::Value job, json::Value containers, Report& report) {
  const std::string_view name = job["targetContainerName"].string_or_empty();
  if (name.empty()) {
    if (find_named(containers, "main").value.exists()) return;
    return report.add(ErrorType::kRequired, kContainers,
                      "must hold the container main, or job.targetContainerName must name another");
  }
  if (find_named(containers, name).value.exists()) return;
  report.add(ErrorType::kInvalid, kJob.child("targetContainerName"),
             "must be the name of a container of the job's pod; found " + quoted(name));
}

void check_pod(json::Value service, json::Value job, Report& report) {
  const json::Value pod = job["podTemplateSpec"]["spec"];
  const json::Value containers = pod["containers"];
  check_clients(service["extraClientContainers"], containers, report);
  if (!find_named(pod["volumes"], kControl).value.exists()) {
    report.add(ErrorType::kRequired, kPod.child("volumes"),
               "must hold gms-intrapod-control" + std::string(kAdvice));
  }
  check_server(pod, report);
  const std::string_view target = job["targetContainerName"].string_or_empty();
  std::vector<std::string_view> clients{target.empty() ? "main" : target};
  for (const json::Value client : service["extraClientContainers"].elements()) {
    clients.push_back(client.string_or_empty());
  }
  std::ranges::sort(clients);
  std::size_t index = 0;
  for (const json::Value container : containers.elements()) {
    const FieldPath path = kContainers.index(index++);
    if (!std::ranges::binary_search(clients, container["name"].string_or_empty())) continue;
    check_container(container, path, report);
  }
  if (!find_named(pod["resourceClaims"], kClaim).value.exists()) {
    report.add(ErrorType::kRequired, kPod.child("resourceClaims"),
               "must hold intrapod-shared-gpu" + std::string(kAdvice));
  }
  check_target(job, containers, report);
}

void job(const ObjectView& object, Report& report) {
  if (object.context().facts.checkpoints_enabled == api::Fact::kNo) {
    report.add(ErrorType::kForbidden, kSpec,
               "must not be created: the operator runs without checkpoints; turn them on there");
  }
  const json::Value service = object.spec()["gpuMemoryService"];
  if (!is_true(service["enabled"])) return;
  if (service["mode"].string_or_empty() == "interPod") {
    return report.add(ErrorType::kNotSupported, kService.child("mode"),
                      "must be intraPod; found interPod");
  }
  check_pod(service, object.spec()["job"], report);
}

}  // namespace

extern constexpr Rule kJobRule{
    .id = "hub.checkpoint.job",
    .kinds = kinds::kCheckpoints,
    .ratchet = Ratchet::kNo,
    .function = &job,
    .field = "spec.gpuMemoryService, spec.job",
};

}  // namespace dynamo::validators::hub::checkpoint
