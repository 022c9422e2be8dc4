#include "tests/render/rendering.hpp"

#include <memory>
#include <stdexcept>
#include <utility>

#include "json/parser.hpp"
#include "json/writer.hpp"
#include "json/yaml.hpp"

namespace dynamo::test {
namespace {

constexpr std::string_view kNamespace = "ml";

std::string with_default_name(std::string_view yaml) {
  std::string text(yaml);
  if (!text.starts_with("metadata") && text.find("\nmetadata") == std::string::npos) {
    text = "metadata: {name: llama}\n" + text;
  }
  return text;
}

std::string indented(std::string_view text, std::size_t by) {
  std::string out;
  for (std::size_t at = 0; at < text.size();) {
    const std::size_t end = std::min(text.find('\n', at), text.size());
    out += std::string(by, ' ');
    out += text.substr(at, end - at);
    out += '\n';
    at = end + 1;
  }
  return out;
}

std::string one_service(std::string_view service, std::string_view spec) {
  std::string text = "spec:\n" + indented(spec, 2) + "  services:\n    Worker:\n";
  if (service.find("componentType") == std::string_view::npos) {
    text += "      componentType: worker\n";
  }
  return text + indented(service, 6);
}

}  // namespace

Yaml::Yaml(std::string_view text) {
  json::YamlReader reader(text);
  if (reader.next(document_) != json::YamlReader::ReadResult::kDocument) {
    throw std::runtime_error(reader.error().message() + "\n" + std::string(text));
  }
}

render::Profile plain_profile(render::Pathway pathway) {
  render::Profile profile;
  profile.operator_generation = api::OperatorGeneration::kFirst;
  profile.pathway = pathway;
  profile.discovery = render::DiscoveryBackend::kKubernetes;
  profile.nats_address = "";
  profile.etcd_address = "";
  profile.model_express_url = "";
  profile.prometheus_endpoint = "";
  profile.mpi_secret_name = "mpi-ssh";
  profile.kai_scheduler = api::Fact::kNo;
  return profile;
}

Manifest::Manifest(std::string_view yaml, render::Profile given_profile)
    : profile(std::move(given_profile)), document_(with_default_name(yaml)) {}

render::Component Manifest::service(std::string_view name) const {
  const api::GraphDeployment object = graph();
  const json::Value service = object.services()[name];
  if (!service.exists()) throw std::runtime_error("no service " + std::string(name));
  return render::component_of(object, kNamespace, name, service, profile);
}

render::Component Manifest::component() const {
  return render::component_of(api::ComponentDeployment{document_.root()}, kNamespace, profile);
}

OneService::OneService(std::string_view service, render::Profile given_profile,
                       std::string_view spec)
    : Manifest(one_service(service, spec), std::move(given_profile)) {}

std::vector<std::string> text_of(std::span<const render::Variable> variables) {
  return text_of(variables, "");
}

std::vector<std::string> text_of(std::span<const render::Variable> variables,
                                 std::string_view prefix) {
  std::vector<std::string> out;
  for (const render::Variable& variable : variables) {
    if (!variable.name.starts_with(prefix)) continue;
    std::string text = std::string(variable.name) + "=";
    if (!variable.field_path.empty()) {
      text += "<" + std::string(variable.field_path) + ">";
    } else if (variable.definition["valueFrom"].exists()) {
      text += "<>";
    }
    text += variable.literal();
    if (!variable.certain) text += "?";
    out.push_back(text);
  }
  return out;
}

std::vector<std::string> text_of(const render::Resources& resources) {
  std::vector<std::string> out;
  for (const render::Resource& resource : resources.items) {
    out.push_back(std::string(resource.name) + " " + text_of(resource.limit) + "/" +
                  text_of(resource.request));
  }
  return out;
}

std::vector<std::string> text_of(std::span<const render::Mount> mounts) {
  std::vector<std::string> out;
  for (const render::Mount& mount : mounts) {
    out.push_back(std::string(mount.volume) + " at " + std::string(mount.path) +
                  (mount.read_only ? " ro" : "") + (mount.certain ? "" : "?"));
  }
  return out;
}

std::vector<std::string> text_of(std::span<const render::Label> labels) {
  std::vector<std::string> out;
  for (const render::Label& label : labels) {
    out.push_back(std::string(label.key) + "=" + std::string(label.value) +
                  (label.certain ? "" : "?"));
  }
  return out;
}

std::vector<std::string> text_of(std::span<const std::string_view> texts) {
  return {texts.begin(), texts.end()};
}

std::string text_of(const render::Overlay& overlay) {
  if (overlay.is_nothing()) return "";
  std::string text;
  json::Writer writer(text);
  render::write_overlay(writer, overlay);
  return text;
}

std::string text_of(json::Value value) {
  return json::to_text(value);
}

std::vector<std::string> volumes_of(const render::Component& component, const render::Pod& pod,
                                    render::Arena& arena) {
  std::string text;
  json::Writer writer(text);
  render::write_pod_spec(writer, component, pod, arena);
  const auto parsed = json::parse_copy(text);
  std::vector<std::string> out;
  for (const json::Value volume : parsed->root()["volumes"].elements()) {
    out.push_back(text_of(volume));
  }
  return out;
}

std::string path_of(const render::Origin& origin) {
  const api::FieldPath spec("spec");
  const api::FieldPath services = spec.child("services");
  const api::FieldPath service = services.key("Worker");
  return render::OriginPath(service, origin).path().render();
}

}  // namespace dynamo::test
