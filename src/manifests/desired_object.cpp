#include "manifests/desired_object.hpp"

#include <utility>

#include "json/parser.hpp"
#include "json/writer.hpp"
#include "manifests/go_form.hpp"
#include "manifests/sync.hpp"
#include "render/object/write.hpp"

namespace dynamo::render {
namespace {

void write_map(json::Writer& out, std::string_view name, std::span<const Label> labels) {
  if (labels.empty()) return;
  out.key(name);
  write_labels(out, labels);
}

void write_annotations(json::Writer& out, const ObjectHead& head, std::string_view hash) {
  if (!head.tracked) return write_map(out, "annotations", head.annotations);
  out.key("annotations").start_object();
  for (const Label& annotation : head.annotations) {
    const bool ours =
        annotation.key == kAppliedHashAnnotation || annotation.key == kAppliedGenerationAnnotation;
    if (!ours) out.member(annotation.key, annotation.value);
  }
  out.member(kAppliedGenerationAnnotation, "1").member(kAppliedHashAnnotation, hash).end_object();
}

std::string members_without_zeros(std::string_view kind, json::Value body) {
  std::string text;
  for (const json::Member member : body.members()) {
    if (!text.empty()) text += ',';
    json::append_quoted(text, member.name);
    text += ':';
    text += member.name == "spec" ? without_zeros(kind, member.value) : json::to_text(member.value);
  }
  return text;
}

void write_owner(json::Writer& out, const OwnerMetadata& owner) {
  out.key("ownerReferences").start_array().start_object();
  out.member("apiVersion", owner.api_version).key("blockOwnerDeletion").boolean(true);
  out.key("controller").boolean(true).member("kind", owner.kind).member("name", owner.name);
  if (!owner.uid.empty()) out.member("uid", owner.uid);
  out.end_object().end_array();
}

}  // namespace

OwnerMetadata owner_of(const api::Object& object, std::string_view kind, std::string_view name) {
  return {kind, name, object.value()["metadata"]["uid"].string_or_empty(), api::kApiVersion};
}

DesiredObject make_desired_object(const ObjectHead& head, std::string_view members) {
  DesiredObject desired{.api_version = head.api_version,
                        .kind = head.kind,
                        .name = std::string(head.name),
                        .tracked = head.tracked};
  std::string applied;
  if (head.tracked) {
    std::string body = "{";
    body += members;
    body += '}';
    const auto written = json::parse_copy(body);
    const json::Value spec = written->root()["spec"];
    if (spec.exists()) {
      applied = members_without_zeros(head.kind, written->root());
      members = applied;
    }
    const std::string hashed = spec.exists() ? go_form(head.kind, spec) : std::string("{}");
    desired.spec_hash = spec_hash(json::parse_copy(hashed)->root());
  }
  json::Writer out(desired.manifest);
  out.start_object().member("apiVersion", head.api_version).member("kind", head.kind);
  out.key("metadata").start_object().member("name", head.name);
  if (!head.namespace_name.empty()) out.member("namespace", head.namespace_name);
  write_map(out, "labels", head.labels);
  write_annotations(out, head, desired.spec_hash);
  if (head.owner) write_owner(out, *head.owner);
  out.end_object();
  if (!members.empty()) {
    desired.manifest += ',';
    desired.manifest += members;
  }
  out.end_object();
  return desired;
}

DesiredObject unwanted_object(std::string_view api_version, std::string_view kind,
                              std::string name) {
  return {.api_version = api_version, .kind = kind, .name = std::move(name), .wanted = false};
}

std::vector<Label> rbac_labels(std::string_view account) {
  return {{.key = "app.kubernetes.io/component", .value = "rbac"},
          {.key = "app.kubernetes.io/managed-by", .value = "dynamo-operator"},
          {.key = "app.kubernetes.io/name", .value = account}};
}

}  // namespace dynamo::render
