// kubectl dynamo config
#include <algorithm>
#include <deque>
#include <ostream>
#include <string>

#include "cli/commands/commands.hpp"
#include "cli/options/configuration.hpp"
#include "json/report_writer.hpp"

namespace dynamo::cli {
namespace {

void write_json(json::ReportWriter& writer, const Configured& configured) {
  writer.start_object().member("file", configured.file).key("settings").start_array();
  for (const Setting& setting : configured.settings) {
    writer.start_object()
        .member("name", setting.name)
        .member("value", setting.value)
        .member("source", setting.source)
        .end_object();
  }
  writer.end_array().end_object();
}

// Of several an object with all of them.
std::string as_json(const std::deque<ConfiguredInputs>& groups) {
  std::string text;
  json::ReportWriter writer(text);
  if (groups.size() == 1) {
    write_json(writer, groups.front().configured);
  } else {
    writer.start_object().key("configurations").start_array();
    for (const ConfiguredInputs& group : groups) write_json(writer, group.configured);
    writer.end_array().end_object();
  }
  return text + '\n';
}

std::string as_text(const Configured& configured) {
  std::size_t names = 0;
  std::size_t values = 0;
  for (const Setting& setting : configured.settings) {
    names = std::max(names, setting.name.size());
    values = std::max(values, setting.value.size());
  }
  constexpr std::string_view kUnset = "-";
  std::string text = configured.file.empty()
                         ? "no " + std::string(kConfigurationName) + " was found\n"
                         : configured.file + '\n';
  for (const Setting& setting : configured.settings) {
    const std::string_view value = setting.value.empty() ? kUnset : setting.value;
    text += "  ";
    text += setting.name;
    text.append(names - setting.name.size() + 2, ' ');
    text += value;
    text.append(std::max(values, kUnset.size()) - value.size() + 2, ' ');
    text += setting.source + '\n';
  }
  return text;
}

}  // namespace

int run_config(const Options& options, Streams& streams) {
  const auto found = with_configurations(options);
  if (const auto* const reason = std::get_if<std::string>(&found)) return refuse(streams, *reason);
  const auto& groups = std::get<InputGroups>(found).groups;
  if (options.list_format == ListFormat::kJson) {
    streams.out << as_json(groups);
    return kExitValid;
  }
  for (const ConfiguredInputs& group : groups) {
    streams.out << (&group == &groups.front() ? "" : "\n") << as_text(group.configured);
  }
  return kExitValid;
}

}  // namespace dynamo::cli
