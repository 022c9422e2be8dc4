// Reads golden cases from files. A file has one complete case and any number of variants of it.
#pragma once

#include <string>
#include <string_view>
#include <vector>

#include "tests/controller_cases/value.hpp"

namespace dynamo::cases {

struct GoldenCase {
  std::string name;  // its member `case`
  Object golden;
};

// Reads the cases of one file in their order. The first document is a complete case, the file's
// base case. A variant has `case`, `about`, `facts` and `patch`, a JSON patch (RFC 6902) of the
// base case. Throws std::runtime_error, with the case's name, if a document has another form, a
// path of a patch does not exist, or a patch changes nothing.
std::vector<GoldenCase> read_cases(std::string_view text);

// Reads the cases of all YAML files, one folder after the other, each sorted by name. Throws
// std::runtime_error, with the file's path, as read_cases() does, and if two cases have one name.
std::vector<GoldenCase> read_case_folders(const std::vector<std::string>& folders);

}  // namespace dynamo::cases
