// Golden files: what is expected word for word lies in tests/testdata/golden. Run with
// DYNAMO_UPDATE_GOLDEN=1 they are written instead of compared, for review with git.
#pragma once

#include <filesystem>
#include <string>
#include <string_view>
#include <vector>

#include "json/document.hpp"

namespace dynamo::test {

// Root of the sources, from the test's compile definition.
std::filesystem::path testdata(std::string_view below);

// The whole file. Throws std::runtime_error naming the file when it cannot be read.
std::string read_file(const std::filesystem::path& path);

// The files below `folder` whose names end so, sorted.
std::vector<std::filesystem::path> files_below(const std::filesystem::path& folder,
                                               std::string_view ending);

// JSON with two spaces per level and one member per line; "" for an absent value.
std::string pretty(json::Value value);

// Compares `found` with testdata/golden/NAME and answers "" when they are equal, else a message
// with the first lines that differ and how to accept them. Writes the file instead when updating.
std::string differs_from_golden(std::string_view name, std::string_view found);

}  // namespace dynamo::test
