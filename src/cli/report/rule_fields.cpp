#include "cli/report/rule_fields.hpp"

#include <algorithm>
#include <array>
#include <initializer_list>
#include <memory>
#include <optional>
#include <string_view>

#include "api/kind.hpp"
#include "conversion/field_paths.hpp"
#include "json/parser.hpp"
#include "validators/catalog.hpp"
#include "validators/operator_profile.hpp"

namespace dynamo::cli {
namespace {

using conversion::Version;

std::string joined(std::initializer_list<std::string_view> pieces) {
  std::string text;
  for (const std::string_view piece : pieces) text += piece;
  return text;
}

// Where a kind has the fields of a service or component.
std::string_view holder_of(api::Kind kind, bool is_beta) {
  if (kind == api::Kind::kComponentDeployment) return "spec";
  if (kind != api::Kind::kGraphDeployment) return {};
  return is_beta ? "spec.components[i]" : "spec.services[NAME]";
}

// The catalog's abbreviations: P contains a service, E is its extraPodSpec, M the mainContainer
// in that, C any container, H a component in v1beta1. The job of a checkpoint has a pod template
// instead of E.
void append_fields(api::Kind kind, std::string_view field, std::vector<std::string>& fields) {
  const std::string_view letter = field.substr(0, 1);
  const bool abbreviated = std::string_view("PEMCH").find(letter) != std::string_view::npos &&
                           (field.size() == 1 || field[1] == '.');
  if (!abbreviated) {
    fields.emplace_back(field);
    return;
  }
  const std::string_view rest = field.substr(1);
  const std::string_view holder = holder_of(kind, letter == "H");
  if (!holder.empty()) {
    if (letter == "P" || letter == "H") fields.push_back(joined({holder, rest}));
    if (letter == "E") fields.push_back(joined({holder, ".extraPodSpec", rest}));
    if (letter == "M" || letter == "C") {
      fields.push_back(joined({holder, ".extraPodSpec.mainContainer", rest}));
    }
    if (letter == "C") {
      fields.push_back(joined({holder, ".extraPodSpec.containers[i]", rest}));
      fields.push_back(joined({holder, ".extraPodSpec.initContainers[i]", rest}));
    }
  }
  if (kind == api::Kind::kCheckpoint && letter != "P" && letter != "M" && letter != "H") {
    constexpr std::string_view kJobPod = "spec.job.podTemplateSpec.spec";
    fields.push_back(joined({kJobPod, letter == "C" ? ".containers[i]" : "", rest}));
  }
}

// The fields in the version in which the catalog names them. It may name several, separated by
// commas.
std::vector<std::string> fields_of_kind(const validators::Rule& rule, api::Kind kind) {
  constexpr std::string_view kBetween = ", ";
  std::vector<std::string> fields;
  std::string_view rest = rule.field;
  while (!rest.empty()) {
    const std::size_t end = std::min(rest.find(kBetween), rest.size());
    append_fields(kind, rest.substr(0, end), fields);
    rest.remove_prefix(std::min(end + kBetween.size(), rest.size()));
  }
  return fields;
}

// Objects with an element for each `NAME` and `i` of the paths: conversions of paths find elements
// by name.
constexpr std::string_view kAlphaPod =
    R"("extraPodSpec":{"containers":[{"name":"i"}],"initContainers":[{"name":"i"}],)"
    R"("volumes":[{"name":"i"},{"name":"N"}],"mainContainer":{}},"volumeMounts":[{"name":"i"}])";
constexpr std::string_view kBetaPod =
    R"("podTemplate":{"spec":{"containers":[{"name":"main","volumeMounts":[{"name":"i"}]},)"
    R"({"name":"i"}],"initContainers":[{"name":"i"}],"volumes":[{"name":"i"},{"name":"N"}]}})";

class Templates {
 public:
  explicit Templates(api::Kind kind) : kind_(kind) {
    const bool is_graph = kind == api::Kind::kGraphDeployment;
    alpha_ = json::parse_copy(joined({R"({"spec":)", is_graph ? R"({"services":{"NAME":{)" : "{",
                                      kAlphaPod, is_graph ? "}}}" : "}", "}"}));
    beta_ = json::parse_copy(
        joined({R"({"spec":)", is_graph ? R"({"components":[{"name":"NAME",)" : "{", kBetaPod,
                is_graph ? "}]}" : "}", "}"}));
  }

