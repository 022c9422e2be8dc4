// What Kubernetes takes as the text of a container's fields: names of variables, keys, ports, paths
// and headers.
#pragma once

#include <cstdint>
#include <string_view>

namespace dynamo::validators {

// Letters, digits, '-', '_' and '.', not beginning with a digit, neither "." nor beginning with
// "..": a variable's name that every version of Kubernetes takes.
bool is_strict_variable_name(std::string_view text);

// Not empty; printable ASCII other than '=': what Kubernetes takes since 1.32.
bool is_variable_name(std::string_view text);

// A key of a ConfigMap or Secret: at most 253 letters, digits, '-', '_' and '.', neither "." nor
// beginning with "..".
bool is_config_key(std::string_view text);

// At most 15 lower case letters, digits and '-', one of them a letter, no '-' at an end or doubled.
bool is_port_name(std::string_view text);

constexpr bool is_port_number(std::int64_t number) {
  return number >= 1 && number <= 65535;
}

// Letters, digits and '-'; not empty.
bool is_header_name(std::string_view text);

// One of the parts between slashes is "..".
bool climbs(std::string_view path);

// A path below a volume: relative, not climbing, not beginning with "..".
bool is_path_in_volume(std::string_view path);

// What a variable may read of the pod ("metadata.name", "metadata.labels['app']", …), or a file of
// a downwardAPI volume.
bool is_variable_field_path(std::string_view path);
bool is_volume_field_path(std::string_view path);

// What resourceFieldRef may name: "limits.cpu", "requests.hugepages-2Mi", ….
bool is_container_resource(std::string_view text);

}  // namespace dynamo::validators
