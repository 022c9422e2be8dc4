// Reads a JSON array of DynamoGraphDeployments on stdin. Prints one line for each: the rules'
// findings, and the Deployments that the operator would create for it on a cluster without Grove
// and LeaderWorkerSets. For tests/cluster/behaviours/pod_template_test.py.
#include <iostream>
#include <iterator>
#include <string>

#include "json/parser.hpp"
#include "json/writer.hpp"
#include "render/component/labels.hpp"
#include "render/object/object_renderer.hpp"
#include "render/object/write.hpp"
#include "validators/severities.hpp"
#include "validators/validate.hpp"

namespace dynamo {
namespace {

constexpr int kKubernetesMinor = 35;  // of the pinned API server

const api::ClusterFacts kFacts{.inference_pool_served = api::Fact::kYes,
                               .grove_served = api::Fact::kNo,
                               .leader_worker_set_served = api::Fact::kNo,
                               .kai_scheduler_served = api::Fact::kNo,
                               .kubernetes_discovery = api::Fact::kYes,
                               .operator_generation = api::OperatorGeneration::kFirst,
                               .kubernetes_minor = kKubernetesMinor};

template <typename Findings>
void write_findings(json::Writer& out, std::string_view name, const Findings& findings) {
  out.key(name).start_array();
  for (const auto& finding : findings) {
    out.start_object().member("rule", finding.rule).member("field", finding.field);
    out.member("detail", finding.detail).end_object();
  }
  out.end_array();
}

void write_deployment(json::Writer& out, const render::RenderedPod& pod, render::Arena& arena) {
  const render::Component& component = *pod.component;
  const std::string name = render::component_name(component).str();
  out.start_object().member("apiVersion", "apps/v1").member("kind", "Deployment");
  out.key("metadata").start_object().member("name", name).end_object();
  out.key("spec").start_object().key("selector").start_object().key("matchLabels").start_object();
  out.member("nvidia.com/selector", name).end_object().end_object().key("template");
  render::write_pod_template(out, component, *pod.pod, arena, {.uncertain = false});
  out.end_object().end_object();
}

void write_object(json::Writer& out, json::Value object) {
  const api::ObjectMeta metadata = api::Object{object}.metadata();
  const api::Settings settings;
  const api::Context context{.kind = api::Kind::kGraphDeployment,
                             .operation = api::Operation::kCreate,
                             .namespace_name = "default",
                             .object_name = metadata.name(),
                             .user = "jane@example.com",
                             .sub_resource = {},
                             .settings = settings,
                             .facts = kFacts};
  render::Arena arena;
  api::ErrorList found;
  validators::validate(context, object, {}, found, validators::default_severities(), arena);

  render::Arena of_pods;
  render::ObjectRenderer rendered(context, object, of_pods);
  out.start_object();
  write_findings(out, "errors", found.errors());
  write_findings(out, "warnings", found.warnings());
  out.key("deployments").start_array();
  for (const render::RenderedPod& pod : rendered.object().pods) {
    write_deployment(out, pod, of_pods);
  }
  out.end_array().end_object();
}

int run() {
  const std::string text{std::istreambuf_iterator<char>(std::cin), {}};
  const auto document = json::parse_copy(text);
  if (document->error) {
    std::cerr << "pod-templates: stdin must hold a JSON array\n";
    return 1;
  }
  for (const json::Value object : document->root().elements()) {
    std::string line;
    json::Writer out(line);
    write_object(out, object);
    std::cout << line << '\n';
  }
  return 0;
}

}  // namespace
}  // namespace dynamo

int main() {
  return dynamo::run();
}
