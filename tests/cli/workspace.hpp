// A folder for one test, and kubectl-dynamo run in process on its files.
#pragma once

#include <string>
#include <string_view>
#include <vector>

#include "tests/support/temporary_directory.hpp"

namespace dynamo::test {

// Output and exit code of one run.
struct RunResult {
  int code = -1;
  std::string out;
  std::string err;
};

// Runs the command line. "@/" in each argument is replaced by the folder, so that nothing depends
// on the working directory.
class Workspace {
 public:
  std::string path(std::string_view name) const { return (folder_.path() / name).string(); }
  // Writes a file, with the required folders; returns its path.
  std::string write(std::string_view name, std::string_view text) const;
  std::string read(std::string_view name) const;

  RunResult run(const std::vector<std::string>& arguments, std::string_view input = {}) const;

  // The output without the folder's path, and with times as "0.000 s".
  std::string shown(std::string text) const;

 private:
  const TemporaryDirectory folder_;
};

// A DynamoGraphDeployment with that name, as YAML and as JSON on one line; valid, without warnings,
// unless `replicas` is negative. `replicas` is in line 8 of the YAML, from column 17 on.
std::string graph_yaml(std::string_view name, int replicas = 1);
std::string graph_json(std::string_view name, int replicas = 1);

// The same with an additional service, which an update may not add.
std::string with_another_service(std::string_view name);

}  // namespace dynamo::test
