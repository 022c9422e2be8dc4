// Kubernetes name syntaxes.
#pragma once

#include <string_view>

namespace dynamo::text {

// At most 63 lower case letters, digits and '-', beginning and ending with a letter or digit.
bool is_dns_label(std::string_view text);

// At most 253 bytes; parts separated by dots, each like a DNS label without its length limit.
bool is_dns_subdomain(std::string_view text);

// A DNS subdomain, or the beginning of one that ends in '-', as generateName may.
bool is_dns_subdomain_prefix(std::string_view text);

// A name of at most 63 letters, digits, '-', '_' and '.', beginning and ending with a letter or
// digit, after an optional DNS subdomain and '/'.
bool is_qualified_name(std::string_view text);

// Like is_qualified_name(), but the domain may contain upper case letters: the keys of annotations.
bool is_annotation_key(std::string_view text);

// Empty, or like the name part of a qualified name.
bool is_label_value(std::string_view text);

}  // namespace dynamo::text
