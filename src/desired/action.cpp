#include "desired/action.hpp"

#include <ostream>
#include <tuple>
#include <utility>

#include "desired/mpi_secret.hpp"
#include "json/parser.hpp"
#include "json/report_writer.hpp"
#include "json/yaml_writer.hpp"

namespace dynamo::reconciler {
namespace {

auto fields_of(const kube::Resource& resource) {
  return std::tie(resource.group, resource.version, resource.plural, resource.kind,
                  resource.namespaced);
}

auto fields_of(const Action& action) {
  return std::tie(action.verb, action.namespace_name, action.name, action.subresource, action.body,
                  action.uid, action.resource_version, action.propagation, action.takes_over,
                  action.seen_version, action.stands_alone, action.is_warning, action.reason,
                  action.note, action.occasion, action.of_write, action.method, action.url);
}

Action made(Verb verb, const Target& target, std::string body = {}) {
  Action action;
  action.verb = verb;
  action.resource = target.resource;
  action.namespace_name = target.namespace_name;
  action.name = target.name;
  action.uid = target.uid;
  action.resource_version = target.resource_version;
  action.body = std::move(body);
  return action;
}

Action made(Verb verb, const Target& target, std::string_view subresource, std::string body) {
  Action action = made(verb, target, std::move(body));
  action.subresource = subresource;
  return action;
}

void member_if_any(json::ReportWriter& writer, std::string_view name, std::string_view text) {
  if (!text.empty()) writer.member(name, text);
}

void write_target(json::ReportWriter& writer, const Action& action) {
  if (action.verb == Verb::kHttp) {
    writer.member("method", action.method).member("url", action.url);
    return;
  }
  writer.member("apiVersion", action.resource.api_version()).member("kind", action.resource.kind);
  member_if_any(writer, "namespace", action.namespace_name);
  writer.member("name", action.name);
  member_if_any(writer, "subresource", action.subresource);
  member_if_any(writer, "uid", action.uid);
  member_if_any(writer, "resourceVersion", action.resource_version);
  member_if_any(writer, "propagation", to_string(action.propagation));
  if (action.takes_over) writer.key("takesOver").boolean(true);
}

void write_body(json::ReportWriter& writer, const Action& action) {
  if (action.body.empty()) return;
  writer.key("body");
  const auto body = json::parse_copy(action.body);
  if (body->error) {
    writer.string(action.body);
  } else if (action.resource.kind == kube::kSecrets.kind && body->root().is_object()) {
    writer.raw(with_masked_data(body->root()));
  } else {
    writer.raw(action.body);
  }
}

std::string to_json(const Action& action) {
  std::string text;
  json::ReportWriter writer(text);
  writer.start_object().member("action", to_string(action.verb));
  write_target(writer, action);
  if (action.verb == Verb::kEvent) {
    writer.member("type", action.is_warning ? "Warning" : "Normal");
    writer.member("reason", action.reason).member("note", action.note);
  }
  write_body(writer, action);
  writer.end_object();
  return text;
}

}  // namespace

std::string_view to_string(Verb verb) {
  switch (verb) {
    case Verb::kCreate:
      return "create";
    case Verb::kApply:
      return "apply";
    case Verb::kMergePatch:
      return "patch";
    case Verb::kJsonPatch:
      return "jsonPatch";
    case Verb::kDelete:
      return "delete";
    case Verb::kEvent:
      return "event";
    case Verb::kHttp:
      return "call";
  }
  return "";
}

bool Action::operator==(const Action& other) const {
  return fields_of(*this) == fields_of(other) && fields_of(resource) == fields_of(other.resource);
}

Action create(const Target& target, std::string body) {
  return made(Verb::kCreate, target, std::move(body));
}

Action apply(const Target& target, std::string body) {
  return made(Verb::kApply, target, std::move(body));
}

Action apply_status(const Target& target, std::string body) {
  return made(Verb::kApply, target, "status", std::move(body));
}

Action merge_patch(const Target& target, std::string body) {
  return made(Verb::kMergePatch, target, std::move(body));
}

Action json_patch(const Target& target, std::string body) {
  return made(Verb::kJsonPatch, target, std::move(body));
}

Action patch_status(const Target& target, std::string body) {
  return made(Verb::kMergePatch, target, "status", std::move(body));
}

Action remove(const Target& target, kube::Propagation propagation) {
  Action action = made(Verb::kDelete, target);
  action.propagation = propagation;
  return action;
}

Action event(const Target& regarding, bool is_warning, std::string_view reason, std::string note) {
  Action action = made(Verb::kEvent, regarding);
  action.resource_version.clear();
  action.is_warning = is_warning;
  action.reason = reason;
  action.note = std::move(note);
  return action;
}

std::string occasion_of_generation(std::string_view reporter, std::int64_t generation) {
  return std::string(reporter) + ", generation " + std::to_string(generation);
}

Action http_call(std::string_view method, std::string url, std::string body) {
  Action action;
  action.verb = Verb::kHttp;
  action.method = method;
  action.url = std::move(url);
  action.body = std::move(body);
  return action;
}

std::string to_yaml(const Action& action) {
  const auto document = json::parse_copy(to_json(action));
  std::string text;
  json::append_yaml(text, document->root());
  return text;
}

std::string to_yaml(std::span<const Action> actions) {
  std::string text;
  for (const Action& each : actions) text.append("---\n").append(to_yaml(each));
  return text;
}

void PrintTo(const Action& action, std::ostream* out) {
  *out << '\n' << to_yaml(action);
}

}  // namespace dynamo::reconciler
