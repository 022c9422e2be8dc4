// kubectl dynamo schema [KIND] [-o DIR]
#include <cstddef>
#include <filesystem>
#include <map>
#include <optional>
#include <ostream>
#include <span>
#include <string>
#include <string_view>
#include <system_error>
#include <tuple>
#include <vector>

#include "api/kind.hpp"
#include "cli/commands/commands.hpp"
#include "cli/editor/field_info.hpp"
#include "cli/report/output_file.hpp"
#include "cli/report/wording.hpp"
#include "json/report_writer.hpp"
#include "schema/suggest.hpp"
#include "schema/table.hpp"
#include "schema/texts.hpp"

namespace dynamo::cli {
namespace {

namespace fs = std::filesystem;

using json::ReportWriter;
using schema::Schema;
using schema::Texts;
using schema::Type;

constexpr std::string_view kDialect = "https://json-schema.org/draft/2020-12/schema";

std::string_view type_word(Type type) {
  switch (type) {
    case Type::kObject:
      return "object";
    case Type::kArray:
      return "array";
    case Type::kString:
      return "string";
    case Type::kInteger:
      return "integer";
    case Type::kNumber:
      return "number";
    case Type::kBoolean:
      return "boolean";
    case Type::kIntOrString:
    case Type::kAny:
      break;
  }
  return {};
}

// Whether null counts as absent depends on the place of a value.
enum class Null : unsigned char { kRefused, kNothing };

// Writes one JSON Schema 2020-12 document for editors: names, types, bounds, enumerations, defaults
// and descriptions, but no rules. Each object schema with fields becomes a definition, so that none
// is written twice.
class SchemaWriter {
 public:
  explicit SchemaWriter(ReportWriter& writer) : out_(writer) {}

  // The members of the schema for a whole object.
  void resource(const schema::Resource& resource) {
    const FieldInfo whole = FieldInfo::of_resource(resource);
    out_.member("title", resource.kind);
    describe(whole.texts);
    write_group(resource);
    out_.member("type", "object").key("required").start_array();
    for (const std::string_view name : {"apiVersion", "kind", "metadata"}) out_.string(name);
    required_names(*resource.schema);
    out_.end_array().key("properties").start_object();
    constant("apiVersion", resource.api_version);
    constant("kind", resource.kind);
    for (const schema::Property& property : resource.schema->properties) {
      if (property.name == "apiVersion" || property.name == "kind") continue;
      out_.key(property.name);
      if (property.name == "status" && resource.has_status) {
        out_.start_object().member("description", "Written by the operator.").end_object();
        continue;
      }
      const Null null = property.required ? Null::kRefused : Null::kNothing;
      value(whole.member(property.name), null);
    }
    out_.end_object().key("additionalProperties").boolean(false);
  }

  // All referenced definitions, including those that they reference.
  void definitions() {
    for (std::size_t at = 0; at < wanted_.size(); ++at) {
      const FieldInfo words = wanted_[at];
      out_.key(name_of(at)).start_object();
      object(words);
      out_.end_object();
    }
  }

 private:
  // The identity of a definition. The same schema may have a vocabulary in one place and none in
  // another.
  using Definition = std::tuple<const Schema*, const Texts*, const validators::pod::WordField*>;

  static std::string name_of(std::size_t number) { return "object" + std::to_string(number + 1); }

  void write_group(const schema::Resource& resource) {
    out_.key("x-kubernetes-group-version-kind").start_array().start_object();
    out_.member("group", api::kGroup).member("version", schema::version_of(resource));
    out_.member("kind", resource.kind).end_object().end_array();
  }

  void constant(std::string_view name, std::string_view text) {
    out_.key(name).start_object().member("const", text).end_object();
  }

  void describe(const Texts* texts) {
    if (texts == nullptr || texts->description.empty()) return;
    out_.member("description", texts->description);
    if (!texts->description.starts_with("Deprecated")) return;
    out_.key("deprecated").boolean(true);
    out_.member("deprecationMessage", texts->description);
  }

  void required_names(const Schema& schema) {
    for (const schema::Property& property : schema.properties) {
      if (property.required && property.schema->default_value.empty()) out_.string(property.name);
    }
  }

  // A complete schema, in braces.
  void value(const FieldInfo& words, Null null) {
    const Schema& schema = *words.schema;
    out_.start_object();
    describe(words.texts);
    if (!schema.default_value.empty()) out_.key("default").raw(schema.default_value);
    if (schema.properties.empty()) {
      members(words, null);
    } else {
      const Definition definition{&schema, words.texts, words.fields.data()};
      const auto [at, is_new] = numbers_.emplace(definition, wanted_.size());
      if (is_new) wanted_.push_back(words);
      // The definition accepts null, which counts as absent for an optional field.
      if (null == Null::kRefused && !schema.nullable) out_.member("type", "object");
      out_.member("$ref", "#/$defs/" + name_of(at->second));
    }
    out_.end_object();
  }

