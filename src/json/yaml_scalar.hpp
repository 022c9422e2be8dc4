// What a YAML scalar means once it is JSON: the rules by which kubectl reads manifests, which are
// those of YAML 1.1 as Go's reader applies them (`yes` and `on` are booleans, 017 is fifteen).
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <string_view>

namespace dynamo::json {

// How a scalar was marked in the text; decides how far its characters are interpreted.
enum class YamlTag : std::uint8_t {
  kNone,    // plain text without a tag: resolved by its looks
  kString,  // quoted, a block scalar, !!str, or a tag that nobody knows
  kInteger,
  kFloat,
  kBoolean,
  kNull,
  kBinary,  // base64 of the bytes that are meant
  kMerge,
  kTimestamp,  // a text that is a time
};

// The kind of tag that yaml-cpp reports: "?" for plain text, "!" for quoted, else the full name.
YamlTag yaml_tag(std::string_view name);

struct YamlScalar {
  enum class Kind : std::uint8_t { kNull, kBoolean, kInteger, kUnsigned, kFloat, kString };
  Kind kind = Kind::kNull;
  bool boolean = false;
  std::int64_t integer = 0;
  std::uint64_t unsigned_integer = 0;  // above the range of `integer`
  double number = 0;
};

// What plain text without a tag means. kString stands for the text itself.
YamlScalar resolve_plain(std::string_view text);

// The same under a tag; nothing when the text does not fit the tag. kBinary answers kString: the
// caller decodes.
std::optional<YamlScalar> resolve_tagged(std::string_view text, YamlTag tag);

// The word of YAML for a tag, as in "!!int".
std::string_view yaml_tag_name(YamlTag tag);

// How a key that is not a string is written as one (true, 15, 1e+06), or nothing where JSON has no
// key for it: null, and integers above 63 bits.
std::optional<std::string> key_text(const YamlScalar& key);

// Decodes padded base64 (RFC 4648); line breaks are skipped. Bytes that are not UTF-8 become
// U+FFFD, because the result has to be a JSON string. Nothing when the text is not base64.
std::optional<std::string> decode_binary(std::string_view text);

}  // namespace dynamo::json
