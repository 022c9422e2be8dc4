// The syntax that Kubernetes accepts in container fields: names of variables, keys, ports, paths
// and headers.
#pragma once

#include <cstdint>
#include <string_view>

namespace dynamo::validators {

// A variable's name that every version of Kubernetes accepts: letters, digits, '-', '_' and '.',
// not beginning with a digit, neither "." nor beginning with "..".
bool is_strict_variable_name(std::string_view text);

// The name of a variable since Kubernetes 1.32: not empty, printable ASCII other than '='.
bool is_variable_name(std::string_view text);

// A key of a ConfigMap or Secret: at most 253 letters, digits, '-', '_' and '.', neither "." nor
// beginning with "..".
bool is_config_key(std::string_view text);

// At most 15 lower case letters, digits and '-', at least one letter, no '-' at either end and no
// "--".
bool is_port_name(std::string_view text);

constexpr bool is_port_number(std::int64_t number) {
  return number >= 1 && number <= 65535;
}

// Letters, digits and '-'; not empty.
bool is_header_name(std::string_view text);

// Whether one of the parts between slashes is "..".
bool has_parent_part(std::string_view path);

// A path inside a volume: relative, without a ".." part, not beginning with "..".
bool is_path_in_volume(std::string_view path);

// The fields of the pod that a variable or a file of a downwardAPI volume may read:
// "metadata.name", "metadata.labels['app']", ...
bool is_variable_field_path(std::string_view path);
bool is_volume_field_path(std::string_view path);

// The resources that resourceFieldRef may name: "limits.cpu", "requests.hugepages-2Mi", ...
bool is_container_resource(std::string_view text);

}  // namespace dynamo::validators
