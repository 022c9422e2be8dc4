// Amounts with a valid form but an implausible value: a part of a byte, 16 bytes of memory, a
// million processors.
#include <cstdint>
#include <optional>
#include <string>

#include "render/origin.hpp"
#include "validators/content/amount.hpp"
#include "validators/preflight/resources/resources.hpp"
#include "validators/preflight/resources/walk.hpp"

namespace dynamo::validators::resources {
namespace {

using api::ErrorType;
using api::FieldPath;
using render::Origin;
using render::OriginPath;
using render::Resource;

// The least memory with which a process starts, and the smallest plausible claim.
constexpr std::uint64_t kLeastBytes = 1'000'000;
// Volumes of the pod may be small enough for a few files.
constexpr std::uint64_t kLeastBytesOfVolume = 65'536;
// More than any node has.
constexpr std::uint64_t kMostMemory = std::uint64_t{64} << 40U;
constexpr std::uint64_t kMostProcessors = 2'000;
constexpr std::uint64_t kMostGpus = 256;

// The number as written, without its suffix.
std::string number_of(json::Value amount) {
  if (const auto number = amount.integer()) return std::to_string(*number);
  const std::string_view text = amount.string_or_empty();
  return std::string(text.substr(0, text.find_first_not_of("0123456789.")));
}

void report_bytes(json::Value value, std::uint64_t least, std::optional<std::uint64_t> most,
                  const FieldPath& path, Report& report) {
  const std::optional<Amount> amount = amount_of(value);
  if (!amount || amount->is_zero() || amount->negative) return;
  const auto add = [&](std::string detail) {
    report.add(ErrorType::kInvalid, path, std::move(detail));
  };
  const std::string number = number_of(value);
  if (!amount->is_whole()) {
    add("must be whole bytes; found " + written(value) +
        ", which has a part of a byte, as \"m\" is a thousandth; write " + quoted(number + "Mi") +
        " for mebibytes");
  } else if (amount->whole < least) {
    add("must be an amount that can be used; found " + written(value) + ", which is " +
        std::to_string(amount->whole) + (amount->whole == 1 ? " byte" : " bytes") + "; write " +
        quoted(number + "Gi") + " for gibibytes");
  } else if (most && amount->whole > *most) {
    add("must be an amount that a node can have; found " + written(value) +
        "; correct the number or its suffix");
  }
}

void check_processors(const Placed& placed, json::Value value, const Origin& origin,
                      Report& report) {
  constexpr std::uint32_t kThousandth = 1'000'000;  // in billionths
  const std::optional<Amount> amount = amount_of(value);
  if (!amount || amount->is_zero() || amount->negative) return;
  if (amount->whole >= kMostProcessors) {
    placed.add(report, ErrorType::kInvalid, origin,
               "must be as many processors as a node can have; found " + written(value) +
                   "; write " + quoted(number_of(value) + "m") + " for thousandths of one");
  } else if (amount->whole == 0 && amount->billionths < kThousandth) {
    placed.add(report, ErrorType::kInvalid, origin,
               "must be at least \"1m\", the least that is counted; found " + written(value) +
                   "; correct the number or its suffix");
  }
}

void check_gpus(const Placed& placed, json::Value value, const Origin& origin, Report& report) {
  const std::optional<Amount> amount = amount_of(value);
  if (!amount || amount->negative || amount->whole <= kMostGpus) return;
  placed.add(report, ErrorType::kInvalid, origin,
             "must be as many GPUs as a node can have; found " + written(value) +
                 "; write how many devices the pod needs, not their memory");
}

void check_amount(const Placed& placed, std::string_view name, json::Value value,
                  const Origin& origin, Report& report) {
  if (!value.exists()) return;
  if (name == "cpu") {
    check_processors(placed, value, origin, report);
  } else if (name == "memory") {
    const OriginPath at(placed.path, origin);
    report_bytes(value, kLeastBytes, kMostMemory, at.path(), report);
  } else if (name == "ephemeral-storage") {
    const OriginPath at(placed.path, origin);
    report_bytes(value, kLeastBytesOfVolume, std::nullopt, at.path(), report);
  } else if (name.ends_with("/gpu")) {  // excludes GPU memory
    check_gpus(placed, value, origin, report);
  }
}

void check_volume(json::Value volume, const FieldPath& path, Report& report) {
  const FieldPath directory = path.child("emptyDir");
  report_bytes(volume["emptyDir"]["sizeLimit"], kLeastBytesOfVolume, std::nullopt,
               directory.child("sizeLimit"), report);
  const json::Value storage =
      volume["ephemeral"]["volumeClaimTemplate"]["spec"]["resources"]["requests"]["storage"];
  if (!storage.exists()) return;
  const FieldPath ephemeral = path.child("ephemeral");
  const FieldPath claim = ephemeral.child("volumeClaimTemplate");
  const FieldPath spec = claim.child("spec");
  const FieldPath resources = spec.child("resources");
  const FieldPath requests = resources.child("requests");
  report_bytes(storage, kLeastBytes, std::nullopt, requests.child("storage"), report);
}

void check_pod(const RenderedPod& pod, Report& report) {
  const Origin volumes = pod.pod->field("volumes");
  std::size_t index = 0;
  for (const json::Value volume : pod.pod->user["volumes"].elements()) {
    const OriginPath at(*pod.path, volumes.at(index++));
    check_volume(volume, at.path(), report);
  }
  // The resources of the whole pod.
  const render::Resources none{};
  const Placed placed{none, *pod.path};
  for (const std::string_view block : {"limits", "requests"}) {
    const Origin origin =
        pod.pod->field(block == "limits" ? "resources.limits" : "resources.requests");
    for (const auto [name, value] : pod.pod->user["resources"][block].members()) {
      check_amount(placed, name, value, origin.at_key(name), report);
    }
  }
  if (pod.component == nullptr) return;
  const json::Value size = pod.component->service.shared_memory_size();
  if (!size.exists()) return;
  const FieldPath memory = pod.path->child("sharedMemory");
  report_bytes(size, kLeastBytes, kMostMemory, memory.child("size"), report);
}

void check_claims(const RenderedObject& object, Report& report) {
  constexpr std::size_t kMostClaims = 100;  // the limit of the CRD's schema
  constexpr FieldPath kSpec{"spec"};
  const FieldPath claims = kSpec.child("pvcs");
  std::size_t index = 0;
  for (const json::Value claim : object.object.value()["spec"]["pvcs"].elements()) {
    if (index == kMostClaims) return;
    const FieldPath path = claims.index(index++);
    if (!claim["create"].boolean().value_or(false)) continue;
    report_bytes(claim["size"], kLeastBytes, std::nullopt, path.child("size"), report);
  }
}

}  // namespace

void quantity_implausible(const Context&, const RenderedObject& object, Report& report) {
  for_each_container(object, [&](const Placed& placed) {
    for (const Resource& resource : placed.resources.items) {
      check_amount(placed, resource.name, resource.limit, resource.limit_origin, report);
      check_amount(placed, resource.name, resource.request, resource.request_origin, report);
    }
  });
  for (const RenderedPod& pod : object.pods) check_pod(pod, report);
  check_claims(object, report);
}

}  // namespace dynamo::validators::resources
