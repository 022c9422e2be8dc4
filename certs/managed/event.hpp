// Events of the core API about the Secret, for `kubectl describe`.
#pragma once

#include <string>
#include <string_view>

#include "certs/managed/settings.hpp"

namespace dynamo::certs::managed {

// A new Event; `reason` in CamelCase, `note` one line. `uid` is the Secret's, or empty.
std::string event_body(const Settings& settings, std::string_view uid, bool is_warning,
                       std::string_view reason, std::string_view note, TimePoint now);

}  // namespace dynamo::certs::managed
