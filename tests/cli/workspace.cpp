#include "tests/cli/workspace.hpp"

#include <gtest/gtest.h>

#include <fstream>
#include <sstream>

#include "cli/commands/commands.hpp"
#include "tests/cli/command_line.hpp"

namespace dynamo::test {

namespace fs = std::filesystem;

std::string Workspace::write(std::string_view name, std::string_view text) const {
  const fs::path file = folder_.path() / name;
  fs::create_directories(file.parent_path());
  std::ofstream(file, std::ios::binary) << text;
  return file.string();
}

std::string Workspace::read(std::string_view name) const {
  std::ifstream file(folder_.path() / name, std::ios::binary);
  std::ostringstream text;
  text << file.rdbuf();
  return text.str();
}

RunResult Workspace::run(const std::vector<std::string>& arguments, std::string_view input) const {
  std::vector<std::string> words;
  for (std::string word : arguments) {
    if (const std::size_t at = word.find("@/"); at != std::string::npos) {
      word.replace(at, 1, folder_.path().string());
    }
    words.push_back(std::move(word));
  }
  std::istringstream in{std::string(input)};
  std::ostringstream out;
  std::ostringstream err;
  cli::Streams streams{in, out, err};
  RunResult ran;
  auto options = parse(words);
  if (const auto* const error = std::get_if<cli::UsageError>(&options)) {
    ADD_FAILURE() << error->text;
    return ran;
  }
  ran.code = cli::run(std::get<cli::Options>(options), streams);
  ran.out = out.str();
  ran.err = err.str();
  return ran;
}

std::string Workspace::shown(std::string text) const {
  const std::string prefix = folder_.path().string() + "/";
  for (std::size_t at = text.find(prefix); at != std::string::npos; at = text.find(prefix, at)) {
    text.erase(at, prefix.size());
  }
  const auto is_digit = [](char c) { return c >= '0' && c <= '9'; };
  for (std::size_t at = 0; at + 1 < text.size(); ++at) {
    if (!text.compare(at, 2, " s") && at > 3 && is_digit(text[at - 1])) {
      for (std::size_t i = at; i > 0 && (is_digit(text[i - 1]) || text[i - 1] == '.'); --i) {
        if (is_digit(text[i - 1])) text[i - 1] = '0';
      }
    }
  }
  return text;
}

std::string graph_yaml(std::string_view name, int replicas) {
  return "apiVersion: nvidia.com/v1alpha1\n"
         "kind: DynamoGraphDeployment\n"
         "metadata:\n"
         "  name: " +
         std::string(name) +
         "\n"
         "spec:\n"
         "  services:\n"
         "    Frontend:\n"
         "      replicas: " +
         std::to_string(replicas) +
         "\n"
         "      componentType: frontend\n"
         "      extraPodSpec: {mainContainer: {image: example.com/runtime:1.0.0}}\n";
}

std::string graph_json(std::string_view name, int replicas) {
  return R"({"apiVersion":"nvidia.com/v1alpha1","kind":"DynamoGraphDeployment","metadata":{"name":")" +
         std::string(name) + R"("},"spec":{"services":{"Frontend":{"replicas":)" +
         std::to_string(replicas) +
         R"(,"componentType":"frontend","extraPodSpec":{"mainContainer":{"image":"example.com/runtime:1.0.0"}}}}}})";
}

std::string with_another_service(std::string_view name) {
  return graph_yaml(name) +
         "    Worker:\n"
         "      replicas: 1\n"
         "      componentType: worker\n"
         "      extraPodSpec: {mainContainer: {image: example.com/runtime:1.0.0}}\n";
}

}  // namespace dynamo::test
