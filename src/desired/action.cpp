#include "desired/action.hpp"

#include <utility>

#include "desired/mpi_secret.hpp"
#include "json/parser.hpp"
#include "json/report_writer.hpp"
#include "json/yaml_writer.hpp"
#include "text/presentable.hpp"

namespace dynamo::reconciler {
namespace {

void member_if_any(json::ReportWriter& writer, std::string_view name, std::string_view text) {
  if (!text.empty()) writer.member(name, text);
}

void write_target(json::ReportWriter& writer, const Action& action) {
  if (const auto* const call = std::get_if<HttpCall>(&action)) {
    writer.member("method", call->method).member("url", call->url);
    return;
  }
  const Target& target = *target_of(action);
  writer.member("apiVersion", target.resource.api_version()).member("kind", target.resource.kind);
  member_if_any(writer, "namespace", target.namespace_name);
  writer.member("name", target.name);
  member_if_any(writer, "subresource", subresource_of(action));
  member_if_any(writer, "uid", target.uid);
  member_if_any(writer, "resourceVersion", target.resource_version);
  if (const auto* const removed = std::get_if<Delete>(&action)) {
    member_if_any(writer, "propagation", to_string(removed->propagation));
  }
  const auto* const applied = std::get_if<Apply>(&action);
  if (applied != nullptr && applied->takes_over) writer.key("takesOver").boolean(true);
}

bool is_of_secret(const Action& action) {
  const Target* const target = target_of(action);
  return target != nullptr && target->resource.kind == kube::kSecrets.kind;
}

void write_body(json::ReportWriter& writer, const Action& action) {
  const std::string_view text = body_of(action);
  if (text.empty()) return;
  writer.key("body");
  const auto body = json::parse_copy(text);
  if (body->error) {
    writer.string(text);
  } else if (is_of_secret(action) && body->root().is_object()) {
    writer.raw(with_masked_data(body->root()));
  } else {
    writer.raw(text);
  }
}

std::string to_json(const Action& action) {
  std::string text;
  json::ReportWriter writer(text);
  writer.start_object().member("action", to_string(action_kind_of(action)));
  write_target(writer, action);
  if (const auto* const event = std::get_if<EmitEvent>(&action)) {
    writer.member("type", event->is_warning ? "Warning" : "Normal");
    writer.member("reason", event->reason).member("note", event->note);
  }
  write_body(writer, action);
  writer.end_object();
  return text;
}

}  // namespace

std::string_view to_string(ActionKind kind) {
  switch (kind) {
    case ActionKind::kCreate:
      return "create";
    case ActionKind::kApply:
      return "apply";
    case ActionKind::kMergePatch:
      return "patch";
    case ActionKind::kJsonPatch:
      return "jsonPatch";
    case ActionKind::kDelete:
      return "delete";
    case ActionKind::kEvent:
      return "event";
    case ActionKind::kHttp:
      return "call";
  }
  return "";
}

ActionKind action_kind_of(const Action& action) {
  return std::visit([]<typename Kind>(const Kind&) { return Kind::kKind; }, action);
}

const Target* target_of(const Action& action) {
  const auto find = [](const auto& each) -> const Target* {
    if constexpr (requires { each.target; }) return &each.target;
    if constexpr (requires { each.regarding; }) return &each.regarding;
    return nullptr;
  };
  return std::visit(find, action);
}

std::string_view subresource_of(const Action& action) {
  const auto find = [](const auto& each) -> std::string_view {
    if constexpr (requires { each.subresource; }) return each.subresource;
    return {};
  };
  return std::visit(find, action);
}

std::string_view body_of(const Action& action) {
  const auto find = [](const auto& each) -> std::string_view {
    if constexpr (requires { each.body; }) return each.body;
    return {};
  };
  return std::visit(find, action);
}

Create create(const Target& target, std::string body) {
  return {.target = target, .body = std::move(body)};
}

Apply apply(const Target& target, std::string body) {
  return {.target = target, .body = std::move(body)};
}

Apply apply_status(const Target& target, std::string body) {
  return {.target = target, .subresource = "status", .body = std::move(body)};
}

MergePatch merge_patch(const Target& target, std::string body) {
  return {.target = target, .body = std::move(body)};
}

JsonPatch json_patch(const Target& target, std::string body) {
  return {.target = target, .body = std::move(body)};
}

MergePatch patch_status(const Target& target, std::string body) {
  return {.target = target, .subresource = "status", .body = std::move(body)};
}

MergePatch scale_to(const Target& target, std::int64_t replicas) {
  return {.target = target,
          .subresource = "scale",
          .body = R"({"spec":{"replicas":)" + std::to_string(replicas) + "}}"};
}

Delete remove(const Target& target, kube::Propagation propagation) {
  return {.target = target, .propagation = propagation};
}

EmitEvent event(const Target& regarding, bool is_warning, std::string_view reason,
                std::string note) {
  EmitEvent made{.regarding = regarding, .is_warning = is_warning, .note = std::move(note)};
  made.regarding.resource_version.clear();
  made.reason = reason;
  return made;
}

std::string note_of(std::string_view message) {
  std::string note;
  text::append_presentable(note, message, kMaxEventNote);
  return note;
}

EmitEvent event_of_write(const Target& regarding, std::string_view reason, std::string note) {
  EmitEvent made = event(regarding, false, reason, std::move(note));
  made.of_write = true;
  return made;
}

std::string occasion_of_generation(std::string_view reporter, std::int64_t generation) {
  return std::string(reporter) + ", generation " + std::to_string(generation);
}

HttpCall http_call(std::string_view method, std::string url, std::string body) {
  return {.method = std::string(method), .url = std::move(url), .body = std::move(body)};
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

}  // namespace dynamo::reconciler
