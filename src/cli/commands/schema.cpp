// kubectl dynamo schema [KIND] [-o DIR]
#include <filesystem>
#include <optional>
#include <ostream>
#include <string>
#include <string_view>
#include <system_error>
#include <vector>

#include "cli/commands/commands.hpp"
#include "cli/editor/json_schema.hpp"
#include "cli/report/output_file.hpp"
#include "cli/report/wording.hpp"
#include "schema/suggest.hpp"
#include "schema/table.hpp"

namespace dynamo::cli {
namespace {

namespace fs = std::filesystem;

// By kind, or by kubectl's names: dgd, dynamographdeployments.
const schema::Resource* find(std::string_view typed) {
  for (const schema::Resource& resource : schema::resources()) {
    if (typed == resource.kind || typed == resource.short_name || typed == resource.singular ||
        typed == resource.plural) {
      return &resource;
    }
  }
  return nullptr;
}

int refuse_unknown(std::string_view typed, Streams& streams) {
  std::vector<std::string_view> kinds;
  std::string list;
  for (const schema::Resource& resource : schema::resources()) {
    kinds.push_back(resource.kind);
    list += (list.empty() ? "" : ", ") + std::string(resource.kind);
  }
  std::string reason = "KIND must be one of " + list + "; found \"";
  append_printable(reason, typed.substr(0, 80));
  reason += '"';
  const std::string_view suggestion = schema::nearest_word(kinds, typed);
  if (!suggestion.empty()) reason += "; did you mean " + std::string(suggestion) + "?";
  return refuse(streams, reason);
}

// Returns why it could not be written, or nullopt.
std::optional<std::string> write(const fs::path& file, std::string_view text) {
  OutputFile out(file.string());
  auto reason = out.open();
  if (!reason) {
    out.stream() << text;
    reason = out.close();
  }
  return reason;
}

}  // namespace

int run_schema(const Options& options, Streams& streams) {
  const schema::Resource* const only = options.argument.empty() ? nullptr : find(options.argument);
  if (only == nullptr && !options.argument.empty()) {
    return refuse_unknown(options.argument, streams);
  }
  if (options.output_directory.empty()) {
    streams.out << (only != nullptr ? json_schema_of(*only) : json_schema_of_all());
    return kExitValid;
  }
  const fs::path folder = options.output_directory;
  std::optional<std::string> reason = why_not_written(folder.string());
  std::error_code error;
  if (!reason) fs::create_directories(folder, error);
  for (const schema::Resource& resource : schema::resources()) {
    if (only != nullptr && only != &resource) continue;
    if (!reason) reason = write(folder / json_schema_file(resource), json_schema_of(resource));
  }
  if (only == nullptr && !reason) reason = write(folder / "all.json", json_schema_of_all());
  if (!reason) return kExitValid;
  return refuse(streams, "the schemas cannot be written to " + options.output_directory + ": " +
                             *reason + "; name a folder that can be written");
}

}  // namespace dynamo::cli
