#include "manifests/go_form.hpp"

#include <algorithm>
#include <array>
#include <charconv>
#include <cstddef>
#include <cstdint>
#include <limits>
#include <optional>

#include "json/writer.hpp"

namespace dynamo::render {
namespace {

// The position of a value in a spec, if its type has zero values or quantities.
enum class Type : std::uint8_t {
  kPlain,
  kWorkload,  // any type with a template
  kGroup,
  kGroupTemplate,
  kCliqueSet,
  kCliqueSetTemplate,
  kCliques,
  kClique,
  kCliqueSpec,
  kCheckpoint,
  kCheckpointJob,
  kTemplate,
  kPod,
  kContainers,
  kContainer,
  kResources,
  kQuantities,
  kQuantity,
  kVolumes,
  kVolume,
  kEmptyDir,
  kClaimSource,
  kPorts,
  kPort,
  kMounts,
  kMount,
  kProbe,
  kVariables,
  kVariable,
  kVariableSource,
  kResourceField,
  kComponent,
  kComponentPod,
  kMainContainer,
  kSharedMemory,
  kAutoscaling,
  kWayIn,
  kScalingAdapter,
  kRestoration,
  kClaimMounts,
  kClaimMount,
  kPicker,
  kPickerConfig,
  kPlugins,
  kPlugin,
};

struct FieldType {
  Type in;
  std::string_view member;
  Type type;
};

constexpr std::array<FieldType, 53> kFieldTypes = {{
    {Type::kWorkload, "template", Type::kTemplate},
    {Type::kGroup, "leaderWorkerTemplate", Type::kGroupTemplate},
    {Type::kGroupTemplate, "leaderTemplate", Type::kTemplate},
    {Type::kGroupTemplate, "workerTemplate", Type::kTemplate},
    {Type::kCliqueSet, "template", Type::kCliqueSetTemplate},
    {Type::kCliqueSetTemplate, "cliques", Type::kCliques},
    {Type::kClique, "spec", Type::kCliqueSpec},
    {Type::kCliqueSpec, "podSpec", Type::kPod},
    {Type::kCheckpoint, "job", Type::kCheckpointJob},
    {Type::kCheckpointJob, "podTemplateSpec", Type::kTemplate},
    {Type::kTemplate, "spec", Type::kPod},
    {Type::kPod, "containers", Type::kContainers},
    {Type::kPod, "initContainers", Type::kContainers},
    {Type::kPod, "volumes", Type::kVolumes},
    {Type::kPod, "overhead", Type::kQuantities},
    {Type::kComponentPod, "containers", Type::kContainers},
    {Type::kComponentPod, "initContainers", Type::kContainers},
    {Type::kComponentPod, "volumes", Type::kVolumes},
    {Type::kComponentPod, "overhead", Type::kQuantities},
    {Type::kComponentPod, "mainContainer", Type::kMainContainer},
    {Type::kContainer, "resources", Type::kResources},
    {Type::kContainer, "env", Type::kVariables},
    {Type::kContainer, "ports", Type::kPorts},
    {Type::kContainer, "volumeMounts", Type::kMounts},
    {Type::kContainer, "livenessProbe", Type::kProbe},
    {Type::kContainer, "readinessProbe", Type::kProbe},
    {Type::kContainer, "startupProbe", Type::kProbe},
    {Type::kMainContainer, "resources", Type::kResources},
    {Type::kMainContainer, "env", Type::kVariables},
    {Type::kMainContainer, "ports", Type::kPorts},
    {Type::kMainContainer, "volumeMounts", Type::kMounts},
    {Type::kMainContainer, "livenessProbe", Type::kProbe},
    {Type::kMainContainer, "readinessProbe", Type::kProbe},
    {Type::kMainContainer, "startupProbe", Type::kProbe},
    {Type::kResources, "limits", Type::kQuantities},
    {Type::kResources, "requests", Type::kQuantities},
    {Type::kVolume, "emptyDir", Type::kEmptyDir},
    {Type::kVolume, "persistentVolumeClaim", Type::kClaimSource},
    {Type::kEmptyDir, "sizeLimit", Type::kQuantity},
    {Type::kVariable, "valueFrom", Type::kVariableSource},
    {Type::kVariableSource, "resourceFieldRef", Type::kResourceField},
    {Type::kResourceField, "divisor", Type::kQuantity},
    {Type::kComponent, "extraPodSpec", Type::kComponentPod},
    {Type::kComponent, "envs", Type::kVariables},
    {Type::kComponent, "sharedMemory", Type::kSharedMemory},
    {Type::kSharedMemory, "size", Type::kQuantity},
    {Type::kComponent, "autoscaling", Type::kAutoscaling},
    {Type::kComponent, "ingress", Type::kWayIn},
    {Type::kComponent, "scalingAdapter", Type::kScalingAdapter},
    {Type::kComponent, "checkpoint", Type::kRestoration},
    {Type::kComponent, "volumeMounts", Type::kClaimMounts},
    {Type::kComponent, "eppConfig", Type::kPicker},
    {Type::kPicker, "config", Type::kPickerConfig},
}};

// A value that is written even if it was not set.
struct ZeroValue {
  Type in;
  std::string_view member;
  std::string_view json;
};

constexpr std::array<ZeroValue, 9> kZeroValues = {{
    {Type::kGroup, "rolloutStrategy", R"({"type":""})"},
    {Type::kContainer, "resources", "{}"},
    {Type::kMainContainer, "resources", "{}"},
    {Type::kMainContainer, "name", R"("")"},
    {Type::kComponentPod, "containers", "null"},
    {Type::kSharedMemory, "size", R"("0")"},
    {Type::kResourceField, "divisor", R"("0")"},
    {Type::kPlugin, "name", R"("")"},
    {Type::kPlugin, "parameters", "null"},
}};

Type type_of(Type in, std::string_view member) {
  if (in == Type::kQuantities) return Type::kQuantity;
  if (in == Type::kPickerConfig) return member == "plugins" ? Type::kPlugins : Type::kPlain;
  const auto* const found = std::ranges::find_if(kFieldTypes, [in, member](const FieldType& field) {
    return field.in == in && field.member == member;
  });
  return found == kFieldTypes.end() ? Type::kPlain : found->type;
}

Type element_of(Type list) {
  switch (list) {
    case Type::kCliques:
      return Type::kClique;
    case Type::kContainers:
      return Type::kContainer;
    case Type::kVolumes:
      return Type::kVolume;
    case Type::kPorts:
      return Type::kPort;
    case Type::kMounts:
      return Type::kMount;
    case Type::kClaimMounts:
      return Type::kClaimMount;
    case Type::kVariables:
      return Type::kVariable;
    case Type::kPlugins:
      return Type::kPlugin;
    default:
      return Type::kPlain;
  }
}

// A value that is omitted if it is 0, false or "", regardless of the writer.
struct OmitEmptyField {
  Type in;
  std::string_view member;
};

constexpr std::array<OmitEmptyField, 17> kOmitEmptyFields = {{
    {Type::kProbe, "initialDelaySeconds"},
    {Type::kProbe, "timeoutSeconds"},
    {Type::kProbe, "periodSeconds"},
    {Type::kProbe, "successThreshold"},
    {Type::kProbe, "failureThreshold"},
    {Type::kPort, "name"},
    {Type::kPort, "hostPort"},
    {Type::kPort, "protocol"},
    {Type::kPort, "hostIP"},
    {Type::kMount, "readOnly"},
    {Type::kMount, "subPath"},
    {Type::kMount, "subPathExpr"},
    {Type::kClaimSource, "readOnly"},
    {Type::kEmptyDir, "medium"},
    {Type::kPod, "hostNetwork"},
    {Type::kPod, "hostPID"},
    {Type::kPod, "hostIPC"},
}};

// Switches of a component, some of which the CRD of graphs defaults. When off, they are omitted
// only from the hash: a switch that was turned off must be applied, or the object would keep its
// effect.
constexpr std::array<OmitEmptyField, 8> kSwitches = {{
    {Type::kComponent, "globalDynamoNamespace"},
    {Type::kAutoscaling, "enabled"},
    {Type::kWayIn, "enabled"},
    {Type::kWayIn, "useVirtualService"},
    {Type::kScalingAdapter, "enabled"},
    {Type::kRestoration, "enabled"},
    {Type::kSharedMemory, "disabled"},
    {Type::kClaimMount, "useAsCompilationCache"},
}};

bool is_zero(json::Value value) {
  return value.string() == "" || value.boolean() == false || value.integer() == 0;
}

enum class Form : std::uint8_t { kApplied, kHashed };

// An empty value of a variable is omitted only in the hash.
bool is_omitted(Type in, const json::Member& member, Form form) {
  if (in == Type::kVariable) {
    return form == Form::kHashed && member.name == "value" && member.value.string() == "";
  }
  // The component's pod has the fields of a pod.
  const Type type = in == Type::kComponentPod ? Type::kPod : in;
  const auto is_it = [&](const OmitEmptyField& field) {
    return field.in == type && field.member == member.name;
  };
  if (!is_zero(member.value)) return false;
  return std::ranges::any_of(kOmitEmptyFields, is_it) ||
         (form == Form::kHashed && std::ranges::any_of(kSwitches, is_it));
}

void write(json::Writer& out, Type type, json::Value value, Form form);

void write_object(json::Writer& out, Type type, json::Value object, Form form) {
  out.start_object();
  for (const json::Member member : object.members()) {
    if (is_omitted(type, member, form)) continue;
    out.key(member.name);
    write(out, type_of(type, member.name), member.value, form);
  }
  for (const ZeroValue& zero_value : kZeroValues) {
    const bool is_written = form == Form::kHashed && zero_value.in == type;
    if (is_written && !object[zero_value.member].exists())
      out.key(zero_value.member).raw(zero_value.json);
  }
  out.end_object();
}

void write(json::Writer& out, Type type, json::Value value, Form form) {
  const bool is_quantity = type == Type::kQuantity && (value.is_string() || value.number());
  if (is_quantity && form == Form::kHashed) {
    out.string(canonical_quantity(value.is_string() ? value.string_or_empty()
                                                    : std::string_view(json::to_text(value))));
  } else if (value.is_object() && type != Type::kPlain) {
    write_object(out, type, value, form);
  } else if (value.is_array() && element_of(type) != Type::kPlain) {
    out.start_array();
    for (const json::Value element : value.elements()) {
      write(out, element_of(type), element, form);
    }
    out.end_array();
  } else {
    out.value(value);
  }
}

Type type_of_kind(std::string_view kind) {
  if (kind == "Deployment" || kind == "Job") return Type::kWorkload;
  if (kind == "LeaderWorkerSet") return Type::kGroup;
  if (kind == "PodCliqueSet") return Type::kCliqueSet;
  if (kind == "DynamoComponentDeployment") return Type::kComponent;
  return kind == "DynamoCheckpoint" ? Type::kCheckpoint : Type::kPlain;
}

// --- Quantities.

// `digits` times ten to the `exponent`.
struct Decimal {
  std::int64_t digits = 0;
  int exponent = 0;
};

std::optional<Decimal> read_decimal(std::string_view text, std::size_t& length) {
  constexpr std::size_t kMaxDigits = 18;
  Decimal number;
  std::size_t count = 0;
  bool point = false;
  for (length = 0; length < text.size(); ++length) {
    const char letter = text[length];
    if (letter == '.' && !point) {
      point = true;
    } else if (letter >= '0' && letter <= '9') {
      if (++count > kMaxDigits) return std::nullopt;
      number.digits = number.digits * 10 + (letter - '0');
      if (point) --number.exponent;
    } else {
      break;
    }
  }
  if (count == 0) return std::nullopt;
  return number;
}

constexpr std::string_view kBinary = "KMGTPE";
constexpr std::array<std::string_view, 10> kDecimal = {"n", "u", "m", "",  "k",
                                                       "M", "G", "T", "P", "E"};
constexpr int kNano = -9;
constexpr int kThousand = 3;

std::string decimal_text(Decimal number) {
  if (number.digits == 0) return "0";
  while (number.digits % 10 == 0) {
    number.digits /= 10;
    ++number.exponent;
  }
  while (number.exponent % kThousand != 0) {
    number.digits *= 10;
    --number.exponent;
  }
  const int index = (number.exponent - kNano) / kThousand;
  if (number.exponent < kNano || index >= static_cast<int>(kDecimal.size())) return {};
  return std::to_string(number.digits).append(kDecimal.at(static_cast<std::size_t>(index)));
}

// "" if it is not a whole number of bytes or too large.
std::string binary_text(Decimal number, std::size_t power) {
  constexpr std::int64_t kKibi = 1024;
  constexpr std::int64_t kMax = std::numeric_limits<std::int64_t>::max();
  for (; power > 0; --power) {
    if (number.digits > kMax / kKibi) return {};
    number.digits *= kKibi;
  }
  for (; number.exponent < 0; ++number.exponent) {
    if (number.digits % 10 != 0) return {};
    number.digits /= 10;
  }
  if (number.digits < kKibi) return decimal_text(number);
  std::size_t reached = 0;
  while (number.digits % kKibi == 0 && reached < kBinary.size()) {
    number.digits /= kKibi;
    ++reached;
  }
  std::string text = std::to_string(number.digits);
  if (reached > 0) text.append({kBinary[reached - 1], 'i'});
  return text;
}

}  // namespace

std::string canonical_quantity(std::string_view text) {
  std::size_t length = 0;
  const bool positive = text.starts_with('+');
  const auto number = read_decimal(text.substr(positive ? 1 : 0), length);
  if (!number) return std::string(text);
  const std::string_view suffix = text.substr(length + (positive ? 1 : 0));
  std::string canonical;
  if (suffix.size() == 2 && suffix[1] == 'i' && kBinary.find(suffix[0]) != std::string_view::npos) {
    canonical = binary_text(*number, kBinary.find(suffix[0]) + 1);
  } else {
    const auto* const found = std::ranges::find(kDecimal, suffix);
    if (found == kDecimal.end()) return std::string(text);
    const int exponent = kNano + static_cast<int>(found - kDecimal.begin()) * kThousand;
    canonical = decimal_text({number->digits, number->exponent + exponent});
  }
  return canonical.empty() ? std::string(text) : canonical;
}

std::string go_form(std::string_view kind, json::Value spec) {
  std::string text;
  json::Writer out(text);
  write(out, type_of_kind(kind), spec, Form::kHashed);
  return text;
}

std::string without_zeros(std::string_view kind, json::Value spec) {
  std::string text;
  json::Writer out(text);
  write(out, type_of_kind(kind), spec, Form::kApplied);
  return text;
}

}  // namespace dynamo::render
