#include "tests/controller_cases/value.hpp"

#include <rapidjson/error/en.h>
#include <rapidjson/stringbuffer.h>
#include <rapidjson/writer.h>

#include <stdexcept>

#include "json/writer.hpp"
#include "json/yaml.hpp"

namespace dynamo::cases {
namespace {

const Value kNull;

Value name_of(std::string_view name, Object::AllocatorType& memory) {
  return Value(name.data(), static_cast<rapidjson::SizeType>(name.size()), memory);
}

}  // namespace

Object copy_of(json::Value value) {
  if (!value.exists()) return {};
  return parsed(json::to_text(value));
}

Object copy_of(const Value& value) {
  Object copy;
  copy.CopyFrom(value, copy.GetAllocator());
  return copy;
}

Object parsed(std::string_view text) {
  Object object;
  object.Parse(text.data(), text.size());
  if (object.HasParseError()) {
    throw std::runtime_error(std::string("must be JSON: ") +
                             rapidjson::GetParseError_En(object.GetParseError()) + " in " +
                             std::string(text.substr(0, 200)));
  }
  return object;
}

std::string text_of(const Value& value) {
  rapidjson::StringBuffer buffer;
  rapidjson::Writer<rapidjson::StringBuffer> writer(buffer);
  value.Accept(writer);
  return {buffer.GetString(), buffer.GetSize()};
}

const Value& member(const Value& object, std::string_view name) {
  if (!object.IsObject()) return kNull;
  const Value wanted(name.data(), static_cast<rapidjson::SizeType>(name.size()));
  const auto found = object.FindMember(wanted);
  return found == object.MemberEnd() ? kNull : found->value;
}

std::string_view text(const Value& value) {
  if (!value.IsString()) return {};
  return {value.GetString(), value.GetStringLength()};
}

void merge_patch(Value& target, const Value& patch, Object::AllocatorType& memory) {
  if (!patch.IsObject()) {
    target.CopyFrom(patch, memory);
    return;
  }
  if (!target.IsObject()) target.SetObject();
  for (const auto& [name, value] : patch.GetObject()) {
    const auto found = target.FindMember(name);
    if (value.IsNull()) {
      if (found != target.MemberEnd()) target.EraseMember(found);
    } else if (found != target.MemberEnd()) {
      merge_patch(found->value, value, memory);
    } else {
      Value fresh;
      merge_patch(fresh, value, memory);
      target.AddMember(name_of(text(name), memory), fresh, memory);
    }
  }
}

std::vector<Object> read_yaml(std::string_view text) {
  std::vector<Object> documents;
  json::YamlReader reader(text);
  json::Document document;
  for (;;) {
    const auto read = reader.next(document);
    if (read == json::YamlReader::ReadResult::kEnd) return documents;
    if (read == json::YamlReader::ReadResult::kError)
      throw std::runtime_error(reader.error().message());
    documents.push_back(copy_of(document.root()));
  }
}

}  // namespace dynamo::cases
