#include "tests/schema/validation_helpers.hpp"

#include <stdexcept>

#include "api/context.hpp"
#include "json/writer.hpp"
#include "json/yaml.hpp"
#include "schema/complete.hpp"
#include "schema/validate.hpp"

namespace dynamo::test {
namespace {

// Keeps duplicates, so that the schema check reports them.
json::Document read(std::string_view text) {
  json::Document document;
  if (text.empty()) return document;
  json::YamlReader reader{text, {.keep_duplicate_keys = true}};
  if (reader.next(document) != json::YamlReader::ReadResult::kDocument) {
    throw std::runtime_error("not YAML: " + reader.error().message());
  }
  return document;
}

const schema::Resource& resource_of(std::string_view kind) {
  const schema::Resource* const resource = schema::find_resource(kind);
  if (resource == nullptr) throw std::runtime_error("no such kind: " + std::string(kind));
  return *resource;
}

const schema::Resource& later_resource_of(std::string_view kind, std::string_view version) {
  const schema::Resource* const resource = schema::find_resource(
      kind, "nvidia.com/" + std::string(version), api::OperatorGeneration::kLater);
  if (resource == nullptr) throw std::runtime_error("no such kind: " + std::string(kind));
  return *resource;
}

std::string later_object_of(std::string_view kind, std::string_view version,
                            std::string_view spec) {
  return "{apiVersion: nvidia.com/" + std::string(version) + ", kind: " + std::string(kind) +
         ", metadata: {name: example}, spec: " + std::string(spec) + "}";
}

std::string text_of(json::Value value) {
  std::string text;
  json::Writer writer{text};
  if (value.exists()) writer.value(value);
  return text;
}

}  // namespace

std::vector<Finding> findings_of_value(const schema::Schema& schema, std::string_view value,
                                       std::string_view old) {
  const json::Document now = read(value);
  const json::Document before = read(old);
  api::ErrorList findings;
  schema::validate_value(schema, now.root(), before.root(), findings);
  findings.sort_by_field();
  return errors_of(findings);
}

api::ErrorList findings_of(std::string_view kind, std::string_view object, std::string_view old) {
  const json::Document now = read(object);
  const json::Document before = read(old);
  api::ErrorList findings;
  schema::validate(resource_of(kind), now.root(), before.root(), findings);
  findings.sort_by_field();
  return findings;
}

std::vector<Finding> validate_object(std::string_view kind, std::string_view object,
                                     std::string_view old) {
  return errors_of(findings_of(kind, object, old));
}

std::string object_of(std::string_view kind, std::string_view spec) {
  return "{apiVersion: nvidia.com/v1alpha1, kind: " + std::string(kind) +
         ", metadata: {name: example}, spec: " + std::string(spec) + "}";
}

std::vector<Finding> validate_spec(std::string_view kind, std::string_view spec,
                                   std::string_view old_spec) {
  return validate_object(kind, object_of(kind, spec),
                         old_spec.empty() ? std::string() : object_of(kind, old_spec));
}

std::vector<Finding> validate_later_spec(std::string_view kind, std::string_view version,
                                         std::string_view spec, std::string_view old_spec) {
  const json::Document now = read(later_object_of(kind, version, spec));
  const json::Document before =
      read(old_spec.empty() ? std::string() : later_object_of(kind, version, old_spec));
  api::ErrorList findings;
  schema::validate(later_resource_of(kind, version), now.root(), before.root(), findings);
  findings.sort_by_field();
  return errors_of(findings);
}

std::vector<std::string> details_of(const api::ErrorList& findings) {
  std::vector<std::string> details;
  for (const api::Error& error : findings.errors()) details.push_back(error.detail);
  return details;
}

std::string completed_value(const schema::Schema& schema, std::string_view value) {
  const json::Document given = read(value);
  json::Document out;
  schema::complete_value(schema, given.root(), out);
  return text_of(out.root());
}

std::string completed_object(std::string_view kind, std::string_view object, std::string_view old) {
  const json::Document given = read(object);
  const json::Document before = read(old);
  json::Document out;
  schema::complete(resource_of(kind), given.root(), before.root(), out);
  return text_of(out.root());
}

std::string completed_later_spec(std::string_view kind, std::string_view version,
                                 std::string_view spec) {
  const json::Document given = read(later_object_of(kind, version, spec));
  json::Document out;
  schema::complete(later_resource_of(kind, version), given.root(), {}, out);
  return text_of(out.root()["spec"]);
}

}  // namespace dynamo::test
