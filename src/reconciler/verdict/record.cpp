#include "reconciler/verdict/record.hpp"

#include <array>
#include <span>

#include "json/parser.hpp"
#include "json/writer.hpp"
#include "kube/object/object_meta.hpp"
#include "validators/content/siphash.hpp"

namespace dynamo::reconciler::validation {
namespace {

// The same key in all processes, because other processes read the record. It detects manual edits,
// not attacks: an attacker could edit the object as well.
constexpr validators::HashKey kSumKey{0x64796E616D6F2D61U, 0x646D697373696F6EU};
constexpr std::size_t kHexDigits = 16;

std::string checksum(std::string_view uid, std::int64_t generation, std::string_view spec) {
  std::string text(uid);
  text.append("\n").append(std::to_string(generation)).append("\n").append(spec);
  std::uint64_t sum = validators::siphash(text, kSumKey);
  constexpr std::string_view kDigits = "0123456789abcdef";
  std::string digits(kHexDigits, '0');
  for (auto digit = digits.rbegin(); digit != digits.rend(); ++digit) {
    *digit = kDigits[sum % kHexDigits];
    sum /= kHexDigits;
  }
  return digits;
}

std::span<const std::string_view> immutable_fields(api::Kind kind) {
  static constexpr std::array<std::string_view, 2> kComponent{"backendFramework", "multinode"};
  static constexpr std::array<std::string_view, 2> kModel{"baseModelName", "modelType"};
  static constexpr std::array<std::string_view, 1> kCheckpoint{"identity"};
  switch (kind) {
    case api::Kind::kComponentDeployment:
      return kComponent;
    case api::Kind::kModel:
      return kModel;
    case api::Kind::kCheckpoint:
      return kCheckpoint;
    case api::Kind::kGraphDeployment:
    case api::Kind::kGraphDeploymentRequest:
    case api::Kind::kScalingAdapter:
      break;
  }
  return {};
}

void copy(json::Writer& writer, json::Value from, std::string_view name) {
  if (const json::Value value = from[name]; value.exists()) writer.key(name).value(value);
}

// The services, and which of them are multi-node.
void write_graph(json::Writer& writer, json::Value spec) {
  writer.start_object();
  copy(writer, spec, "backendFramework");
  if (spec["services"].is_object()) {
    writer.key("services").start_object();
    for (const json::Member service : spec["services"].members()) {
      writer.key(service.name).start_object();
      copy(writer, service.value, "multinode");
      writer.end_object();
    }
    writer.end_object();
  }
  writer.end_object();
}

Record unreadable() {
  Record record;
  record.state = RecordState::kUnreadable;
  return record;
}

Record parse(std::string_view text, std::string_view uid) {
  if (text.size() > kMaxRecordBytes) return unreadable();
  const auto parsed = json::parse_copy(text);
  if (parsed->error || !parsed->root().is_object()) return unreadable();
  const json::Value root = parsed->root();
  const std::string_view of = root["uid"].string_or_empty();
  const auto generation = root["generation"].integer();
  const std::string spec = json::to_text(root["spec"]);
  if (!generation || !root["spec"].is_object() ||
      root["sum"].string_or_empty() != checksum(of, *generation, spec)) {
    return unreadable();
  }
  Record record;
  if (of != uid) return record;
  record.state = RecordState::kRead;
  record.generation = *generation;
  record.spec = spec;
  return record;
}

std::string whole_part(api::Kind kind, const kube::Object& object) {
  std::string text;
  json::Writer writer(text);
  const json::Value spec = object.root()["spec"];
  if (kind == api::Kind::kScalingAdapter || !spec.is_object()) return text;
  if (kind == api::Kind::kGraphDeployment) {
    write_graph(writer, spec);
  } else if (kind == api::Kind::kGraphDeploymentRequest) {
    writer.value(spec);
  } else {
    writer.start_object();
    for (const std::string_view field : immutable_fields(kind)) copy(writer, spec, field);
    writer.end_object();
  }
  return text;
}

}  // namespace

std::string immutable_part(api::Kind kind, const kube::Object& object) {
  std::string text = whole_part(kind, object);
  if (text.size() > kMaxRecordBytes) text.clear();
  return text;
}

bool outgrows_record(api::Kind kind, const kube::Object& object) {
  const std::string part = whole_part(kind, object);
  return !part.empty() && record_text(object, part).empty();
}

Record read_record(const kube::Object& object) {
  const json::Value annotation = object.root()["metadata"]["annotations"][kRecordAnnotation];
  if (!annotation.exists()) return {};
  return parse(annotation.string_or_empty(), object.uid());
}

std::string record_text(const kube::Object& object, std::string_view immutable_part) {
  const std::int64_t generation = kube::generation_of(object);
  std::string text;
  json::Writer writer(text);
  writer.start_object().key("generation").integer(generation);
  writer.key("spec").raw(immutable_part);
  writer.member("sum", checksum(object.uid(), generation, immutable_part));
  writer.member("uid", object.uid()).end_object();
  if (text.size() > kMaxRecordBytes) text.clear();
  return text;
}

}  // namespace dynamo::reconciler::validation
