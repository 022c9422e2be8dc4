#include "tests/support/random_objects.hpp"

#include <algorithm>
#include <array>
#include <cstdint>
#include <span>
#include <vector>

#include "api/error_list.hpp"
#include "json/parser.hpp"
#include "json/writer.hpp"
#include "schema/validate.hpp"

namespace dynamo::test {
namespace {

using schema::Schema;
using schema::Type;

constexpr std::size_t kDeep = 6;  // deeper objects have few members, so that objects stay small
constexpr std::size_t kMostBytes = 16'384;
constexpr std::size_t kMostMembers = 8;
constexpr std::size_t kMostElements = 4;

// The first text is that of an exhausted source. Several are names that the conversion treats
// specially, and two need escapes.
constexpr std::string_view kTexts[] = {
    "a",    "main", "sidecar-frontend", "w",  "cache", "worker", "prefill", "decode",
    "/p",   "/q",   "profiler",         "hf", "<&>",   "1Gi",    "1000m",   "intraPod",
    "true", "",     "nvidia.com/gpu",   "\"", "1.5.0", "200ms",  "Ready",   "latency"};

constexpr std::string_view kKeys[] = {"w", "a", "main", "cpu", "memory", "nvidia.com/gpu", "gpu"};

// JSON of a field with any content.
constexpr std::string_view kOpaque[] = {
    R"({"a":{"b":1}})",
    "{}",
    R"({"sla":{"ttft":200.5,"isl":3000,"extra":"x"}})",
    R"({"sla":{"itl":2,"optimizationType":"latency"},"planner":{"a":1}})",
    R"({"deployment":{"modelCache":{"pvcName":"c","modelPathInPvc":"m"},"x":1}})",
    R"({"hardware":{"gpus":8},"deployment":{},"sla":{}})",
    R"({"spec":{"replicas":2},"list":[1,{"c":null},[]]})",
};

constexpr std::string_view kQuantities[] = {R"("1")",     R"("2Gi")", R"("500m")", R"("1024Mi")",
                                            R"("1000m")", R"("0")",   "8080"};
constexpr std::string_view kPorts[] = {"8080", R"("http")"};

// Fields whose texts have a meaning that few texts have.
struct FieldTexts {
  std::string_view field;
  std::span<const std::string_view> texts;
};
constexpr std::string_view kComponentTypes[] = {"worker", "frontend", "epp", "planner", ""};
constexpr std::string_view kSubTypes[] = {"prefill", "decode", "x", ""};
constexpr std::string_view kServiceNames[] = {"legacy", ""};
constexpr std::string_view kStates[] = {"Pending",  "Profiling", "Ready",
                                        "Deployed", "Deploying", "Failed",
                                        "",         "unknown",   "DeploymentDeleted"};
constexpr FieldTexts kFieldTexts[] = {{"componentType", kComponentTypes},
                                      {"phase", kStates},
                                      {"serviceName", kServiceNames},
                                      {"state", kStates},
                                      {"subComponentType", kSubTypes}};

// Whether a value violates the bounds of its schema.
bool is_admitted(const Schema& schema, std::string_view json) {
  if (schema.limits == nullptr) return true;
  const auto parsed = json::parse_copy(json);
  api::ErrorList findings;
  schema::validate_value(schema, parsed->root(), {}, findings);
  return !findings.has_errors();
}

// The name and path of an element of a list, or else its whole text.
std::string identity_of(json::Value element) {
  std::string identity;
  for (const std::string_view member : {"name", "mountPath", "mountPoint"}) {
    if (const json::Value value = element[member]; value.exists()) {
      identity.append(member).append(json::to_text(value));
    }
  }
  return identity.empty() ? json::to_text(element) : identity;
}

// The same by the schema's keys, if it has some.
std::string identity_of(json::Value element, const Schema& list) {
  if (list.list_map_keys.empty()) return identity_of(element);
  std::string identity;
  for (const std::string_view key : list.list_map_keys)
    identity += json::to_text(element[key]) + ",";
  return identity;
}

class RandomObject {
 public:
  RandomObject(std::string& text, Choices& choices)
      : text_(text), writer_(text), choices_(choices) {}

