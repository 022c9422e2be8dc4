#include "tests/controller_cases/table.hpp"

#include <functional>
#include <string>

#include "json/parser.hpp"
#include "json/writer.hpp"
#include "manifests/environment.hpp"
#include "manifests/image_host.hpp"
#include "manifests/readiness.hpp"
#include "manifests/sync.hpp"
#include "render/component/hash.hpp"
#include "render/component/names.hpp"
#include "render/component/restart.hpp"
#include "render/pod/backend.hpp"
#include "tests/controller_cases/compare.hpp"

namespace dynamo::cases {
namespace {

using Function = std::function<void(json::Value in, json::Writer& out)>;

void base_model_hash(json::Value in, json::Writer& out) {
  const auto hash = render::base_model_hash(in["model"].string_or_empty());
  out.member("hash", hash.view()).member("service", render::model_service_name(hash.view()).str());
}

void deployment_ready(json::Value in, json::Writer& out) {
  out.key("ready").boolean(render::is_deployment_ready(in["live"]));
}

void framework(json::Value in, json::Writer& out) {
  std::string text;
  json::Writer object(text);
  object.start_object().key("spec").start_object();
  object.member("componentType", in["type"].string_or_empty());
  object.member("backendFramework", in["declared"].string_or_empty());
  object.key("extraPodSpec").start_object().key("mainContainer").start_object();
  for (const std::string_view name : {"command", "args"}) {
    if (in[name].exists()) object.key(name).value(in[name]);
  }
  object.end_object().end_object().end_object().end_object();
  const auto parsed = json::parse_copy(text);
  const render::Profile profile = render::default_operator_profile();
  const render::Component component =
      render::component_of(api::ComponentDeployment{parsed->root()}, "team-a", profile);
  const render::Backend backend = render::backend_of(component);
  switch (backend.problem) {
    case render::BackendProblem::kNone:
      out.member("framework", render::framework_name(backend.framework));
      break;
    case render::BackendProblem::kUnknownDeclared:
      // Passed through, and refused where pods are created.
      out.member("framework", component.backend_framework);
      break;
    case render::BackendProblem::kSeveralDetected:
    case render::BackendProblem::kMismatch:
      out.key("error").boolean(true);
      break;
  }
}

void identity_hash(json::Value in, json::Writer& out) {
  out.member("hash", render::checkpoint_identity_hash(in["identity"]).view());
}

void image_host(json::Value in, json::Writer& out) {
  const auto host = render::image_host(in["image"].string_or_empty());
  host ? out.member("host", *host) : out.key("error").boolean(true);
}

void restart_state(json::Value in, json::Writer& out) {
  const render::RestartSelection selection =
      render::restart_selection(api::GraphDeployment{in["graph"]}, in["status"]);
  out.key("annotate").start_array();
  for (const std::string& service : selection.services) out.string(service);
  out.end_array();
  if (!selection.value.empty()) out.member("value", selection.value);
}

void spec_hash(json::Value in, json::Writer& out) {
  out.member("hash", render::spec_hash(in["spec"]));
}

void sync_decision(json::Value in, json::Writer& out) {
  const render::SyncDecision decision = render::sync_decision(in["live"], "<same>");
  out.key("update").boolean(decision.update);
  if (decision.update) out.key("generation-annotation").integer(decision.generation);
}

Function function_of(std::string_view name) {
  if (name == "base-model-hash") return base_model_hash;
  if (name == "deployment-ready") return deployment_ready;
  if (name == "framework") return framework;
  if (name == "identity-hash") return identity_hash;
  if (name == "image-host") return image_host;
  if (name == "restart-state") return restart_state;
  if (name == "spec-hash") return spec_hash;
  if (name == "sync-decision") return sync_decision;
  return {};
}

}  // namespace

CaseResult play_table(const Value& golden) {
  CaseResult case_result;
  const std::string name(text(member(golden, "table")));
  const Function function = function_of(name);
  if (!function) {
    case_result.outcome = Outcome::kUnsupported;
    case_result.unsupported.push_back("the function " + name);
    return case_result;
  }
  std::size_t row = 0;
  for (const Value& entry : member(golden, "rows").GetArray()) {
    const auto in = json::parse_copy(text_of(member(entry, "in")));
    std::string out;
    json::Writer writer(out);
    writer.start_object();
    function(in->root(), writer);
    writer.end_object();
    const std::string where = "row " + std::to_string(row++) + " ";
    for (const std::string& line : differences(member(entry, "out"), parsed(out))) {
      case_result.differences.push_back(where + line);
    }
  }
  if (!case_result.differences.empty()) case_result.outcome = Outcome::kFailing;
  return case_result;
}

}  // namespace dynamo::cases
