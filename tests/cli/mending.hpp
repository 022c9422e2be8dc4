// Texts that are mended, for tests of fixes.
#pragma once

#include <string>
#include <string_view>

namespace dynamo::test {

// A valid DynamoGraphDeployment without warnings, with these lines in its service Frontend, from
// line 8 on; `replicas: 1` stands in front of them when wanted, `spec` behind the line of the spec.
std::string graph_of(std::string_view service_lines, bool with_replicas = true,
                     std::string_view spec = {});

// The text after mending, with every finding heard.
std::string mend(std::string_view text, std::string_view name = "a.yaml");

}  // namespace dynamo::test
