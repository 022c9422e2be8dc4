#include "cli/editor/field_info.hpp"

#include "api/context.hpp"
#include "api/kind.hpp"
#include "schema/properties.hpp"
#include "schema/wording.hpp"

namespace dynamo::cli {
namespace {

FieldInfo at_path(const CursorContext& context) {
  const schema::Resource* resource =
      schema::find_resource(context.kind, context.api_version, api::OperatorGeneration::kUnknown);
  if (resource == nullptr) resource = schema::find_resource(context.kind);
  FieldInfo words = resource == nullptr ? FieldInfo{} : FieldInfo::of_resource(*resource);
  for (const std::string& step : context.path) {
    words = step == "[]" ? words.each() : words.member(step);
  }
  return words;
}

// A space precedes a scalar value; a container's content begins on its own line.
std::string insert_for(const schema::Property& property) {
  const bool is_container = property.schema->type == schema::Type::kObject ||
                            property.schema->type == schema::Type::kArray;
  return std::string(property.name) + (is_container ? ":" : ": ");
}

std::vector<Candidate> names_below(const FieldInfo& around) {
  std::vector<Candidate> names;
  if (around.schema == nullptr) return names;
  for (const schema::Property& property : around.schema->properties) {
    const FieldInfo words = around.member(property.name);
    names.push_back({std::string(property.name), insert_for(property), words.type_text(),
                     words.texts == nullptr ? std::string{} : std::string(words.texts->description),
                     false});
  }
  return names;
}

std::vector<Candidate> values_of(const FieldInfo& words) {
  std::vector<Candidate> values;
  if (words.schema == nullptr) return values;
  const auto add = [&values](std::string_view word) {
    values.push_back({std::string(word), std::string(word), {}, {}, true});
  };
  if (words.schema->type == schema::Type::kBoolean) {
    add("true");
    add("false");
  }
  for (const std::string_view word : words.choices()) add(word);
  return values;
}

}  // namespace

FieldInfo FieldInfo::of_resource(const schema::Resource& resource) {
  return {.schema = resource.schema,
          .texts = schema::texts_of(resource),
          .fields = validators::pod::word_fields_of(resource.kind, schema::version_of(resource))};
}

FieldInfo FieldInfo::member(std::string_view name) const {
  if (schema == nullptr) return {};
  const auto* const row = validators::pod::find_word_field(fields, name);
  FieldInfo found;
  if (row != nullptr) {
    found.fields = row->below;
    found.vocabulary = row->vocabulary;
  }
  if (const auto* const property = schema::find_property(*schema, name)) {
    found.schema = property->schema;
    found.texts = schema::texts_of_property(texts, name);
  } else if (schema->type == schema::Type::kObject) {
    found.schema = schema->each;
    found.texts = schema::texts_of_each(texts);
  }
  return found;
}

FieldInfo FieldInfo::each() const {
  if (schema == nullptr) return {};
  return {schema->each, schema::texts_of_each(texts), fields, vocabulary};
}

std::span<const std::string_view> FieldInfo::choices() const {
  if (schema == nullptr) return {};
  if (schema->limits != nullptr && !schema->limits->enumeration.empty()) {
    return schema->limits->enumeration;
  }
  if (vocabulary != nullptr) return vocabulary->words;
  return {};
}

std::string FieldInfo::type_text() const {
  return schema == nullptr ? std::string{} : std::string(schema::describe_type(*schema));
}

std::string FieldInfo::markdown(std::string_view name) const {
  if (schema == nullptr) return {};
  std::string text = "**" + std::string(name) + "**: " + type_text();
  if (!choices().empty()) {
    const bool are_all = vocabulary == nullptr || !vocabulary->is_offered_only;
    text += (are_all ? ", one of " : ", such as ") + schema::quoted_list(choices());
  }
  if (!schema->default_value.empty())
    text += ", default `" + std::string(schema->default_value) + "`";
  if (texts != nullptr && !texts->description.empty()) {
    text += "\n\n" + std::string(texts->description);
  }
  return text;
}

std::vector<Candidate> complete(const Positions& positions, Position cursor) {
  const CursorContext context = context_at(positions, cursor);
  if (context.path.empty()) {
    if (context.key == "apiVersion") {
      std::vector<Candidate> versions;
      for (const std::string_view version : api::kVersionNames) {
        const std::string text = std::string(api::kGroup) + "/" + std::string(version);
        versions.push_back({text, text, {}, {}, true});
      }
      return versions;
    }
    if (context.key == "kind") {
      std::vector<Candidate> kinds;
      for (const schema::Resource& resource : schema::resources()) {
        const std::string kind(resource.kind);
        kinds.push_back({kind, kind, {}, {}, true});
      }
      return kinds;
    }
  }
  const FieldInfo around = at_path(context);
  return context.key.empty() ? names_below(around) : values_of(around.member(context.key));
}

}  // namespace dynamo::cli
