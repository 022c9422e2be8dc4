// Amounts with a valid form but an implausible value: a part of a byte, 16 bytes of memory, a
// million processors.
#include <cstdint>
#include <limits>
#include <optional>
#include <string>
#include <string_view>
#include <utility>

#include "render/document/origin.hpp"
#include "validators/content/amount.hpp"
#include "validators/rendered/resources/container_resources.hpp"
#include "validators/rule.hpp"

namespace dynamo::validators::resources {

using api::Context;

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
constexpr std::uint64_t kMaxMemory = std::uint64_t{64} << 40U;
constexpr std::uint64_t kMaxProcessors = 2'000;
constexpr std::uint64_t kMaxGpus = 256;

// An amount as written: its digits without a plus, and what follows them.
struct Parts {
  std::string number;
  std::string_view suffix;

  // Without the exponent the number is another one.
  bool has_exponent() const {
    return suffix.size() > 1 && (suffix[0] == 'e' || suffix[0] == 'E') && suffix[1] != 'i';
  }
};

Parts parts_of(json::Value amount) {
  if (const auto number = amount.integer()) return {std::to_string(*number), {}};
  std::string_view text = amount.string_or_empty();
  if (text.starts_with('+')) text.remove_prefix(1);
  const std::string_view number = text.substr(0, text.find_first_not_of("0123456789."));
  return {std::string(number), text.substr(number.size())};
}

constexpr std::string_view kCorrectIt = "; correct the number or its suffix";

// The limits of an amount of bytes, both inclusive.
struct Range {
  std::uint64_t least = 0;
  std::uint64_t most = std::numeric_limits<std::uint64_t>::max();
};

constexpr Range kMemory{kLeastBytes, kMaxMemory};
constexpr Range kClaim{kLeastBytes};
constexpr Range kVolume{kLeastBytesOfVolume};

bool is_plausible(const std::optional<Amount>& bytes, const Range& range) {
  return !bytes || bytes->is_zero() || bytes->negative ||
         (bytes->is_whole() && bytes->whole >= range.least && bytes->whole <= range.most);
}

void report_bytes(json::Value value, const Amount& bytes, const Range& range, const FieldPath& path,
                  Report& report) {
  const Parts parts = parts_of(value);
  const auto advise = [&](std::string_view suffix, std::string_view unit) {
    if (parts.has_exponent()) return std::string(kCorrectIt);
    return "; write " + quoted(parts.number + std::string(suffix)) + " for " + std::string(unit);
  };
  std::string detail;
  if (!bytes.is_whole()) {
    detail = "must be whole bytes; found " + written(value) +
             ", which has a part of a byte, as \"m\" is a thousandth" + advise("Mi", "mebibytes");
  } else if (bytes.whole < range.least) {
    detail = "must be an amount that can be used; found " + written(value) + ", which is " +
             std::to_string(bytes.whole) + (bytes.whole == 1 ? " byte" : " bytes") +
             advise("Gi", "gibibytes");
  } else {
    detail =
        "must be an amount that a node can have; found " + written(value) + std::string(kCorrectIt);
  }
  report.add(ErrorType::kInvalid, path, std::move(detail));
}

void check_bytes(json::Value value, const Range& range, const FieldPath& path, Report& report) {
  const std::optional<Amount> bytes = amount_of(value);
  if (!is_plausible(bytes, range)) report_bytes(value, *bytes, range, path, report);
}

// Builds the path of the origin only for a report.
void check_bytes(const ContainerResources& owner, json::Value value, const Range& range,
                 const Origin& origin, Report& report) {
  const std::optional<Amount> bytes = amount_of(value);
  if (is_plausible(bytes, range)) return;
  const OriginPath at(owner.path, origin);
  report_bytes(value, *bytes, range, at.path(), report);
}

// The intended amount if there are more processors than a node has: for a memory suffix the bare
// number, for "M" perhaps thousandths.
std::string processors_meant(json::Value value) {
  const Parts parts = parts_of(value);
  const std::string thousandths = quoted(parts.number + "m") + " for thousandths of one";
  if (parts.suffix.empty()) return "; write " + thousandths;
  const std::optional<Amount> number = parse_amount(parts.number);
  if (parts.has_exponent()) return std::string(kCorrectIt);
  if (!number || number->whole >= kMaxProcessors) {
    return "; write how many processors the pod needs, not its memory";
  }
  std::string text = "; write " + quoted(parts.number) + " for ";
  text += parts.number == "1" ? "1 processor" : parts.number + " processors";
  if (parts.suffix == "M") text += ", or " + thousandths;
  return text;
}

void check_processors(const ContainerResources& owner, json::Value value, const Origin& origin,
                      Report& report) {
  constexpr std::uint32_t kThousandth = 1'000'000;  // in billionths
  const std::optional<Amount> amount = amount_of(value);
  if (!amount || amount->is_zero() || amount->negative) return;
  if (amount->whole >= kMaxProcessors) {
    owner.add(report, ErrorType::kInvalid, origin,
              "must be as many processors as a node can have; found " + written(value) +
                  processors_meant(value));
  } else if (amount->whole == 0 && amount->billionths < kThousandth) {
    owner.add(report, ErrorType::kInvalid, origin,
              "must be at least \"1m\", the least that is counted; found " + written(value) +
                  std::string(kCorrectIt));
  }
}

void check_gpus(const ContainerResources& owner, json::Value value, const Origin& origin,
                Report& report) {
  const std::optional<Amount> amount = amount_of(value);
  if (!amount || amount->negative || amount->whole <= kMaxGpus) return;
  owner.add(report, ErrorType::kInvalid, origin,
            "must be as many GPUs as a node can have; found " + written(value) +
                "; write how many devices the pod needs, not their memory");
}

void check_amount(const ContainerResources& owner, std::string_view name, json::Value value,
                  const Origin& origin, Report& report) {
  if (!value.exists()) return;
  if (name == "cpu") {
    check_processors(owner, value, origin, report);
  } else if (name == "memory") {
    check_bytes(owner, value, kMemory, origin, report);
  } else if (name == "ephemeral-storage") {
    check_bytes(owner, value, kVolume, origin, report);
  } else if (name.ends_with("/gpu")) {  // excludes GPU memory
    check_gpus(owner, value, origin, report);
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
  const ContainerResources owner{none, *pod.path};
  for (const std::string_view block : {"limits", "requests"}) {
    const Origin origin =
        pod.pod->field(block == "limits" ? "resources.limits" : "resources.requests");
    for (const auto [name, value] : resources[block].members()) {
      check_amount(owner, name, value, origin.at_key(name), report);
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
  constexpr std::size_t kMaxClaims = 100;  // the limit of the CRD's schema
  constexpr FieldPath kSpec{"spec"};
  const FieldPath claims = kSpec.child("pvcs");
  std::size_t index = 0;
  for (const json::Value claim : object.object.value()["spec"]["pvcs"].elements()) {
    if (index == kMaxClaims) return;
    const FieldPath path = claims.index(index++);
    if (!claim["create"].boolean().value_or(false)) continue;
    check_bytes(claim["size"], kClaim, path.child("size"), report);
  }
}

void quantity_implausible(const Context&, const RenderedObject& object, Report& report) {
  for_each_container(object, [&](const ContainerResources& owner) {
    for (const Resource& resource : owner.resources.items) {
      check_amount(owner, resource.name, resource.limit, resource.limit_origin, report);
      check_amount(owner, resource.name, resource.request, resource.request_origin, report);
    }
  });
  for (const RenderedPod& pod : object.changed_pods()) check_pod(pod, report);
  check_claims(object, report);
}

}  // namespace

extern constexpr Rule kQuantityImplausibleRule{
    .id = "res.quantity.implausible",
    .kinds = kinds::kPodsAndRequests,
    .severity = Severity::kWarn,
    .function = &quantity_implausible,
    .field =
        "P.resources, C.resources, E.volumes, E.resources, P.sharedMemory.size, spec.pvcs[i].size",
};

}  // namespace dynamo::validators::resources
