// The names and types of services.
#include <algorithm>
#include <array>
#include <charconv>
#include <optional>
#include <span>

#include "schema/suggest.hpp"
#include "text/names.hpp"
#include "validators/rendered/pod/visit.hpp"
#include "validators/rendered/pod/vocabulary.hpp"
#include "validators/rendered/proof.hpp"
#include "validators/rule.hpp"

namespace dynamo::validators::naming {

using api::Context;

namespace {

using api::ErrorType;
using render::Component;

// The part of `longer` after `shorter` and '-'; nullopt if it does not begin so.
std::optional<std::string_view> suffix_after(std::string_view shorter, std::string_view longer) {
  if (longer.size() < shorter.size() + 2 || longer[shorter.size()] != '-') return std::nullopt;
  if (!pod::are_equal_ignoring_case(shorter, longer.substr(0, shorter.size()))) return std::nullopt;
  return longer.substr(shorter.size() + 1);
}

bool is_one_of(std::string_view text, std::string_view one, std::string_view other) {
  return pod::are_equal_ignoring_case(text, one) || pod::are_equal_ignoring_case(text, other);
}

// Whether the text is a replica index as it appears in names.
bool numbers_a_replica(std::string_view text, const Component& component) {
  std::int64_t number = 0;
  const auto [end, error] = std::from_chars(text.data(), text.data() + text.size(), number);
  if (error != std::errc{} || end != text.data() + text.size()) return false;
  if (text.front() == '-' || (text.size() > 1 && text.front() == '0')) return false;
  return number < std::max<std::int64_t>(component.service.effective_replicas(), 1);
}

bool has_services_for_debugging(const Component& component) {
  const render::DiscoveryBackend discovery = render::discovery_of(component);
  return component.type == render::ComponentType::kFrontend ||
         discovery == render::DiscoveryBackend::kKubernetes ||
         discovery == render::DiscoveryBackend::kUnknown;
}

std::string collision_detail(std::string_view rule, const RenderedPod& pod,
                             const RenderedPod& other) {
  std::string text(rule);
  text += "; found " + quoted(pod.component->service_name) + " next to " +
          quoted(other.component->service_name) + "; rename one of them";
  return text;
}

// Compares `pod`, whose name begins with that of `other`, for collisions.
void compare(const Context& context, const RenderedPod& pod, const RenderedPod& other,
             Report& report) {
  const Component& owner = *other.component;
  const auto suffix = suffix_after(owner.service_name, pod.component->service_name);
  if (!suffix) return;
  const api::Fact grove = runs_through_grove(context, owner);
  if (owner.is_multinode() && grove != api::Fact::kNo && is_one_of(*suffix, "ldr", "wkr")) {
    return add_finding(
        report, grove == api::Fact::kYes, ErrorType::kDuplicate, *pod.path,
        collision_detail("must not be the name of another service with \"-ldr\" or \"-wkr\", which "
                         "Grove gives to the nodes of that one",
                         pod, other),
        about({owner.service_name}));
  }
  if (grove == api::Fact::kYes) return;
  if (is_one_of(*suffix, "p", "d") && has_services_for_debugging(owner)) {
    return report.also_warn(
        *pod.path,
        collision_detail("must not be the name of another service with \"-p\" or \"-d\", "
                         "which the operator gives to Services of that one",
                         pod, other),
        about({owner.service_name}));
  }
  if (runs_through_leader_worker_set(context, owner) == api::Fact::kNo) return;
  if (!numbers_a_replica(*suffix, owner)) return;
  report.also_warn(
      *pod.path,
      collision_detail("must not be the name of another service with a number, which the "
                       "LeaderWorkerSets of that one have",
                       pod, other),
      about({owner.service_name}));
}

void name_collision(const Context& context, const RenderedObject& object, Report& report) {
  const std::span<const RenderedPod> pods = object.pods;  // at most api::kMaxServices
  for (std::size_t at = 1; at < pods.size(); ++at) {
    for (std::size_t before = 0; before < at; ++before) {
      const std::string_view name = pods[at].component->service_name;
      const std::string_view other = pods[before].component->service_name;
      if (name.size() > other.size()) {
        compare(context, pods[at], pods[before], report);
      } else if (name.size() < other.size()) {
        compare(context, pods[before], pods[at], report);
      } else if (pod::are_equal_ignoring_case(name, other)) {
        report.add(ErrorType::kDuplicate, *pods[at].path,
                   collision_detail(
                       "must differ from other services in more than upper and lower case, as "
                       "all names are made from it in lower case",
                       pods[at], pods[before]),
                   about({other}));
      }
    }
  }
}

void name_dns(const Context&, const RenderedPod& pod, Report& report) {
  constexpr std::size_t kLongest = 63;
  const std::string_view name = pod.component->service_name;
  const auto is_wrong = [](char letter) {
    const char lower = render::to_lower(letter);
    return lower != '-' && (lower < 'a' || lower > 'z') && (lower < '0' || lower > '9');
  };
  const bool right = !name.empty() && name.size() <= kLongest && name.front() != '-' &&
                     name.back() != '-' && std::ranges::none_of(name, is_wrong);
  if (right) return;
  report.add(ErrorType::kInvalid, *pod.path,
             pod::found("must be at most 63 letters, digits and '-', beginning and ending with a "
                        "letter or digit, as it is a label and a part of names",
                        name, "rename the service"));
}

// Common names that have no meaning here but are similar to one that has.
constexpr std::array<std::string_view, 7> kOtherTypes = {"main",    "default", "app",      "encode",
                                                         "encoder", "router",  "processor"};

// The nearest word of `first`, otherwise of `second`.
std::string_view nearest_of_both(std::span<const std::string_view> first,
                                 std::span<const std::string_view> second, std::string_view word) {
  const std::array<std::string_view, 2> nearest{schema::nearest_word(first, word),
                                                schema::nearest_word(second, word)};
  if (nearest[0].empty() || nearest[1].empty()) return nearest[nearest[0].empty() ? 1 : 0];
  return schema::nearest_word(nearest, word);
}

void component_type_unknown(const Context& context, const RenderedPod& pod, Report& report) {
  const std::string_view type = pod.component->service.component_type();
  if (type.empty() || pod.component->type != render::ComponentType::kGeneric) return;
  const api::FieldPath path = pod.path->child("componentType");
  if (!text::is_label_value(type)) {
    return report.add(ErrorType::kInvalid, path,
                      pod::found("must be the value of a label: at most 63 letters, digits, '-', "
                                 "'_' and '.', beginning and ending with a letter or digit",
                                 type));
  }
  const auto known = pod::kComponentTypes.words;
  const std::string_view suggestion = nearest_of_both(known, kOtherTypes, type);
  if (std::ranges::find(known, suggestion) == known.end()) {
    return add_finding(
        report, severity_of(OperatorBehaviour::kCustomComponentType, context),
        ErrorType::kNotSupported, path,
        pod::found("must be frontend, worker, prefill, decode, planner or epp in v1beta1", type,
                   "set one of them"));
  }
  report.also_warn(path, "must be spelled " + quoted(suggestion) + " to be one; found " +
                             quoted(type) +
                             ", which gets no probes, no ports and no engine settings");
}

void component_type_missing(const Context&, const RenderedPod& pod, Report& report) {
  const json::Value type = pod.component->service.value()["componentType"];
  const bool missing = type.is_nothing() || (type.is_string() && type.string_or_empty().empty());
  if (!missing) return;
  report.add(ErrorType::kRequired, pod.path->child("componentType"),
             "must be set, or the Service finds no pods and nothing probes them; set frontend, "
             "worker, prefill, decode, planner, epp or a name of your own");
}

}  // namespace

extern constexpr Rule kNameCollisionRule{
    .id = "dgd.services.name-collision",
    .kinds = kinds::kGraphs,
    .function = &name_collision,
    .field = "spec.services[NAME]",
};

extern constexpr Rule kNameDnsRule{
    .id = "dgd.services.name-dns",
    .kinds = kinds::kGraphs,
    .function = &name_dns,
    .field = "spec.services[NAME]",
};

extern constexpr Rule kComponentTypeUnknownRule{
    .id = "dgd.component-type.unknown",
    .kinds = kinds::kServices,
    .function = &component_type_unknown,
    .field = "P.componentType",
};

extern constexpr Rule kComponentTypeMissingRule{
    .id = "dgd.component-type.missing",
    .kinds = kinds::kServices,
    .severity = Severity::kWarn,
    .function = &component_type_missing,
    .field = "P.componentType",
};

}  // namespace dynamo::validators::naming
