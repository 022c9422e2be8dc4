// The etcd deletions that a component requests when it is deleted.
#pragma once

#include <string>
#include <string_view>

namespace dynamo::cases {

// For a transaction that deletes a key and all keys below it, returns that key, which the
// recordings show as the deleted prefix. Any other body is returned unchanged.
std::string deleted_prefix(std::string_view body);

}  // namespace dynamo::cases
