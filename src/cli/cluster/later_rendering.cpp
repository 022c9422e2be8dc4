#include "cli/cluster/later_rendering.hpp"

#include <optional>
#include <string>

#include "conversion/convert.hpp"
#include "conversion/field_paths.hpp"
#include "json/parser.hpp"
#include "validators/operator_profile.hpp"

namespace dynamo::cli {
namespace {

using api::Version;

bool is_v1beta1(json::Value object) {
  return conversion::parse_api_version(object["apiVersion"].string_or_empty()) == Version::kV1beta1;
}

render::Tree refused(api::Kind kind, json::Value object, std::string_view reason) {
  std::string line(api::names(kind).name);
  line.append(" ").append(object["metadata"]["name"].string_or_empty()).append(": ");
  return {.refused = {line.append(reason)}};
}

}  // namespace

bool is_rendered_by_later_operators(api::Kind kind, json::Value object,
                                    const api::ClusterFacts& facts) {
  const bool has_owned_objects = kind == api::Kind::kGraphDeployment ||
                                 kind == api::Kind::kComponentDeployment ||
                                 kind == api::Kind::kGraphDeploymentRequest;
  return is_v1beta1(object) || (has_owned_objects && validators::can_have_newer_fields(facts));
}

render::Tree later_tree_of(api::Kind kind, json::Value object, std::string_view namespace_name,
                           const render::RenderEnvironment& environment) {
  const Version written = is_v1beta1(object) ? Version::kV1beta1 : Version::kV1alpha1;
  std::string text;
  conversion::Converter converter;
  const Version other = written == Version::kV1beta1 ? Version::kV1alpha1 : Version::kV1beta1;
  if (const auto reason = converter.convert_known(api::names(kind).name, object, other, text)) {
    return refused(kind, object, "must be convertible: " + *reason);
  }
  const auto converted = json::parse_copy(text);
  const bool is_beta = written == Version::kV1beta1;
  const json::Value alpha = is_beta ? converted->root() : object;
  const json::Value beta = is_beta ? object : converted->root();
  const auto to_written = [&](const std::string& path) {
    return is_beta ? conversion::convert_field_path(path, {api::names(kind).name, alpha, beta},
                                                    Version::kV1beta1)
                   : path;
  };
  return render::hub_tree_of(kind, beta, alpha, namespace_name, environment, to_written);
}

}  // namespace dynamo::cli