  void members(const FieldInfo& words, Null null) {
    const Schema& schema = *words.schema;
    const bool with_null = null == Null::kNothing || schema.nullable;
    type(schema, with_null);
    format(schema);
    if (schema.limits != nullptr) limits(*schema.limits, with_null);
    if (schema.type == Type::kString) vocabulary(words, with_null);
    if (schema.type == Type::kArray && schema.each != nullptr) {
      out_.key("items");
      value(words.each(), Null::kRefused);
      if (schema.list_type == schema::ListType::kSet) out_.key("uniqueItems").boolean(true);
    } else if (schema.each != nullptr) {
      out_.key("additionalProperties");
      value(words.member({}), Null::kNothing);
    }
  }

  // A pod field's vocabulary: as a closed list if Kubernetes certainly refuses other values, else
  // as suggestions. An empty text counts as absent.
  void vocabulary(const FieldInfo& words, bool with_null) {
    const validators::pod::Vocabulary* const known = words.vocabulary;
    if (known == nullptr ||
        (words.schema->limits != nullptr && !words.schema->limits->enumeration.empty())) {
      return;
    }
    const bool is_closed = known->is_refused && known->read_since == 0 &&
                           known->announced.empty() && !known->is_offered_only;
    if (is_closed) {
      enumeration(known->words, with_null, true);
      return;
    }
    out_.key("anyOf").start_array().start_object();
    enumeration(known->words, false, false);
    out_.end_object().start_object();
    type(*words.schema, with_null);
    out_.end_object().end_array();
  }

  void enumeration(std::span<const std::string_view> words, bool with_null, bool with_empty) {
    out_.key("enum").start_array();
    for (const std::string_view word : words) out_.string(word);
    if (with_empty) out_.string("");
    if (with_null) out_.null();
    out_.end_array();
  }

  void object(const FieldInfo& words) {
    const Schema& schema = *words.schema;
    type(schema, true);
    out_.key("required").start_array();
    required_names(schema);
    out_.end_array().key("properties").start_object();
    for (const schema::Property& property : schema.properties) {
      const bool must_be = property.required && property.schema->default_value.empty();
      out_.key(property.name);
      value(words.member(property.name), must_be ? Null::kRefused : Null::kNothing);
    }
    out_.end_object().key("additionalProperties");
    if (schema.each != nullptr) {
      value(words.member({}), Null::kNothing);
    } else {
      out_.boolean(schema.preserve_unknown);
    }
    if (schema.limits != nullptr) limits(*schema.limits, true);
  }

  void type(const Schema& schema, bool with_null) {
    if (schema.type == Type::kAny) return;
    out_.key("type").start_array();
    if (schema.type == Type::kIntOrString) {
      out_.string("integer").string("string");
    } else {
      out_.string(type_word(schema.type));
    }
    if (with_null) out_.string("null");
    out_.end_array();
  }

  void format(const Schema& schema) {
    switch (schema.format) {
      case schema::Format::kNone:
        return;
      case schema::Format::kByte:
        out_.member("contentEncoding", "base64");
        return;
      case schema::Format::kInt32:
        out_.member("format", "int32");
        return;
      case schema::Format::kInt64:
        out_.member("format", "int64");
        return;
      case schema::Format::kDateTime:
        out_.member("format", "date-time");
        return;
    }
  }

  void limits(const schema::Limits& limits, bool with_null) {
    if (!limits.enumeration.empty()) enumeration(limits.enumeration, with_null, false);
    if (limits.minimum) out_.key("minimum").number(*limits.minimum);
    if (limits.maximum) out_.key("maximum").number(*limits.maximum);
    count("minLength", limits.min_length);
    count("maxLength", limits.max_length);
    count("minItems", limits.min_items);
    count("maxItems", limits.max_items);
    count("maxProperties", limits.max_properties);
    if (!limits.pattern.empty()) out_.member("pattern", limits.pattern);
  }

  void count(std::string_view name, std::optional<std::uint32_t> bound) {
    if (bound) out_.key(name).integer(*bound);
  }

