// Escapes text in paths and queries of URLs.
#pragma once

#include <string>
#include <string_view>

namespace dynamo::kube {

// Appends `text`, escaping everything except letters, digits and "-._~" (RFC 3986), for use in a
// path or a query.
void append_url_escaped(std::string& out, std::string_view text);

// Appends "?name=value", or "&name=value" if `target` already has a query. Appends nothing for an
// empty value.
void append_query(std::string& target, std::string_view name, std::string_view value);

}  // namespace dynamo::kube
