#include "tests/conversion/convert_fixture.hpp"

#include <algorithm>
#include <stdexcept>
#include <string>
#include <vector>

#include "json/parser.hpp"
#include "json/pointer.hpp"
#include "json/writer.hpp"
#include "json/yaml.hpp"
#include "tests/support/conversion_round_trip.hpp"

namespace dynamo::test {
namespace {

// The first document of the text.
json::Document from_yaml(std::string_view text) {
  json::YamlReader reader{text};
  json::Document document;
  if (reader.next(document) != json::YamlReader::ReadResult::kDocument) {
    throw std::runtime_error("not a YAML document: " + std::string(text));
  }
  return document;
}

bool is_payload(std::string_view name) {
  return name.starts_with("nvidia.com/d") && (name.ends_with("-spec") || name.ends_with("-status"));
}

void write_sorted(json::Writer& out, json::Value value, std::string_view name) {
  if (value.is_object()) {
    std::vector<json::Member> members;
    for (const json::Member member : value.members()) members.push_back(member);
    std::ranges::sort(members, {}, &json::Member::name);
    out.start_object();
    for (const json::Member& member : members) {
      out.key(member.name);
      write_sorted(out, member.value, member.name);
    }
    out.end_object();
  } else if (value.is_array()) {
    out.start_array();
    for (const json::Value element : value.elements()) write_sorted(out, element, {});
    out.end_array();
  } else if (value.is_string() && is_payload(name)) {
    const auto payload = json::parse_copy(value.string_or_empty());
    if (payload->error) {
      out.value(value);
    } else {
      write_sorted(out, payload->root(), {});
    }
  } else {
    out.value(value);
  }
}

std::string convert_value(json::Value value, std::string& out) {
  conversion::Converter converter;
  const bool is_beta = value["apiVersion"].string_or_empty() ==
                       conversion::api_version(conversion::Version::kV1beta1);
  const auto target = is_beta ? conversion::Version::kV1alpha1 : conversion::Version::kV1beta1;
  const auto error = converter.convert(value, target, out);
  return error ? "error: " + *error : "";
}

}  // namespace

std::string sorted_text(json::Value value) {
  std::string text;
  json::Writer out(text);
  write_sorted(out, value, {});
  return text;
}

std::string sorted_text(std::string_view text) {
  return sorted_text(from_yaml(text).root());
}

std::string normalised(json::Value object) {
  const std::string text = reencoded(object);
  return text.empty() ? text : sorted_text(json::parse_copy(text)->root());
}

std::string converted(std::string_view object) {
  const json::Document source = from_yaml(object);
  std::string out;
  const std::string error = convert_value(source.root(), out);
  return error.empty() ? sorted_text(json::parse_copy(out)->root()) : error;
}

std::string converted_there_and_back(std::string_view object) {
  const json::Document source = from_yaml(object);
  std::string there;
  std::string error = convert_value(source.root(), there);
  if (!error.empty()) return error;
  std::string back;
  error = convert_value(json::parse_copy(there)->root(), back);
  return error.empty() ? sorted_text(json::parse_copy(back)->root()) : error;
}

std::string field(std::string_view object, std::string_view path) {
  const auto parsed = json::parse_copy(object);
  return json::to_text(json::at_pointer(parsed->root(), path));
}

}  // namespace dynamo::test
