#include "reconciler/copy_profile/output_files.hpp"

#include <algorithm>
#include <array>
#include <optional>
#include <utility>

#include "json/scan.hpp"
#include "json/yaml.hpp"
#include "runtime/read_file.hpp"
#include "text/presentable.hpp"
#include "text/quoted.hpp"

namespace dynamo::reconciler::copy_profile {
namespace {

constexpr std::size_t kLongestStatus = 80;
constexpr std::size_t kLongestMessage = 1024;

runtime::Error error_of(std::string_view file, std::string_view problem) {
  runtime::Error error;
  error.text.append(file).append(": ").append(problem);
  return error;
}

// The profiler reports a message next to its status.
std::string message_of(json::Value root) {
  for (const std::string_view name : {"message", "error", "reason"}) {
    const std::string_view text = root[name].string_or_empty();
    if (text.empty()) continue;
    std::string message = ": ";
    text::append_presentable(message, text, kLongestMessage);
    return message;
  }
  return {};
}

std::string limit_exceeded(std::size_t found, std::string_view what) {
  return "must have at most " + std::to_string(kMostConfigMapBytes) + " bytes" + std::string(what) +
         ", the limit of a ConfigMap; found " + std::to_string(found);
}

std::optional<runtime::Error> problem_of_sizes(const std::vector<OutputFile>& files) {
  std::size_t total = 0;
  for (const OutputFile& file : files) total += file.text.size();
  if (total <= kMostConfigMapBytes) return std::nullopt;
  const auto largest =
      std::ranges::max_element(files, {}, [](const OutputFile& file) { return file.text.size(); });
  const std::string own = " (" + std::to_string(largest->text.size()) + " in this file)";
  return error_of(largest->name, limit_exceeded(total, " together with the other files") + own);
}

// Appends the file; nothing if there is none.
runtime::Result<void> append_file(const std::string& directory, std::string_view name,
                                  std::vector<OutputFile>& files) {
  runtime::ReadFile file =
      runtime::read_file_beneath(directory, std::string(name), kMostConfigMapBytes);
  if (!file.problem.empty()) return error_of(name, file.problem);  // with size and limit
  if (!file.content) return {};
  if (const auto at = json::find_invalid_utf8(*file.content)) {
    return error_of(name, "must be text in UTF-8; byte " + std::to_string(*at + 1) + " is not");
  }
  files.push_back({std::string(name), *std::move(file.content)});
  return {};
}

}  // namespace

runtime::Result<void> check_profiler_status(std::string_view text) {
  json::YamlOptions options;
  options.max_bytes = kMostConfigMapBytes;
  options.max_nodes = 100'000;
  json::YamlReader reader(text, options);
  json::Document document;
  switch (reader.next(document)) {
    case json::YamlReader::ReadResult::kError:
      return error_of(kStatusFile, "must be YAML; " + reader.error().message());
    case json::YamlReader::ReadResult::kEnd:
      return error_of(kStatusFile, "must have the member status; found an empty file");
    case json::YamlReader::ReadResult::kDocument:
      break;
  }
  const json::Value root = document.root();
  const std::optional<std::string_view> status = root["status"].string();
  if (!status) return error_of(kStatusFile, "must have the member status, a text; found none");
  if (*status == "success") return {};
  return error_of(kStatusFile, "status must be \"success\"; found " +
                                   text::quoted(*status, kLongestStatus) + message_of(root));
}

runtime::Result<std::vector<OutputFile>> read_output(const std::string& directory,
                                                     OutputFile status) {
  std::vector<OutputFile> files;
  if (const auto added = append_file(directory, kConfigFile, files); !added) return added.error();
  if (files.empty()) return error_of(kConfigFile, "must exist; the profiler left none");
  if (files.front().text.empty()) {
    return error_of(kConfigFile, "must have a graph; found an empty file");
  }
  if (const auto added = append_file(directory, kMockerFile, files); !added) return added.error();
  files.push_back(std::move(status));
  if (auto problem = problem_of_sizes(files)) return *std::move(problem);
  return files;
}

}  // namespace dynamo::reconciler::copy_profile
