#include "admission/both_versions.hpp"

#include <algorithm>
#include <array>
#include <span>
#include <string_view>
#include <utility>

#include "admission/client_words.hpp"
#include "conversion/field_paths.hpp"
#include "json/scan.hpp"
#include "text/presentable.hpp"
#include "validators/catalog.hpp"
#include "validators/hub/validate.hpp"
#include "validators/operator_profile.hpp"
#include "validators/validate.hpp"

namespace dynamo::admission {
namespace {

using api::Version;

// A converted object nests a few levels deeper, because a pod template does.
constexpr std::size_t kMaxConvertedDepth = 256;
constexpr std::size_t kKeptBytes = std::size_t{1} << 20U;

constexpr Version other(Version version) {
  return version == Version::kV1alpha1 ? Version::kV1beta1 : Version::kV1alpha1;
}

// The memory of a shorter text is not counted.
constexpr std::size_t kMaxUncounted = std::size_t{64} << 10U;

// Names in the reason may have any length.
constexpr std::size_t kLongestReason = 400;

std::string presentable_reason(std::string_view reason) {
  std::string text;
  text::append_presentable(text, reason, kLongestReason);
  return text;
}

// The reason names a field first, or an annotation with a payload of an earlier conversion.
std::string field_of(std::string_view reason) {
  constexpr std::string_view kAnnotation = "annotation ";
  if (reason.starts_with(kAnnotation)) {
    reason.remove_prefix(kAnnotation.size());
    return std::string("metadata.annotations[").append(reason.substr(0, reason.find(':'))) + "]";
  }
  const std::string_view first = reason.substr(0, std::min(reason.find(": "), reason.find(' ')));
  const bool is_field =
      first.starts_with("spec") || first.starts_with("status") || first.starts_with("metadata");
  return is_field ? presentable_reason(first) : std::string("spec");
}

constexpr std::string_view kLaterRuleOnNames = "hub.component.name-length";

// Rules on the key of a service, which is the name of a component.
constexpr std::array kRulesOnNames = std::to_array<std::string_view>({
    "dgd.name.length.lws",
    "dgd.name.length.service",
    "dgd.services.name-collision",
    "dgd.services.name-dns",
});

bool is_rule_on_names(std::string_view rule) {
  return std::ranges::find(kRulesOnNames, rule) != kRulesOnNames.end();
}

// A rule of later operators, and a rule on rendered objects that reports the same mistake at the
// same field.
struct RuleOfBoth {
  std::string_view later;
  std::string_view rendered;
};

constexpr RuleOfBoth kRulesOfBoth[] = {
    {"hub.alpha.runtime-image", "pod.image"},
    {"hub.component.shared-memory", "storage.shm.size"},
    {"hub.runtime.image", "pod.image"},
};

// Whether a finding of a rule of later operators reports that of a rule on rendered objects. The
// former has the severity that the policy sets.
template <typename Later, typename Rendered>
bool covers(const Later& later, const Rendered& rendered) {
  return later.field == rendered.field &&
         std::ranges::any_of(kRulesOfBoth, [&](const RuleOfBoth& each) {
           return each.later == later.rule && each.rendered == rendered.rule;
         });
}

// Whether both are one mistake, at the same field.
bool are_same_mistake(const api::Error& known, const api::Error& error) {
  return known.type == error.type ||
         (known.rule == kLaterRuleOnNames && is_rule_on_names(error.rule));
}

}  // namespace

bool BothVersions::convert(api::Kind kind, const api::AdmissionRequest& request,
                           api::ErrorList& findings) {
  kind_ = api::names(kind).name;
  memory_ = max_memory_;
  client_version_ = request.client_version();
  for (Object* const object : {&now_, &old_}) {
    object->alpha = {};
    object->beta = {};
  }
  const bool is_update = request.operation == api::Operation::kUpdate;
  if (!api::has_two_versions(kind)) {
    client_version_ = Version::kV1alpha1;
    now_.alpha = request.object;
    if (is_update) old_.alpha = request.old_object;
    return true;
  }
  if (!convert(request.object, request.version(), now_, findings)) return false;
  if (!is_update) return true;
  if (!convert(request.old_object, request.version(), old_, findings)) return false;
  // The operator compares whole specs of requests only. Converted objects are normal.
  const bool is_compared = kind == api::Kind::kGraphDeploymentRequest &&
                           request.version() == Version::kV1beta1 &&
                           !json::equal(now_.beta["spec"], old_.beta["spec"]);
  if (!is_compared) return true;
  for (Object* const object : {&now_, &old_}) {
    if (const auto reason = normalize(*object)) {
      refuse(*reason, "must be readable for the comparison with the old object", findings);
      return false;
    }
  }
  return true;
}

std::optional<std::string> BothVersions::parse(Copy& copy) {
  const std::size_t size = copy.text.size();
  copy.text.append(json::kParsePadding, '\0');
  if (size > kMaxUncounted) {
    const std::size_t needed = json::max_parse_memory(copy.text);
    if (needed > memory_) return std::string(conversion::kTooLarge);
    memory_ -= needed;
  }
  const auto fault = parser_.parse(std::span(copy.text).first(size),
                                   {.max_depth = kMaxConvertedDepth}, copy.document);
  return fault ? std::optional("spec: " + fault->reason) : std::nullopt;
}

std::optional<std::string> BothVersions::normalize(Object& object) {
  object.normal.text.clear();
  converter_.limit_memory(memory_);
  auto reason = converter_.normalize(kind_, object.beta, Version::kV1beta1, object.normal.text);
  if (!reason) reason = parse(object.normal);
  if (!reason) object.beta = object.normal.document.root();
  return reason;
}

std::optional<std::string> BothVersions::convert(json::Value written, Version target, Copy& copy) {
  copy.text.clear();
  converter_.limit_memory(memory_);
  if (auto reason = converter_.convert_known(kind_, written, target, copy.text)) return reason;
  return parse(copy);
}

void BothVersions::refuse(std::string_view reason, std::string_view what,
                          api::ErrorList& findings) {
  findings.add({api::ErrorType::kInvalid, field_of(reason),
                std::string(what) + "; found: " + presentable_reason(reason),
                validators::find_rule("type.mismatch")->id});
}

bool BothVersions::convert(json::Value written, Version version, Object& object,
                           api::ErrorList& findings) {
  if (const auto reason = convert(written, other(version), object.converted)) {
    const std::string target(api::name(other(version)));
    refuse(*reason, "must be convertible to " + target + ", which the API server does", findings);
    return false;
  }
  const json::Value converted = object.converted.document.root();
  object.alpha = version == Version::kV1alpha1 ? written : converted;
  object.beta = version == Version::kV1alpha1 ? converted : written;
  return true;
}

void BothVersions::validate(const api::Context& context, const validators::Severities& severities,
                            api::ErrorList& findings, render::Arena& arena) {
  of_hub_.clear();
  of_alpha_.clear();
  const bool has_two = now_.beta.exists();
  validators::hub::validate({.context = context,
                             .object = has_two ? now_.beta : now_.alpha,
                             .old = has_two ? old_.beta : old_.alpha,
                             .alpha = now_.alpha,
                             .old_alpha = old_.alpha,
                             .is_alpha_request = client_version_ == Version::kV1alpha1},
                            of_hub_, severities);
  validators::validate(context, now_.alpha, old_.alpha, of_alpha_,
                       validators::severities_with_later_operator(context.kind, severities), arena,
                       {.object = now_.beta, .old = old_.beta});
  add(of_hub_, true, findings);
  add(of_alpha_, false, findings);
  findings.sort_by_field();
}

// Names the field, and fields in the detail, in the version of the client.
void BothVersions::write_for_client(std::string& field, std::string& detail, std::string_view rule,
                                    bool is_hub) const {
  if (!now_.beta.exists()) return;
  const bool is_beta_client = client_version_ == Version::kV1beta1;
  const bool is_in_alpha_words = !is_hub || rule.starts_with("hub.alpha.");
  // Details of later rules on metadata list values such as `component`.
  const bool has_words = is_in_alpha_words || field.starts_with("spec");
  const Version version =
      is_hub ? conversion::version_of_field_path(field, kind_) : Version::kV1alpha1;
  if (version != client_version_) {
    const conversion::ObjectVersions object{kind_, now_.alpha, now_.beta};
    const std::string_view annotation =
        is_beta_client ? conversion::annotation_of_kept_field(field, object) : std::string_view();
    if (!annotation.empty()) {
      detail.append("; v1beta1 keeps this field of v1alpha1 in the annotation ").append(annotation);
      return;
    }
    field = conversion::convert_field_path(field, object, client_version_);
    if (is_beta_client && is_rule_on_names(rule) && field.ends_with(']')) field += ".name";
  }
  if (is_in_alpha_words == is_beta_client && has_words) {
    detail = in_words_of(client_version_, detail);
  }
}

void BothVersions::add(const api::ErrorList& from, bool is_hub, api::ErrorList& findings) const {
  const std::size_t errors_before = findings.errors().size();
  const std::size_t warnings_before = findings.warnings().size();
  const auto is_covered = [&](const auto& finding) {
    const auto covers_it = [&finding](const auto& later) { return covers(later, finding); };
    return std::ranges::any_of(findings.errors().first(errors_before), covers_it) ||
           std::ranges::any_of(findings.warnings().first(warnings_before), covers_it);
  };
  const auto is_reported = [&](const api::Error& error) {
    return is_covered(error) ||
           std::ranges::any_of(
               findings.errors().first(errors_before), [&error](const api::Error& known) {
                 return known.field == error.field && are_same_mistake(known, error);
               });
  };
  for (api::Error error : from.errors()) {
    write_for_client(error.field, error.detail, error.rule, is_hub);
    if (is_hub || !is_reported(error)) findings.add(std::move(error));
  }
  for (api::Warning warning : from.warnings()) {
    write_for_client(warning.field, warning.detail, warning.rule, is_hub);
    if (is_hub || !is_covered(warning)) findings.warn(std::move(warning));
  }
  findings.omit_errors(from.omitted_errors());
  findings.omit_warnings(from.omitted_warnings());
}

void BothVersions::shrink_to(std::size_t nodes) {
  for (Copy* const copy : {&now_.converted, &now_.normal, &old_.converted, &old_.normal}) {
    if (copy->document.capacity() > nodes) [[unlikely]]
      copy->document.shrink_to(nodes);
    if (copy->text.capacity() > kKeptBytes) [[unlikely]]
      std::string().swap(copy->text);
  }
}

}  // namespace dynamo::admission
