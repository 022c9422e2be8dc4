// Converts Dynamo objects between v1alpha1 and v1beta1, as the operator's conversion webhook does.
#pragma once

#include <cstddef>
#include <optional>
#include <string>
#include <string_view>

#include "conversion/payload.hpp"
#include "conversion/tree.hpp"
#include "conversion/version.hpp"
#include "json/document.hpp"

namespace dynamo::conversion {

// The reason for an object that exceeds the limit on memory.
inline constexpr std::string_view kTooLarge =
    "spec: must have fewer values; the object needs too much memory to be converted";

// "nvidia.com/v1alpha1" and "nvidia.com/v1beta1".
std::string_view api_version(Version version);
// The version of an apiVersion such as "nvidia.com/v1beta1", or nullopt.
std::optional<Version> parse_api_version(std::string_view api_version);

// Whether a kind of group nvidia.com exists in both versions.
bool has_two_versions(std::string_view kind);

// Converts one object after another and reuses its memory. Not thread-safe.
//
// The result depends on the object alone: fields that both versions have come from the object, and
// fields that only the target has come from the payload annotations `nvidia.com/dgd-spec`,
// `dgd-status` and so on, in the operator's format. Fields that only the source has go into new
// payload annotations, so that a conversion there and back loses nothing. Unknown fields are
// dropped.
class Converter {
 public:
  // Limits the memory of each conversion from now on, in bytes, its text included; unlimited by
  // default. An object that exceeds it cannot be converted.
  void limit_memory(std::size_t bytes) { arena_.limit_memory(bytes); }

  // Appends the object in the other version to `out`, as compact JSON. Returns the reason, and
  // leaves `out` as it is, if the object has another group or kind, has the target's version
  // already, or cannot be converted: a field of the wrong type, two components with one name, or
  // an unreadable status payload. An unreadable spec payload counts as absent.
  // Recurses as deep as the value; the parser limits the depth.
  std::optional<std::string> convert(json::Value object, Version target, std::string& out);

  // The same for an object that is known to be of that kind and of the other version: items of a
  // list state neither. Precondition: has_two_versions(kind).
  std::optional<std::string> convert_known(std::string_view kind, json::Value object,
                                           Version target, std::string& out);

  // Bytes of all keys and values of metadata.annotations of the object that was converted last.
  std::size_t annotation_bytes() const { return annotation_bytes_; }

  // Appends the object of that kind as Go re-encodes it in its own version: unknown members and
  // zero values are dropped, quantities are canonical. Objects whose Go structs are equal have
  // equal results. Returns the reason if a field has the wrong type. Precondition:
  // has_two_versions(kind).
  std::optional<std::string> normalize(std::string_view kind, json::Value object, Version version,
                                       std::string& out);

 private:
  template <typename Run>
  std::optional<std::string> within_memory(std::string& out, const Run& run);

  Arena arena_;
  PayloadReader payloads_;
  std::size_t annotation_bytes_ = 0;
};

}  // namespace dynamo::conversion
