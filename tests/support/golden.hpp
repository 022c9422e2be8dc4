// Compares exact expected output with golden files in tests/testdata/golden. With
// DYNAMO_UPDATE_GOLDEN=1 the files are written instead, for review with git.
#pragma once

#include <filesystem>
#include <string>
#include <string_view>
#include <vector>

#include "json/document.hpp"

namespace dynamo::test {

// Path below the source root, which the test's compile definition sets.
std::filesystem::path testdata(std::string_view below);

// Reads the whole file. Throws std::runtime_error naming the file if it cannot be read.
std::string read_file(const std::filesystem::path& path);

// The files below `folder` with that suffix, sorted.
std::vector<std::filesystem::path> files_below(const std::filesystem::path& folder,
                                               std::string_view ending);

// Formats JSON with two spaces per level; a list or object of scalars is on one line. "" for an
// absent value.
std::string pretty(json::Value value);

// Compares `found` with testdata/golden/NAME. Returns "" if they are equal, else a message with the
// first lines that differ and how to accept them. In update mode writes the file instead.
std::string differs_from_golden(std::string_view name, std::string_view found);

}  // namespace dynamo::test
