// The annotations that keep what the other version cannot express.
#pragma once

#include <memory>
#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "conversion/decode.hpp"
#include "conversion/tree.hpp"
#include "json/parser.hpp"

namespace dynamo::conversion {

// The annotations of one kind.
struct PayloadKeys {
  std::string_view spec;
  std::string_view status;
  std::span<const std::string_view> retired = {};  // removed, never read
};

// The path of the record that an empty `serviceName` has in a spec payload.
inline constexpr std::string_view kServiceNamePath = "serviceName";

// A decoded payload. Its nodes live as long as the reader.
struct SpecPayload {
  Node* spec = nullptr;                 // null if there is no readable payload
  bool has_empty_service_name = false;  // the record of kServiceNamePath
};

struct StatusPayload {
  Node* status = nullptr;  // null if there is none
  std::optional<std::string> error;
};

// Parses payloads and keeps their texts. Not thread-safe.
class PayloadReader {
 public:
  // An unreadable payload counts as absent.
  SpecPayload read_spec(Arena& arena, std::string_view text, const Type& type);
  // Reports an error for a text that is neither empty nor a status of that type.
  StatusPayload read_status(Arena& arena, std::string_view text, const Type& type);

  // Frees the texts of earlier payloads.
  void clear() { used_ = 0; }

 private:
  struct Text {
    std::string bytes;
    json::Document document;
  };
  // Absent, with an error, if the text is not JSON.
  json::Value parse(Arena& arena, std::string_view text, std::optional<json::ParseError>& error);

  json::Parser parser_;
  std::vector<std::unique_ptr<Text>> texts_;
  std::size_t used_ = 0;
};

// The envelope of a spec payload as text. Throws MemoryExceeded as the arena does.
std::string write_spec_payload(const Arena& arena, const Node* spec, bool has_empty_service_name);
std::string write_status_payload(const Arena& arena, const Node* status);

}  // namespace dynamo::conversion
