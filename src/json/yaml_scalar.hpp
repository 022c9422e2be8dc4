// Converts YAML scalars to JSON values by kubectl's rules: YAML 1.1 as Go's reader applies it
// (`yes` and `on` are booleans, 017 is fifteen).
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <string_view>

namespace dynamo::json {

// How a scalar is tagged in the text; decides how its characters are interpreted.
enum class YamlTag : std::uint8_t {
  kNone,    // plain text without a tag: resolved by its characters
  kString,  // quoted, a block scalar, !!str, or an unknown tag
  kInteger,
  kFloat,
  kBoolean,
  kNull,
  kBinary,  // base64-encoded bytes
  kMerge,
  kTimestamp,  // a timestamp, kept as a string
};

// The tag for the name that yaml-cpp reports: "?" for plain text, "!" for quoted, else the full
// name.
YamlTag yaml_tag(std::string_view name);

struct YamlScalar {
  enum class Kind : std::uint8_t { kNull, kBoolean, kInteger, kUnsigned, kFloat, kString };
  Kind kind = Kind::kNull;
  bool boolean = false;
  std::int64_t integer = 0;
  std::uint64_t unsigned_integer = 0;  // above the range of `integer`
  double number = 0;
};

// The value of plain text without a tag. kString means the text itself.
YamlScalar resolve_plain(std::string_view text);

// The value of text with a tag; nullopt if the text does not fit the tag. For kBinary the result is
// kString: the caller decodes.
std::optional<YamlScalar> resolve_tagged(std::string_view text, YamlTag tag);

// The YAML name of a tag, such as "!!int".
std::string_view yaml_tag_name(YamlTag tag);

// The JSON key for a key that is not a string (true, 15, 1e+06), or nullopt if JSON has no key for
// it: null, and integers above 63 bits.
std::optional<std::string> key_text(const YamlScalar& key);

// Decodes padded base64 (RFC 4648); skips line breaks. Bytes that are not UTF-8 become U+FFFD,
// because the result must be a JSON string. Returns nullopt if the text is not base64.
std::optional<std::string> decode_binary(std::string_view text);

}  // namespace dynamo::json
