// A folder for one test, and kubectl-dynamo run in process on what is in it.
#pragma once

#include <string>
#include <string_view>
#include <vector>

#include "tests/support/temporary_directory.hpp"

namespace dynamo::test {

// What one run printed and how it ended.
struct Ran {
  int code = -1;
  std::string out;
  std::string err;
};

// Runs the command line. Of each argument "@/" is replaced by the folder it is run for, so that
// nothing depends on the working directory.
class Workspace {
 public:
  std::string path(std::string_view name) const { return (folder_.path() / name).string(); }
  // Writes a file, with the folders that it needs; answers its path.
  std::string write(std::string_view name, std::string_view text) const;
  std::string read(std::string_view name) const;

  Ran run(const std::vector<std::string>& arguments, std::string_view input = {}) const;

  // The output with the folder's path taken out, and times as "0.000 s".
  std::string shown(std::string text) const;

 private:
  const TemporaryDirectory folder_;
};

// A DynamoGraphDeployment of that name, as YAML and as JSON of one line; valid, without warnings,
// unless `replicas` is negative. `replicas` stands in line 8 of the YAML, from column 17 on.
std::string graph_yaml(std::string_view name, int replicas = 1);
std::string graph_json(std::string_view name, int replicas = 1);

// The same with one service more, which an update may not add.
std::string with_another_service(std::string_view name);

}  // namespace dynamo::test
