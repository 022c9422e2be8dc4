// `kubectl dynamo validate` on the files of a test's folder.
#pragma once

#include <gtest/gtest.h>

#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "tests/cli/workspace.hpp"

namespace dynamo::test {

class ValidateFixture : public testing::Test {
 protected:
  // Its output, as Workspace::shown() returns it.
  RunResult validate(std::vector<std::string> arguments, std::string_view input = {}) const {
    arguments.insert(arguments.begin(), "validate");
    RunResult ran = workspace_.run(arguments, input);
    ran.out = workspace_.shown(std::move(ran.out));
    ran.err = workspace_.shown(std::move(ran.err));
    return ran;
  }

  Workspace workspace_;
};

}  // namespace dynamo::test
