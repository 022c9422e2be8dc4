// kubectl dynamo config
#include <algorithm>
#include <deque>
#include <ostream>
#include <string>
#include <string_view>
#include <vector>

#include "cli/commands/commands.hpp"
#include "cli/options/configuration.hpp"
#include "cli/report/wording.hpp"
#include "json/report_writer.hpp"

namespace dynamo::cli {
namespace {

void write_json(json::ReportWriter& writer, const ResolvedOptions& resolved) {
  writer.start_object().member("file", resolved.file).key("settings").start_array();
  for (const EffectiveSetting& setting : resolved.settings) {
    writer.start_object()
        .member("name", setting.name)
        .member("value", setting.value)
        .member("source", setting.source)
        .end_object();
  }
  writer.end_array().end_object();
}

// Several configurations become one object that contains them all.
std::string as_json(const std::deque<ConfiguredInputs>& groups) {
  std::string text;
  json::ReportWriter writer(text);
  if (groups.size() == 1) {
    write_json(writer, groups.front().resolved);
  } else {
    writer.start_object().key("configurations").start_array();
    for (const ConfiguredInputs& group : groups) write_json(writer, group.resolved);
    writer.end_array().end_object();
  }
  return text + '\n';
}

// The text comes from a repository and is written to logs.
std::string printable(std::string_view given) {
  std::string text;
  append_printable(text, given);
  return text;
}

// All settings, or those that a file or the command line sets.
std::vector<EffectiveSetting> shown_settings(const ResolvedOptions& resolved, bool shows_all) {
  std::vector<EffectiveSetting> shown;
  for (const EffectiveSetting& setting : resolved.settings) {
    if (shows_all || setting.source != kDefaultSource) shown.push_back(setting);
  }
  return shown;
}

std::string as_text(const ResolvedOptions& resolved, bool shows_all) {
  constexpr std::string_view kUnset = "-";
  const std::vector<EffectiveSetting> settings = shown_settings(resolved, shows_all);
  std::vector<std::string> values;
  values.reserve(settings.size());
  std::size_t name_width = 0;
  std::size_t value_width = kUnset.size();
  for (const EffectiveSetting& setting : settings) {
    values.push_back(setting.value.empty() ? std::string(kUnset) : printable(setting.value));
    name_width = std::max(name_width, setting.name.size());
    value_width = std::max(value_width, values.back().size());
  }
  std::string text = resolved.file.empty()
                         ? "no " + std::string(kConfigurationName) + " was found\n"
                         : printable(resolved.file) + '\n';
  for (std::size_t i = 0; i < values.size(); ++i) {
    const EffectiveSetting& setting = settings[i];
    text += "  ";
    text += setting.name;
    text.append(name_width - setting.name.size() + 2, ' ');
    text += values[i];
    text.append(value_width - values[i].size() + 2, ' ');
    text += printable(setting.source) + '\n';
  }
  const std::size_t defaults = resolved.settings.size() - settings.size();
  if (defaults > 0) {
    text += "  not set: " + count_of(defaults, "setting") + "; --show-all shows their defaults\n";
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
    streams.out << (&group == &groups.front() ? "" : "\n")
                << as_text(group.resolved, options.show_all);
  }
  return kExitValid;
}

}  // namespace dynamo::cli
