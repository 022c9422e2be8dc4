#include "tests/reconciler/graph/plan_helpers.hpp"

#include <algorithm>
#include <array>
#include <stdexcept>

#include "json/parser.hpp"
#include "json/writer.hpp"
#include "json/yaml.hpp"

namespace dynamo::test {
namespace {

constexpr auto kNow = std::chrono::sys_days(std::chrono::January / 1 / 2026);

std::string word(const reconciler::Action& action) {
  std::string out(to_string(action_kind_of(action)));
  if (const auto* const call = std::get_if<reconciler::HttpCall>(&action)) {
    return out + " " + call->method + " " + call->url;
  }
  if (const auto* const event = std::get_if<reconciler::EmitEvent>(&action))
    out += " " + event->reason;
  const reconciler::Target& target = *target_of(action);
  out += " " + std::string(target.resource.kind) + " " + target.name;
  if (!subresource_of(action).empty()) out += " " + std::string(subresource_of(action));
  return out;
}

const reconciler::Action* status_write(const reconciler::Plan& plan) {
  const auto found =
      std::ranges::find(plan.actions, std::string_view("status"), &reconciler::subresource_of);
  return found == plan.actions.end() ? nullptr : &*found;
}

std::string of_condition(const reconciler::Plan& plan, std::string_view type, bool message) {
  const reconciler::Action* const action = status_write(plan);
  if (action == nullptr) return "";
  const auto body = json::parse_copy(body_of(*action));
  const json::Value conditions = body->root()["status"]["conditions"];
  for (const json::Value each : conditions.elements()) {
    if (each["type"].string_or_empty() != type) continue;
    if (message) return std::string(each["message"].string_or_empty());
    return std::string(each["status"].string_or_empty()) + " " +
           std::string(each["reason"].string_or_empty());
  }
  return "";
}

bool has_generation(std::string_view kind) {
  constexpr std::array<std::string_view, 5> kWithout = {"Service", "ConfigMap", "ServiceAccount",
                                                        "Role", "RoleBinding"};
  return std::ranges::find(kWithout, kind) == kWithout.end();
}

template <typename ObservedState>
ObservedState observed(std::string_view yaml, const std::vector<std::string_view>& objects) {
  ObservedState made;
  made.object = object(yaml);
  made.environment.profile = render::default_operator_profile();
  made.environment.namespace_restricted = true;
  for (const std::string_view each : objects) made.objects.add(object(each));
  made.now = kNow;
  return made;
}

}  // namespace

kube::Object object(std::string_view yaml) {
  json::YamlReader reader(yaml);
  json::Document document;
  if (reader.next(document) != json::YamlReader::ReadResult::kDocument) {
    throw std::runtime_error("must be YAML: " + std::string(yaml));
  }
  auto parsed = kube::Object::parse(json::to_text(document.root()));
  if (!parsed) throw std::runtime_error("must be an object: " + std::string(yaml));
  return *parsed;
}

reconciler::component::ObservedState component(std::string_view yaml,
                                               std::vector<std::string_view> objects) {
  return observed<reconciler::component::ObservedState>(yaml, objects);
}

reconciler::graph::ObservedState graph(std::string_view yaml,
                                       std::vector<std::string_view> objects) {
  return observed<reconciler::graph::ObservedState>(yaml, objects);
}

std::vector<std::string> words(const reconciler::Plan& plan) {
  std::vector<std::string> out;
  for (const reconciler::Action& action : plan.actions) out.push_back(word(action));
  return out;
}

std::vector<std::string> writes(const reconciler::Plan& plan) {
  std::vector<std::string> out = words(plan);
  std::erase_if(out, [](const std::string& each) { return each.starts_with("event "); });
  return out;
}

const reconciler::Action* find(const reconciler::Plan& plan, std::string_view wanted) {
  const auto found = std::ranges::find_if(
      plan.actions, [wanted](const reconciler::Action& action) { return word(action) == wanted; });
  return found == plan.actions.end() ? nullptr : &*found;
}

std::string condition(const reconciler::Plan& plan, std::string_view type) {
  return of_condition(plan, type, false);
}

std::string message(const reconciler::Plan& plan, std::string_view type) {
  return of_condition(plan, type, true);
}

std::string status(const reconciler::Plan& plan, std::string_view name) {
  const reconciler::Action* const action = status_write(plan);
  if (action == nullptr) return "";
  const auto body = json::parse_copy(body_of(*action));
  return json::to_text(body->root()["status"][name]);
}

kube::Object made(const reconciler::Plan& plan, std::string_view wanted, std::string_view uid,
                  std::string_view status) {
  const reconciler::Action* const action = find(plan, wanted);
  if (action == nullptr) throw std::runtime_error("must be planned: " + std::string(wanted));
  const auto body = json::parse_copy(body_of(*action));
  std::string text;
  json::Writer out(text);
  out.start_object();
  for (const json::Member member : body->root().members()) {
    out.key(member.name);
    if (member.name != "metadata") {
      out.value(member.value);
      continue;
    }
    out.start_object().member("uid", uid).member("resourceVersion", "7");
    if (has_generation(target_of(*action)->resource.kind)) out.key("generation").integer(1);
    for (const json::Member field : member.value.members()) {
      if (field.name != "uid") out.key(field.name).value(field.value);
    }
    out.end_object();
  }
  if (!status.empty()) out.key("status").raw(status);
  out.end_object();
  return *kube::Object::parse(text);
}

}  // namespace dynamo::test
