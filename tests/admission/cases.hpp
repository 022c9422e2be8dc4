// The objects of tests/testdata/invalid and invalid_updates with the expectations of their headers.
// tests/testdata/invalid/README.md defines the grammar of the headers.
#pragma once

#include <filesystem>
#include <iosfwd>
#include <optional>
#include <string>
#include <vector>

#include "api/context.hpp"
#include "api/kind.hpp"
#include "tests/support/findings.hpp"

namespace dynamo::test {

struct InvalidCase {
  std::string name;  // invalid/dynamomodel/no_spec, the golden file's name
  api::Kind kind = api::Kind::kGraphDeployment;
  std::string object;           // YAML
  std::string old_object;       // empty: a CREATE
  std::vector<Place> errors;    // sorted
  std::vector<Place> warnings;  // sorted
  std::optional<std::string> user;
  api::Settings settings;
  api::ClusterFacts facts;
};

// Sorted by name. Throws std::runtime_error for a header that breaks the grammar.
std::vector<InvalidCase> invalid_cases();

void PrintTo(const InvalidCase& shown, std::ostream* out);

}  // namespace dynamo::test
