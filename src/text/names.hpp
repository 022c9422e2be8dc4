// The forms of names that Kubernetes knows.
#pragma once

#include <string_view>

namespace dynamo::text {

// At most 63 lower case letters, digits and '-', beginning and ending with a letter or digit.
bool is_dns_label(std::string_view text);

// At most 253 bytes; parts between dots, each like a DNS label but for its length.
bool is_dns_subdomain(std::string_view text);

// A DNS subdomain, or one that lacks only what follows its last '-', as generateName may.
bool is_dns_subdomain_prefix(std::string_view text);

// A name of at most 63 letters, digits, '-', '_' and '.', beginning and ending with a letter or
// digit, after an optional DNS subdomain and '/'.
bool is_qualified_name(std::string_view text);

// The same, but upper case letters may stand in the domain too: the keys of annotations.
bool is_annotation_key(std::string_view text);

// Empty, or like the name of a qualified name.
bool is_label_value(std::string_view text);

}  // namespace dynamo::text
