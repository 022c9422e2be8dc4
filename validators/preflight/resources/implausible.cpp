// Amounts with a valid form but an implausible value: a part of a byte, 16 bytes of memory, a
// million processors.
#include <cstdint>
#include <limits>
#include <optional>
#include <string>
#include <utility>

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

// The limits of an amount of bytes, both inclusive.
struct Range {
  std::uint64_t least = 0;
  std::uint64_t most = std::numeric_limits<std::uint64_t>::max();
};

constexpr Range kMemory{kLeastBytes, kMostMemory};
constexpr Range kClaim{kLeastBytes};
constexpr Range kVolume{kLeastBytesOfVolume};

bool is_plausible(const std::optional<Amount>& bytes, const Range& range) {
  return !bytes || bytes->is_zero() || bytes->negative ||
         (bytes->is_whole() && bytes->whole >= range.least && bytes->whole <= range.most);
}

void report_bytes(json::Value value, const Amount& bytes, const Range& range, const FieldPath& path,
                  Report& report) {
  const std::string number = number_of(value);
  std::string detail;
  if (!bytes.is_whole()) {
    detail = "must be whole bytes; found " + written(value) +
             ", which has a part of a byte, as \"m\" is a thousandth; write " +
             quoted(number + "Mi") + " for mebibytes";
  } else if (bytes.whole < range.least) {
    detail = "must be an amount that can be used; found " + written(value) + ", which is " +
             std::to_string(bytes.whole) + (bytes.whole == 1 ? " byte" : " bytes") + "; write " +
             quoted(number + "Gi") + " for gibibytes";
  } else {
    detail = "must be an amount that a node can have; found " + written(value) +
             "; correct the number or its suffix";
  }
  report.add(ErrorType::kInvalid, path, std::move(detail));
}

void check_bytes(json::Value value, const Range& range, const FieldPath& path, Report& report) {
  const std::optional<Amount> bytes = amount_of(value);
  if (!is_plausible(bytes, range)) report_bytes(value, *bytes, range, path, report);
}

// Builds the path of the origin only for a report.
void check_bytes(const Placed& placed, json::Value value, const Range& range, const Origin& origin,
                 Report& report) {
  const std::optional<Amount> bytes = amount_of(value);
  if (is_plausible(bytes, range)) return;
  const OriginPath at(placed.path, origin);
  report_bytes(value, *bytes, range, at.path(), report);
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
    check_bytes(placed, value, kMemory, origin, report);
  } else if (name == "ephemeral-storage") {
    check_bytes(placed, value, kVolume, origin, report);
  } else if (name.ends_with("/gpu")) {  // excludes GPU memory
    check_gpus(placed, value, origin, report);
  }
}

void check_volume(json::Value volume, const FieldPath& path, Report& report) {
  const FieldPath directory = path.child("emptyDir");
  check_bytes(volume["emptyDir"]["sizeLimit"], kVolume, directory.child("sizeLimit"), report);
  const json::Value storage =
      volume["ephemeral"]["volumeClaimTemplate"]["spec"]["resources"]["requests"]["storage"];
  if (!storage.exists()) return;
  const FieldPath ephemeral = path.child("ephemeral");
  const FieldPath claim = ephemeral.child("volumeClaimTemplate");
  const FieldPath spec = claim.child("spec");
  const FieldPath resources = spec.child("resources");
  const FieldPath requests = resources.child("requests");
  check_bytes(storage, kClaim, requests.child("storage"), report);
}

// The resources of the whole pod.
void check_resources_of_pod(const RenderedPod& pod, Report& report) {
  const json::Value resources = pod.pod->user["resources"];
  if (!resources.exists()) return;
  const render::Resources none{};
  const Placed placed{none, *pod.path};
  for (const std::string_view block : {"limits", "requests"}) {
    const Origin origin =
        pod.pod->field(block == "limits" ? "resources.limits" : "resources.requests");
    for (const auto [name, value] : resources[block].members()) {
      check_amount(placed, name, value, origin.at_key(name), report);
    }
  }
}

void check_pod(const RenderedPod& pod, Report& report) {
  if (const json::Value volumes = pod.pod->user["volumes"]; volumes.exists()) {
    const Origin origin = pod.pod->field("volumes");
    std::size_t index = 0;
    for (const json::Value volume : volumes.elements()) {
      const OriginPath at(*pod.path, origin.at(index++));
      check_volume(volume, at.path(), report);
    }
  }
  check_resources_of_pod(pod, report);
  if (pod.component == nullptr) return;
  const json::Value size = pod.component->service.shared_memory_size();
  if (!size.exists()) return;
  const FieldPath memory = pod.path->child("sharedMemory");
  check_bytes(size, kMemory, memory.child("size"), report);
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
    check_bytes(claim["size"], kClaim, path.child("size"), report);
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
