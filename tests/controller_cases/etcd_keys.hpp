// What a component asks etcd to delete when it goes.
#pragma once

#include <string>
#include <string_view>

namespace dynamo::cases {

// Of a transaction that deletes a key and all keys below it: that key, which was measured as the
// prefix of what goes. Anything else is told as it stands.
std::string deleted_prefix(std::string_view body);

}  // namespace dynamo::cases
