#include "manifests/sync.hpp"

#include <algorithm>
#include <array>
#include <charconv>
#include <cmath>
#include <cstddef>
#include <optional>
#include <vector>

#include "json/sorted_members.hpp"
#include "json/writer.hpp"
#include "render/component/hash.hpp"

namespace dynamo::render {
namespace {

// Writes a text like Go's encoding/json, which also escapes HTML characters.
void append_go_text(std::string& out, std::string_view text) {
  std::string quoted;
  json::append_quoted(quoted, text);
  for (std::size_t at = 0; at < quoted.size(); ++at) {
    const std::string_view rest = std::string_view(quoted).substr(at);
    if (rest.starts_with("\xE2\x80\xA8") || rest.starts_with("\xE2\x80\xA9")) {
      out += rest[2] == '\xA8' ? "\\u2028" : "\\u2029";
      at += 2;
    } else if (quoted[at] == '<') {
      out += "\\u003c";
    } else if (quoted[at] == '>') {
      out += "\\u003e";
    } else if (quoted[at] == '&') {
      out += "\\u0026";
    } else {
      out += quoted[at];
    }
  }
}

// Writes a number like Go writes a float64: plain digits from 1e-6 to 1e21, otherwise an exponent
// without leading zeros.
void append_go_number(std::string& out, double value) {
  constexpr double kSmallest = 1e-6;
  constexpr double kLargest = 1e21;
  const double size = std::fabs(value);
  const bool plain = size == 0 || (size >= kSmallest && size < kLargest);
  std::array<char, 400> digits{};
  const auto written =
      std::to_chars(digits.data(), digits.data() + digits.size(), value,
                    plain ? std::chars_format::fixed : std::chars_format::scientific);
  std::string text(digits.data(), written.ptr);
  const std::size_t zero = text.find("e-0");
  if (!plain && zero != std::string::npos) text.erase(zero + 2, 1);
  out += text;
}

std::string canonical(json::Value value);

// The sort key of an object in a list: the name, otherwise the value of the first key.
std::string sort_key(json::Value element) {
  if (const json::Value name = element["name"]; name.is_string()) {
    return std::string(name.string_or_empty());
  }
  const std::vector<json::Member> members = json::sorted_members(element);
  return members.empty() ? std::string{} : std::string(members.front().name);
}

std::string canonical_list(json::Value list) {
  struct Element {
    std::string key;
    std::string text;
  };
  std::vector<Element> elements;
  bool objects = true;
  for (const json::Value element : list.elements()) {
    objects = objects && element.is_object();
    elements.push_back({{}, canonical(element)});
  }
  if (objects) {
    std::size_t at = 0;
    for (const json::Value element : list.elements()) elements[at++].key = sort_key(element);
    std::ranges::stable_sort(elements, {}, &Element::key);
  }
  std::string out = "[";
  for (const Element& element : elements) {
    if (out.size() > 1) out += ',';
    out += element.text;
  }
  return out + ']';
}

std::string canonical_object(json::Value object) {
  std::string out = "{";
  for (const json::Member& member : json::sorted_members(object)) {
    if (out.size() > 1) out += ',';
    append_go_text(out, member.name);
    out += ':';
    out += canonical(member.value);
  }
  return out + '}';
}

std::string canonical(json::Value value) {
  std::string out;
  switch (value.type()) {
    case json::Type::kObject:
      return canonical_object(value);
    case json::Type::kArray:
      return canonical_list(value);
    case json::Type::kString:
      append_go_text(out, value.string_or_empty());
      return out;
    case json::Type::kInteger:
    case json::Type::kNumber:
      append_go_number(out, value.number().value_or(0));
      return out;
    case json::Type::kBoolean:
    case json::Type::kNull:
      return json::to_text(value);
  }
  return out;
}

}  // namespace

std::string spec_hash(json::Value spec) {
  const Sha256 hash = sha256(spec.exists() ? canonical(spec) : std::string("{}"));
  constexpr std::string_view kDigits = "0123456789abcdef";
  constexpr unsigned kHalf = 4;
  constexpr unsigned kLow = 15;
  std::string out;
  for (const std::uint8_t byte : hash) {
    out += kDigits[byte >> kHalf];
    out += kDigits[byte & kLow];
  }
  return out;
}

std::optional<std::int64_t> annotated_generation(json::Value annotations) {
  const std::string_view text = annotations[kAppliedGenerationAnnotation].string_or_empty();
  std::int64_t number = 0;
  const auto read = std::from_chars(text.data(), text.data() + text.size(), number);
  if (read.ec != std::errc{} || read.ptr != text.data() + text.size()) return std::nullopt;
  return number;
}

SyncDecision sync_decision(json::Value live, std::string_view wanted_hash) {
  const json::Value metadata = live["metadata"];
  const json::Value annotations = metadata["annotations"];
  const std::int64_t generation = metadata["generation"].integer().value_or(0);
  const SyncDecision rewrite{true, generation + 1};
  const std::optional<std::int64_t> annotated = annotated_generation(annotations);
  if (annotations[kAppliedHashAnnotation].string_or_empty() != wanted_hash) return rewrite;
  if (!annotated) return rewrite;
  // Another writer has changed it since. Kinds without a generation cannot show this.
  if (generation > 0 && generation > *annotated) return rewrite;
  return {};
}

}  // namespace dynamo::render
