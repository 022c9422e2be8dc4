#include "conversion/payload.hpp"

#include <cstddef>

#include "conversion/encode.hpp"
#include "json/scan.hpp"

namespace dynamo::conversion {

namespace {

// Kubernetes limits all annotations of an object to 256 KiB. Larger buffers are not kept.
constexpr std::size_t kKeptBytes = 256UL * 1024;
constexpr std::size_t kKeptNodes = 64UL * 1024;
// The memory of shorter payloads is not counted.
constexpr std::size_t kMaxUncounted = 64UL * 1024;
// Most payloads fit, so that their text grows once.
constexpr std::size_t kUsualBytes = 2UL * 1024;

// Go escapes three characters that JSON does not need to escape.
std::string escape_html(std::string text) {
  const auto has = [&text](char c) { return text.find(c) != std::string::npos; };
  if (!has('<') && !has('>') && !has('&')) return text;
  std::string escaped;
  escaped.reserve(text.size() + 64);
  for (const char c : text) {
    switch (c) {
      case '<':
        escaped += "\\u003c";
        break;
      case '>':
        escaped += "\\u003e";
        break;
      case '&':
        escaped += "\\u0026";
        break;
      default:
        escaped += c;
    }
  }
  return escaped;
}

bool has_empty_service_name_record(json::Value records) {
  for (const json::Value record : records.elements()) {
    if (record["path"].string_or_empty() == kServiceNamePath &&
        record["nil"].boolean().value_or(false)) {
      return true;
    }
  }
  return false;
}

}  // namespace

json::Value PayloadReader::parse(Arena& arena, std::string_view text,
                                 std::optional<json::ParseError>& error) {
  if (text.size() > kMaxUncounted) arena.charge(json::max_parse_memory(text));
  if (used_ == texts_.size()) texts_.push_back(std::make_unique<Text>());
  Text& own = *texts_[used_++];
  // Assigning an empty string would keep the memory.
  if (own.bytes.capacity() > kKeptBytes) std::string{}.swap(own.bytes);
  own.document.shrink_to(kKeptNodes);
  own.bytes.assign(text);
  own.bytes.append(json::kParsePadding, '\0');
  error = parser_.parse({own.bytes.data(), text.size()}, {}, own.document);
  return error ? json::Value{} : own.document.root();
}

SpecPayload PayloadReader::read_spec(Arena& arena, std::string_view text, const Type& type) {
  std::optional<json::ParseError> error;
  const json::Value envelope = parse(arena, text, error);
  if (!envelope.is_object()) return {};
  const json::Value spec = envelope["spec"];
  // An early form had no envelope.
  const Decoded decoded =
      decode(arena, spec.exists() ? spec : envelope, type, NameMatch::kIgnoreCase);
  if (decoded.error) return {};
  return {.spec = decoded.root,
          .has_empty_service_name = has_empty_service_name_record(envelope["rawJSON"])};
}

StatusPayload PayloadReader::read_status(Arena& arena, std::string_view text, const Type& type) {
  if (text.empty()) return {};
  std::optional<json::ParseError> error;
  const json::Value status = parse(arena, text, error);
  if (error) return {.status = nullptr, .error = error->message()};
  const Decoded decoded = decode(arena, status, type, NameMatch::kIgnoreCase);
  if (decoded.error) {
    const std::string path = decoded.error->path.empty() ? "" : decoded.error->path + ": ";
    return {.status = nullptr, .error = path + decoded.error->reason};
  }
  return {.status = decoded.root, .error = std::nullopt};
}

std::string write_spec_payload(const Arena& arena, const Node* spec, bool has_empty_service_name) {
  std::string text;
  text.reserve(kUsualBytes);
  text = R"({"version":1,"spec":)";
  encode(text, spec, Encoding::kGo, arena.max_text());
  if (has_empty_service_name) {
    text.append(R"(,"rawJSON":[{"path":")").append(kServiceNamePath).append(R"(","nil":true}])");
  }
  text += '}';
  return escape_html(std::move(text));
}

std::string write_status_payload(const Arena& arena, const Node* status) {
  std::string text;
  encode(text, status, Encoding::kGo, arena.max_text());
  return escape_html(std::move(text));
}

}  // namespace dynamo::conversion