  void root(const schema::Resource& resource) {
    writer_.start_object();
    writer_.member("apiVersion", resource.api_version).member("kind", resource.kind);
    writer_.key("metadata").start_object().member("name", "g").member("namespace", "team");
    writer_.key("annotations").start_object().member("keep", "me").end_object().end_object();
    for (const schema::Property& property : resource.schema->properties) {
      const bool is_status = property.name == "status";
      if (property.name != "spec" && (!is_status || choices_.below(4) != 1)) continue;
      writer_.key(property.name);
      value(*property.schema, property.name, 0);
    }
    writer_.end_object();
  }

 private:
  // `name` is that of the field, for all elements of a list, too.
  void value(const Schema& schema, std::string_view name, std::size_t depth) {
    if (schema.nullable && choices_.below(8) == 1) {
      writer_.null();
      return;
    }
    switch (schema.type) {
      case Type::kObject:
        return object(schema, depth);
      case Type::kArray:
        return array(schema, name, depth);
      case Type::kString:
        return string(schema, name);
      case Type::kInteger:
      case Type::kNumber:
        return number(schema);
      case Type::kBoolean:
        writer_.boolean(choices_.below(2) == 1);
        return;
      case Type::kIntOrString:
        writer_.raw(name == "port" ? pick(kPorts) : pick(kQuantities));
        return;
      case Type::kAny:
        writer_.raw(pick(kOpaque));
        return;
    }
  }

  void object(const Schema& schema, std::size_t depth) {
    if (schema.properties.empty() && schema.each == nullptr) {
      writer_.raw(schema.preserve_unknown ? pick(kOpaque) : "{}");
      return;
    }
    writer_.start_object();
    if (schema.each == nullptr) {
      members(schema, depth);
    } else if (has_room()) {
      const std::size_t first = choices_.below(std::size(kKeys));
      const std::size_t count = choices_.below(kMostElements);
      for (std::size_t i = first; i < std::min(first + count, std::size(kKeys)); ++i) {
        writer_.key(kKeys[i]);
        value(*schema.each, kKeys[i], depth + 1);
      }
    }
    writer_.end_object();
  }

  void members(const Schema& schema, std::size_t depth) {
    std::uint64_t chosen = 0;
    if (has_room()) {
      const std::size_t count = choices_.below(depth < kDeep ? kMostMembers : 2);
      for (std::size_t i = 0; i < count; ++i) {
        chosen |= std::uint64_t{1} << choices_.below(schema.properties.size());
      }
    }
    std::size_t index = 0;
    for (const schema::Property& property : schema.properties) {
      const bool is_chosen = ((chosen >> index++) & 1U) != 0;
      if (!property.required && !is_chosen) continue;
      writer_.key(property.name);
      value(*property.schema, property.name, depth + 1);
    }
  }

  void array(const Schema& schema, std::string_view name, std::size_t depth) {
    writer_.start_array();
    const std::size_t count = has_room() ? choices_.below(kMostElements) : 0;
    std::vector<std::string> identities;
    for (std::size_t i = 0; i < count; ++i) {
      std::string element;
      RandomObject(element, choices_).value(*schema.each, name, depth + 1);
      std::string identity = identity_of(json::parse_copy(element)->root(), schema);
      if (std::ranges::find(identities, identity) != identities.end()) continue;
      identities.push_back(std::move(identity));
      writer_.raw(element);
    }
    writer_.end_array();
  }

  void string(const Schema& schema, std::string_view name) {
    if (schema.format == schema::Format::kDateTime) {
      writer_.string("2026-08-21T12:00:00Z");
    } else if (schema.format == schema::Format::kByte) {
      writer_.string("YQ==");
    } else if (schema.limits != nullptr && !schema.limits->enumeration.empty()) {
      writer_.string(pick(schema.limits->enumeration));
    } else if (schema.limits != nullptr) {
      admitted_string(schema);
    } else {
      const auto* const special = std::ranges::find(kFieldTexts, name, &FieldTexts::field);
      writer_.string(special == std::end(kFieldTexts) ? pick(kTexts) : pick(special->texts));
    }
  }

