#include "tests/cli/command_line.hpp"

#include <gtest/gtest.h>

namespace dynamo::test {

std::variant<cli::Options, cli::UsageError> parse(const std::vector<std::string>& arguments) {
  std::vector<const char*> pointers;
  pointers.reserve(arguments.size());
  for (const std::string& argument : arguments) pointers.push_back(argument.c_str());
  return cli::parse_options(pointers);
}

cli::Options parsed(const std::vector<std::string>& arguments) {
  auto result = parse(arguments);
  if (const auto* const error = std::get_if<cli::UsageError>(&result)) {
    ADD_FAILURE() << error->text;
    return {};
  }
  return std::get<cli::Options>(std::move(result));
}

std::string refusal(const std::vector<std::string>& arguments) {
  const auto result = parse(arguments);
  const auto* const error = std::get_if<cli::UsageError>(&result);
  if (error == nullptr) {
    ADD_FAILURE() << "accepted";
    return {};
  }
  EXPECT_EQ(error->text.find('\n'), error->text.size() - 1) << error->text;
  return error->text.substr(0, error->text.size() - 1);
}

}  // namespace dynamo::test
