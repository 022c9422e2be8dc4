// Texts to fix, for tests of fixes.
#pragma once

#include <string>
#include <string_view>

namespace dynamo::test {

// A valid DynamoGraphDeployment without warnings, with these lines in its service Frontend, from
// line 8 on. `with_replicas` puts `replicas: 1` before them; `spec` follows the line of the spec.
std::string graph_of(std::string_view service_lines, bool with_replicas = true,
                     std::string_view spec = {});

// The text after fixing, with every finding selected.
std::string fix_text(std::string_view text, std::string_view name = "a.yaml");

}  // namespace dynamo::test
