// Paths and queries of URLs: escaping what stands in them.
#pragma once

#include <string>
#include <string_view>

namespace dynamo::kube {

// Appends `text` with everything escaped but letters, digits and "-._~" (RFC 3986), so that it can
// stand in a path or in a query.
void append_url_escaped(std::string& out, std::string_view text);

// Appends "?name=value", or "&name=value" when `target` has a query already; nothing for an empty
// value.
void append_query(std::string& target, std::string_view name, std::string_view value);

}  // namespace dynamo::kube