  ReportWriter& out_;
  std::map<Definition, std::size_t> numbers_;
  std::vector<FieldInfo> wanted_;
};

void begin(ReportWriter& writer, std::string_view file) {
  writer.start_object().member("$schema", kDialect);
  writer.member("$id", file);
}

constexpr std::string_view kAllFile = "all.json";

// The resources of the first generation, and those of v1beta1, which only the later one has.
std::vector<const schema::Resource*> exported_resources() {
  std::vector<const schema::Resource*> found;
  for (const schema::Resource& resource : schema::resources()) found.push_back(&resource);
  for (const schema::Resource& resource : schema::later_resources()) {
    if (resource.api_version != api::kApiVersion) found.push_back(&resource);
  }
  return found;
}

// "dynamographdeployment_v1alpha1.json".
std::string json_schema_file(const schema::Resource& resource) {
  return std::string(resource.singular) + "_" + std::string(schema::version_of(resource)) + ".json";
}

// "DynamoGraphDeployment", "DynamoGraphDeployment.v1beta1".
std::string definition_name(const schema::Resource& resource) {
  const std::string kind(resource.kind);
  if (resource.api_version == api::kApiVersion) return kind;
  return kind + "." + std::string(schema::version_of(resource));
}

// For one resource: accepts what the API server's schema accepts, and null where it counts as
// absent. Omits the status, which users do not write.
std::string json_schema_of(const schema::Resource& resource) {
  std::string text;
  ReportWriter writer(text);
  begin(writer, json_schema_file(resource));
  SchemaWriter schema(writer);
  schema.resource(resource);
  writer.key("$defs").start_object();
  schema.definitions();
  writer.end_object().end_object();
  text += '\n';
  return text;
}

// For any manifest: constrains objects of our kinds; others may have any content.
std::string json_schema_of_all() {
  std::string text;
  ReportWriter writer(text);
  begin(writer, kAllFile);
  writer.member("title", "NVIDIA Dynamo, nvidia.com/v1alpha1 and nvidia.com/v1beta1");
  writer.key("allOf").start_array();
  for (const schema::Resource* const resource : exported_resources()) {
    writer.start_object().key("if").start_object().key("properties").start_object();
    writer.key("apiVersion").start_object().member("const", resource->api_version).end_object();
    writer.key("kind").start_object().member("const", resource->kind).end_object().end_object();
    writer.key("required").start_array().string("apiVersion").string("kind").end_array();
    writer.end_object().key("then").start_object();
    writer.member("$ref", "#/$defs/" + definition_name(*resource)).end_object().end_object();
  }
  writer.end_array().key("$defs").start_object();
  SchemaWriter schema(writer);
  for (const schema::Resource* const resource : exported_resources()) {
    writer.key(definition_name(*resource)).start_object();
    schema.resource(*resource);
    writer.end_object();
  }
  schema.definitions();
  writer.end_object().end_object();
  text += '\n';
  return text;
}

// By kind, or by kubectl's names: dgd, dynamographdeployments, dgd.v1beta1.
const schema::Resource* find(std::string_view typed) {
  const std::size_t dot = typed.find('.');
  const std::string_view name = typed.substr(0, dot);
  const std::string_view version =
      dot == std::string_view::npos ? api::kVersion : typed.substr(dot + 1);
  for (const schema::Resource* const resource : exported_resources()) {
    if (schema::version_of(*resource) != version) continue;
    if (name == resource->kind || name == resource->short_name || name == resource->singular ||
        name == resource->plural) {
      return resource;
    }
  }
  return nullptr;
}

int refuse_unknown(std::string_view typed, Streams& streams) {
  std::vector<std::string_view> kinds;
  std::string list;
  for (const schema::Resource& resource : schema::resources()) {
    kinds.push_back(resource.kind);
    list += (list.empty() ? "" : ", ") + std::string(resource.kind);
  }
  std::string reason = "KIND must be one of " + list + "; found \"";
  append_printable(reason, typed.substr(0, 80));
  reason += '"';
  const std::string_view suggestion = schema::nearest_word(kinds, typed);
  if (!suggestion.empty()) reason += "; did you mean " + std::string(suggestion) + "?";
  return refuse(streams, reason);
}

// Returns why it could not be written, or nullopt.
std::optional<std::string> write(const fs::path& file, std::string_view text) {
  OutputFile out(file.string());
  auto reason = out.open();
  if (!reason) {
    out.stream() << text;
    reason = out.close();
  }
  return reason;
}

}  // namespace

int run_schema(const Options& options, Streams& streams) {
  const schema::Resource* const only = options.argument.empty() ? nullptr : find(options.argument);
  if (only == nullptr && !options.argument.empty()) {
    return refuse_unknown(options.argument, streams);
  }
  if (options.output_directory.empty()) {
    streams.out << (only != nullptr ? json_schema_of(*only) : json_schema_of_all());
    return kExitValid;
  }
  const fs::path folder = options.output_directory;
  std::optional<std::string> reason = why_not_written(folder.string());
  std::error_code error;
  if (!reason) fs::create_directories(folder, error);
  for (const schema::Resource* const resource : exported_resources()) {
    if (only != nullptr && only != resource) continue;
    if (!reason) reason = write(folder / json_schema_file(*resource), json_schema_of(*resource));
  }
  if (only == nullptr && !reason) reason = write(folder / "all.json", json_schema_of_all());
  if (!reason) return kExitValid;
  return refuse(streams, "the schemas cannot be written to " + options.output_directory + ": " +
                             *reason + "; name a folder that can be written");
}

}  // namespace dynamo::cli
