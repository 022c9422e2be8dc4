#include "conversion/convert.hpp"

#include <algorithm>
#include <array>
#include <span>

#include "api/kind.hpp"
#include "conversion/decode.hpp"
#include "conversion/encode.hpp"
#include "conversion/kinds.hpp"
#include "conversion/types.hpp"
#include "json/writer.hpp"
#include "text/quoted.hpp"

namespace dynamo::conversion {

namespace {

constexpr std::size_t kLongestQuote = 64;

struct KindConversion {
  std::string_view kind;
  const Type& alpha;
  const Type& beta;
  ConvertObject to_beta;
  ConvertObject to_alpha;
  PayloadKeys keys;
  Encoding beta_encoding = Encoding::kPruned;
};

// Keys that earlier operators wrote.
constexpr std::array<std::string_view, 9> kRetiredRequestKeys = {
    "nvidia.com/dgdr-config-map-ref",       "nvidia.com/dgdr-output-pvc",
    "nvidia.com/dgdr-enable-gpu-discovery", "nvidia.com/dgdr-deployment-overrides",
    "nvidia.com/dgdr-profiling-config",     "nvidia.com/dgdr-status-backend",
    "nvidia.com/dgdr-profiling-results",    "nvidia.com/dgdr-deployment-status",
    "nvidia.com/dgdr-profiling-job-name"};

constexpr KindConversion kKinds[] = {
    {api::names(api::Kind::kGraphDeployment).name,
     types::kAlphaGraphDeployment,
     types::kBetaGraphDeployment,
     convert_graph_to_beta,
     convert_graph_to_alpha,
     {"nvidia.com/dgd-spec", "nvidia.com/dgd-status"}},
    {api::names(api::Kind::kComponentDeployment).name,
     types::kAlphaComponentDeployment,
     types::kBetaComponentDeployment,
     convert_component_deployment_to_beta,
     convert_component_deployment_to_alpha,
     {"nvidia.com/dcd-spec", "nvidia.com/dcd-status"}},
    {api::names(api::Kind::kGraphDeploymentRequest).name,
     types::kAlphaGraphDeploymentRequest,
     types::kBetaGraphDeploymentRequest,
     convert_request_to_beta,
     convert_request_to_alpha,
     {"nvidia.com/dgdr-spec", "nvidia.com/dgdr-status", kRetiredRequestKeys}},
    // The operator's encoder for this kind writes structs by value.
    {api::names(api::Kind::kScalingAdapter).name,
     types::kAlphaGraphDeploymentScalingAdapter,
     types::kBetaGraphDeploymentScalingAdapter,
     convert_scaling_adapter_to_beta,
     convert_scaling_adapter_to_alpha,
     {},
     Encoding::kGo},
};

const KindConversion* find_kind(std::string_view kind) {
  const auto* const found = std::ranges::find(kKinds, kind, &KindConversion::kind);
  return found == std::end(kKinds) ? nullptr : found;
}

bool is_payload_key(const PayloadKeys& keys, std::string_view key) {
  return !keys.spec.empty() && (key == keys.spec || key == keys.status ||
                                std::ranges::find(keys.retired, key) != keys.retired.end());
}

// Takes the payload annotations out of the metadata.
void take_payloads(ObjectConversion& object, const PayloadKeys& keys) {
  const Node* const annotations = find(object.source, "metadata", "annotations");
  const bool has_payload = std::ranges::any_of(
      children(annotations),
      [&keys](const Node* annotation) { return is_payload_key(keys, annotation->key); });
  if (!has_payload) return;
  Node* const others = object.arena.map();
  for (const Node* annotation : children(annotations)) {
    if (!is_payload_key(keys, annotation->key)) {
      append(object.arena, others, annotation->key, annotation);
    } else if (annotation->key == keys.spec) {
      object.source_spec = annotation->text();
    } else if (annotation->key == keys.status) {
      object.source_status = annotation->text();
    }
  }
  set(object.arena, member_to_change(object.arena, object.target, "metadata"), "annotations",
      is_empty(others) ? nullptr : others);
}

void add_payloads(ObjectConversion& object, const PayloadKeys& keys) {
  if (!object.target_spec && !object.target_status) return;
  Node* const metadata = member_to_change(object.arena, object.target, "metadata");
  const Node* const present = find(metadata, "annotations");
  Node* const annotations =
      present == nullptr ? object.arena.map() : copy_members(object.arena, present);
  const auto add = [&](std::string_view key, const std::optional<std::string>& text) {
    if (text) append(object.arena, annotations, key, object.arena.string(*text));
  };
  add(keys.spec, object.target_spec);
  add(keys.status, object.target_status);
  set(object.arena, metadata, "annotations", annotations);
}

std::size_t count_annotation_bytes(const Node* object) {
  std::size_t bytes = 0;
  for (const Node* annotation : children(find(object, "metadata", "annotations"))) {
    bytes += annotation->key.size() + annotation->text().size();
  }
  return bytes;
}

void write_object(std::string& out, std::string_view kind, Version version, const Node* object,
                  Encoding encoding, std::size_t max_bytes) {
  json::Writer writer(out);
  writer.start_object();
  writer.member("apiVersion", api_version(version)).member("kind", kind);
  // The API server requires metadata, even if it is empty.
  if (is_zero(find(object, "metadata")) && encoding == Encoding::kPruned) {
    writer.key("metadata").start_object().end_object();
  }
  encode_members(out, object, encoding, max_bytes);
  writer.end_object();
}

Encoding encoding_of(const KindConversion& kind, Version version) {
  return version == Version::kV1beta1 ? kind.beta_encoding : Encoding::kGo;
}

std::string describe(const DecodeError& error) {
  const std::string_view path = error.path;
  return std::string(path.starts_with('.') ? path.substr(1) : path) + ": " + error.reason;
}

}  // namespace

std::string_view api_version(Version version) {
  return version == Version::kV1alpha1 ? "nvidia.com/v1alpha1" : "nvidia.com/v1beta1";
}

std::optional<Version> parse_api_version(std::string_view api_version_text) {
  for (const Version version : {Version::kV1alpha1, Version::kV1beta1}) {
    if (api_version(version) == api_version_text) return version;
  }
  return std::nullopt;
}

bool has_two_versions(std::string_view kind) {
  return find_kind(kind) != nullptr;
}

std::optional<std::string> Converter::convert(json::Value object, Version target,
                                              std::string& out) {
  const std::string_view kind_name = object["kind"].string_or_empty();
  const std::string_view source_name = object["apiVersion"].string_or_empty();
  const auto source = parse_api_version(source_name);
  if (!has_two_versions(kind_name) || !source) {
    return "cannot convert apiVersion " + text::quoted(source_name, kLongestQuote) + ", kind " +
           text::quoted(kind_name, kLongestQuote);
  }
  if (*source == target) {
    return "the object has version " + std::string(source_name) + " already";
  }
  return convert_known(kind_name, object, target, out);
}

// Runs one conversion, which appends to `out`, and frees the memory that a large object needed.
template <typename Run>
std::optional<std::string> Converter::within_memory(std::string& out, const Run& run) {
  arena_.clear();  // an exception of another kind may have ended the last one
  const std::size_t start = out.size();
  std::optional<std::string> reason;
  try {
    reason = run();
  } catch (const MemoryExceeded&) {
    out.resize(start);
    reason = kTooLarge;
  }
  arena_.clear();
  return reason;
}

std::optional<std::string> Converter::convert_known(std::string_view kind_name, json::Value object,
                                                    Version target, std::string& out) {
  payloads_.clear();
  return within_memory(out, [&]() -> std::optional<std::string> {
    const KindConversion* const kind = find_kind(kind_name);
    const bool to_beta = target == Version::kV1beta1;
    const Decoded decoded =
        decode(arena_, object, to_beta ? kind->alpha : kind->beta, NameMatch::kExact);
    if (decoded.error) return describe(*decoded.error);
    ObjectConversion conversion{.arena = arena_,
                                .payloads = payloads_,
                                .source = decoded.root,
                                .target = arena_.object(to_beta ? kind->beta : kind->alpha),
                                .source_spec = std::nullopt,
                                .source_status = std::nullopt};
    set(arena_, conversion.target, "metadata", find(decoded.root, "metadata"));
    take_payloads(conversion, kind->keys);
    if (auto error = to_beta ? kind->to_beta(conversion) : kind->to_alpha(conversion)) return error;
    add_payloads(conversion, kind->keys);
    annotation_bytes_ = count_annotation_bytes(conversion.target);
    write_object(out, kind_name, target, conversion.target, encoding_of(*kind, target),
                 arena_.max_text());
    return std::nullopt;
  });
}

std::optional<std::string> Converter::normalize(std::string_view kind_name, json::Value object,
                                                Version version, std::string& out) {
  return within_memory(out, [&]() -> std::optional<std::string> {
    const KindConversion* const kind = find_kind(kind_name);
    const Decoded decoded = decode(
        arena_, object, version == Version::kV1beta1 ? kind->beta : kind->alpha, NameMatch::kExact);
    if (decoded.error) return describe(*decoded.error);
    write_object(out, kind_name, version, decoded.root, encoding_of(*kind, version),
                 arena_.max_text());
    return std::nullopt;
  });
}

}  // namespace dynamo::conversion
