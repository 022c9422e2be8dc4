#include "tests/support/objects.hpp"

#include <stdexcept>

#include "json/parser.hpp"
#include "json/writer.hpp"
#include "json/yaml.hpp"

namespace dynamo::test {
namespace {

void write_group_version(json::Writer& writer, std::string_view key, api::Version version,
                         std::string_view last, std::string_view value) {
  writer.key(key).start_object();
  writer.member("group", api::kGroup);
  writer.member("version", api::name(version));
  writer.member(last, value);
  writer.end_object();
}

void write_object(json::Writer& writer, std::string_view key, json::Value object) {
  writer.key(key);
  if (object.exists()) {
    writer.value(object);
  } else {
    writer.null();
  }
}

}  // namespace

json::Document from_yaml(std::string_view text) {
  json::YamlReader reader{text};
  json::Document document;
  if (reader.next(document) != json::YamlReader::ReadResult::kDocument) {
    throw std::runtime_error("not a YAML document: " + reader.error().message() + "\n" +
                             std::string(text));
  }
  json::Document rest;
  if (reader.next(rest) != json::YamlReader::ReadResult::kEnd) {
    throw std::runtime_error("more than one YAML document:\n" + std::string(text));
  }
  return document;
}

std::string object_text(api::Kind kind, std::string_view spec) {
  std::string text = "{apiVersion: nvidia.com/v1alpha1, kind: ";
  text += api::names(kind).name;
  text += ", metadata: {name: example, namespace: default}, spec: ";
  text += spec;
  text += "}";
  return text;
}

std::string review_text(const ReviewParts& parts) {
  std::string text;
  json::Writer writer{text};
  const std::string plural = std::string(api::names(parts.kind).singular) + "s";
  const api::Version client_version = parts.client_version.value_or(parts.version);
  writer.start_object();
  writer.member("kind", "AdmissionReview");
  writer.member("apiVersion", "admission.k8s.io/v1");
  writer.key("request").start_object();
  writer.member("uid", parts.uid);
  write_group_version(writer, "kind", parts.version, "kind", api::names(parts.kind).name);
  write_group_version(writer, "resource", parts.version, "resource", plural);
  if (!parts.sub_resource.empty()) writer.member("subResource", parts.sub_resource);
  write_group_version(writer, "requestKind", client_version, "kind", api::names(parts.kind).name);
  write_group_version(writer, "requestResource", client_version, "resource", plural);
  if (!parts.name.empty()) writer.member("name", parts.name);
  if (!parts.namespace_name.empty()) writer.member("namespace", parts.namespace_name);
  writer.member("operation", api::name(parts.operation));
  if (parts.user) {
    writer.key("userInfo").start_object().member("username", *parts.user).end_object();
  }
  write_object(writer, "object", parts.object);
  write_object(writer, "oldObject", parts.old_object);
  writer.key("dryRun").boolean(false);
  writer.key("options").null();
  writer.end_object().end_object();
  return text;
}

PaddedText::PaddedText(std::string_view text) : bytes(text), size(text.size()) {
  bytes.append(json::kParsePadding, '\0');
}

}  // namespace dynamo::test