  void admitted_string(const Schema& schema) {
    const std::size_t first = choices_.below(std::size(kTexts));
    for (std::size_t i = 0; i < std::size(kTexts); ++i) {
      std::string quoted;
      json::append_quoted(quoted, kTexts[(first + i) % std::size(kTexts)]);
      if (!is_admitted(schema, quoted)) continue;
      writer_.raw(quoted);
      return;
    }
    writer_.string("");
  }

  void number(const Schema& schema) {
    const double least = schema.limits == nullptr ? 0 : schema.limits->minimum.value_or(0);
    const double most = schema.limits == nullptr ? 1e6 : schema.limits->maximum.value_or(1e6);
    const double value = std::min(most, least + static_cast<double>(choices_.below(4)));
    if (schema.type == Type::kNumber && choices_.below(2) == 1 && value + 0.5 <= most) {
      writer_.number(value + 0.5);
    } else {
      writer_.integer(static_cast<std::int64_t>(value));
    }
  }

  std::string_view pick(std::span<const std::string_view> list) {
    return list[choices_.below(list.size())];
  }

  bool has_room() const { return choices_.has_more() && text_.size() < kMostBytes; }

  std::string& text_;
  json::Writer writer_;
  Choices& choices_;
};

enum class Edit { kKeep, kRemove, kReplace, kMerge };

class ObjectEditor {
 public:
  ObjectEditor(json::Writer& writer, Choices& choices) : writer_(writer), choices_(choices) {}

  // Writes `live` with changes. `other` may be absent.
  void value(json::Value live, json::Value other) {
    if (live.is_object() && other.is_object()) {
      object(live, other);
    } else if (live.is_array() && other.is_array()) {
      array(live, other);
    } else {
      writer_.value(live);
    }
  }

 private:
  void object(json::Value live, json::Value other) {
    writer_.start_object();
    for (const json::Member member : live.members()) {
      const json::Value replacement = other[member.name];
      // Names stay, so that parts of the object still refer to each other.
      const Edit edit = member.name == "name" ? Edit::kKeep : choose();
      if (edit == Edit::kRemove) continue;
      writer_.key(member.name);
      if (edit == Edit::kReplace && replacement.exists()) {
        writer_.value(replacement);
      } else if (edit == Edit::kMerge) {
        value(member.value, replacement);
      } else {
        writer_.value(member.value);
      }
    }
    for (const json::Member member : other.members()) {
      if (live[member.name].exists() || choose() != Edit::kReplace) continue;
      writer_.key(member.name).value(member.value);
    }
    writer_.end_object();
  }

  void array(json::Value live, json::Value other) {
    const auto find = [](json::Value list, const std::string& identity) {
      for (const json::Value each : list.elements()) {
        if (identity_of(each) == identity) return each;
      }
      return json::Value{};
    };
    writer_.start_array();
    for (const json::Value each : live.elements()) {
      const Edit edit = choose();
      if (edit == Edit::kRemove) continue;
      value(each, edit == Edit::kKeep ? json::Value{} : find(other, identity_of(each)));
    }
    for (const json::Value each : other.elements()) {
      if (!find(live, identity_of(each)).exists() && choose() == Edit::kReplace) {
        writer_.value(each);
      }
    }
    writer_.end_array();
  }

  // Most members are merged, so that edits reach the deep ones.
  Edit choose() {
    constexpr std::array kEdits = {Edit::kKeep,    Edit::kMerge, Edit::kMerge, Edit::kMerge,
                                   Edit::kReplace, Edit::kMerge, Edit::kMerge, Edit::kRemove};
    return kEdits[choices_.below(kEdits.size())];
  }

  json::Writer& writer_;
  Choices& choices_;
};

}  // namespace

std::string random_object(const schema::Resource& resource, Choices& choices) {
  std::string text;
  RandomObject(text, choices).root(resource);
  return text;
}

std::string edited_object(json::Value object, json::Value other, Choices& choices) {
  std::string text;
  json::Writer writer(text);
  writer.start_object();
  for (const json::Member member : object.members()) {
    writer.key(member.name);
    if (member.name == "spec" || member.name == "status") {
      ObjectEditor(writer, choices).value(member.value, other[member.name]);
    } else {
      writer.value(member.value);
    }
  }
  writer.end_object();
  return text;
}

}  // namespace dynamo::test