  // The field in the other version; empty if that version lacks it.
  std::string convert(std::string_view field, Version target) const {
    const bool to_beta = target == Version::kV1beta1;
    const std::string path = to_beta ? std::string(field) : with_names(field);
    std::string converted = conversion::convert_field_path(
        path, {api::names(kind_).name, alpha_->root(), beta_->root()}, target);
    replace_indices(converted);
    const bool is_holder = converted == holder_of(kind_, to_beta) || converted == "spec";
    const bool was_holder = field == holder_of(kind_, !to_beta) || field == "spec";
    return is_holder && !was_holder ? std::string() : converted;
  }

 private:
  // Rules of later operators read the one component, and its container main.
  static std::string with_names(std::string_view field) {
    std::string path(field);
    constexpr std::array<std::array<std::string_view, 2>, 2> kNames{
        {{"components[i]", "components[NAME]"}, {"containers[i]", "containers[main]"}}};
    for (const auto& [any, named] : kNames) {
      const std::size_t at = path.find(any);
      if (at != std::string::npos) path.replace(at, any.size(), named);
    }
    return path;
  }

  static void replace_indices(std::string& path) {
    for (std::size_t at = path.find('['); at != std::string::npos; at = path.find('[', at + 1)) {
      const std::size_t end = path.find(']', at);
      const std::string_view key = std::string_view(path).substr(at + 1, end - at - 1);
      if (key.find_first_not_of("0123456789") == std::string_view::npos) {
        path.replace(at + 1, key.size(), "i");
      }
    }
  }

  api::Kind kind_;
  std::unique_ptr<json::ParsedText> alpha_;
  std::unique_ptr<json::ParsedText> beta_;
};

const Templates& templates_of(api::Kind kind) {
  static const Templates graph(api::Kind::kGraphDeployment);
  static const Templates other(api::Kind::kComponentDeployment);
  static const Templates request(api::Kind::kGraphDeploymentRequest);
  static const Templates adapter(api::Kind::kScalingAdapter);
  if (kind == api::Kind::kGraphDeployment) return graph;
  if (kind == api::Kind::kGraphDeploymentRequest) return request;
  return kind == api::Kind::kScalingAdapter ? adapter : other;
}

// The version of the catalog's fields.
bool is_in_beta(const validators::Rule& rule) {
  return rule.id.starts_with("hub.") && !rule.id.starts_with("hub.alpha.");
}

// Whether objects of both versions can have a finding of the rule. The image rules of later
// operators are one for each version.
bool serves_both(const validators::Rule& rule, api::Kind kind) {
  if (!api::has_two_versions(kind)) return false;
  if (is_in_beta(rule)) return !rule.id.starts_with("hub.runtime.");
  if (rule.id.starts_with("hub.")) return !rule.id.starts_with("hub.alpha.runtime-image");
  const std::optional<std::size_t> index = validators::find_rule_index(rule.id);
  return index && validators::severities_with_later_operator(kind, validators::default_severities())
                          .at(*index) != validators::Severity::kOff;
}

void add_new(std::string field, std::vector<std::string>& fields) {
  if (field.empty() || std::ranges::find(fields, field) != fields.end()) return;
  fields.push_back(std::move(field));
}

}  // namespace

std::vector<std::string> fields_of(const validators::Rule& rule) {
  std::vector<std::string> alpha;
  std::vector<std::string> beta;
  std::vector<std::string>& written = is_in_beta(rule) ? beta : alpha;
  std::vector<std::string>& other = is_in_beta(rule) ? alpha : beta;
  for (const api::KindNames& kind : api::kKinds) {
    if (!rule.kinds.has(kind.kind)) continue;
    const bool both = serves_both(rule, kind.kind);
    const Version target = is_in_beta(rule) ? Version::kV1alpha1 : Version::kV1beta1;
    for (std::string& field : fields_of_kind(rule, kind.kind)) {
      if (both) add_new(templates_of(kind.kind).convert(field, target), other);
      add_new(std::move(field), written);
    }
  }
  for (std::string& field : beta) add_new(std::move(field), alpha);
  return alpha;
}

}  // namespace dynamo::cli
