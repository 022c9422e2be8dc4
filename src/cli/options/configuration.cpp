#include "cli/options/configuration.hpp"

#include <algorithm>
#include <array>
#include <cstdlib>
#include <filesystem>
#include <fstream>
#include <iterator>
#include <map>
#include <memory>
#include <optional>
#include <utility>

#include "cli/git/git_program.hpp"
#include "cli/input/inputs_read.hpp"
#include "cli/input/locate.hpp"
#include "cli/options/nearest_configuration.hpp"
#include "cli/options/options_table.hpp"
#include "cli/options/rule_globs.hpp"
#include "cli/report/wording.hpp"
#include "desired/render_flags.hpp"
#include "json/document.hpp"
#include "json/places.hpp"
#include "json/yaml.hpp"
#include "schema/suggest.hpp"

namespace dynamo::cli {
namespace {

namespace fs = std::filesystem;

constexpr std::size_t kLongestNamedFile = std::size_t{16} << 20U;  // a policy or a baseline

// How a setting of a file can change a verdict.
enum class Effect : unsigned char {
  kUnclassified,
  kStricter,  // its only value besides the default finds more
  kHides,     // excludes findings or inputs
  kContext,   // describes the cluster or the user: a wrong value makes an error a success
};

struct ConfigurableOption {
  std::string_view name;
  Effect effect = Effect::kUnclassified;
};

// Options that affect a verdict, or which findings are reported.
constexpr std::array<ConfigurableOption, 25> kConfigurable{{
    {"exclude", Effect::kHides},
    {"strict-versions", Effect::kStricter},
    {"require-objects", Effect::kStricter},
    {"namespace", Effect::kContext},
    {"user", Effect::kContext},
    {"namespace-scope", Effect::kContext},
    {"policy", Effect::kHides},
    {"operator-version", Effect::kContext},
    {"inference-pool", Effect::kContext},
    {"pathway", Effect::kContext},
    {"kubernetes-version", Effect::kContext},
    {"operator-generation", Effect::kContext},
    {"operator-replaced", Effect::kContext},
    {"unserved-kinds", Effect::kContext},
    {"discovery-backend", Effect::kContext},
    {"operator-checkpoints", Effect::kContext},
    {"operator-gpu-discovery", Effect::kContext},
    {"dgdr-default-image", Effect::kContext},
    {"only", Effect::kHides},
    {"skip", Effect::kHides},
    {"min-severity", Effect::kHides},
    {"no-ignores", Effect::kStricter},
    {"baseline", Effect::kHides},
    {"warnings-as-errors", Effect::kStricter},
    {"operator-service-account", Effect::kContext},
}};
static_assert(std::ranges::none_of(kConfigurable, [](const ConfigurableOption& each) {
  return each.name.empty() || each.effect == Effect::kUnclassified;
}));

// A separate map of NAME: VALUE: the operator's flags, for commands that render its objects.
constexpr std::string_view kOperatorFlags = "operatorFlags";

struct OperatorFlag {
  const OptionRow* row;
  std::string shown;  // "operatorFlags.natsAddr"
};

// In table order.
const std::vector<OperatorFlag>& operator_flags() {
  static const std::vector<OperatorFlag> flags = [] {
    std::vector<OperatorFlag> result;
    for (const auto& rows : {reconciler::render_flags(), reconciler::profiling_flags(),
                             reconciler::checkpoint_flags(), reconciler::later_flags()}) {
      for (const auto& flag : rows) {
        result.push_back({find_option(Command::kRender, flag.name),
                          std::string(kOperatorFlags) + '.' + std::string(flag.name)});
      }
    }
    return result;
  }();
  return flags;
}

std::vector<std::string_view> names_of_operator_flags() {
  std::vector<std::string_view> names;
  for (const OperatorFlag& each : operator_flags()) names.push_back(each.row->flag.name);
  return names;
}

bool is_given(const Options& options, std::string_view name) {
  return std::ranges::any_of(options.given,
                             [name](const runtime::ParsedFlag& each) { return each.name == name; });
}

// Options that name files, relative to the configuration.
bool names_a_file(std::string_view name) {
  return name == "policy" || name == "baseline";
}

// A folder for copies of files, deleted with its content.
class TemporaryFolder {
 public:
  TemporaryFolder() {
    std::error_code error;
    std::string name = (fs::temp_directory_path(error) / "kubectl-dynamo-XXXXXX").string();
    if (::mkdtemp(name.data()) != nullptr) path_ = name;
  }
  ~TemporaryFolder() {
    std::error_code error;
    if (!path_.empty()) fs::remove_all(path_, error);
  }
  TemporaryFolder(const TemporaryFolder&) = delete;
  TemporaryFolder& operator=(const TemporaryFolder&) = delete;

  // Empty: it cannot be written.
  std::string add(const std::string& name, std::string_view text) const {
    const std::string file = path_ + '/' + name;
    std::ofstream out(file, std::ios::binary);
    out << text;
    out.close();
    return out && !path_.empty() ? file : std::string{};
  }

 private:
  std::string path_;
};

std::variant<std::string, ReadFault> read_text(const std::string& file, const Options& options) {
  // It is never standard input.
  if (file == kStandardInput) return ReadFault{"must be a file; standard input is none"};
  if (options.config_from.empty()) return read_whole_file(file, kLongestConfiguration);
  const fs::path path(file);
  auto read = read_at_revision(path.parent_path().string(), path.filename().string(),
                               options.config_from, kLongestConfiguration);
  if (auto* const fault = std::get_if<GitFault>(&read)) return ReadFault{std::move(fault->reason)};
  auto& text = std::get<std::optional<std::string>>(read);
  if (!text) return ReadFault{"is not in the commit " + options.config_from};
  return *std::move(text);
}

// Options that name rules.
bool chooses_rules(std::string_view name) {
  return name == "only" || name == "skip";
}

// "; did you mean X?" for an option with a closed list of words, or empty.
std::string suggested_word(const OptionRow& row, std::string_view written) {
  const std::string_view suggestion = schema::nearest_word(row.form().words, written);
  return suggestion.empty() ? std::string{} : "; did you mean " + std::string(suggestion) + "?";
}

// As typed on a command line; nullopt for types that no option accepts.
std::optional<std::string> typed(json::Value value) {
  if (const auto text = value.string()) return std::string(*text);
  if (const auto truth = value.boolean()) return *truth ? "true" : "false";
  return std::nullopt;
}

class Reader {
 public:
  Reader(const std::string& file, ResolvedOptions& resolved) : file_(file), resolved_(resolved) {}

  // Lines that describe the mistakes; empty if there are none.
  std::string read(const std::string& text) {
    text_ = text;
    places_ = json::CharacterPlaces(text);
    json::YamlReader reader(text, {.max_bytes = kLongestConfiguration});
    json::Document document;
    const auto read = reader.next(document);
    if (read == json::YamlReader::ReadResult::kEnd) return {};
    if (read == json::YamlReader::ReadResult::kError) {
      note(reader.error().where, reader.error().reason);
      return mistakes_;
    }
    document_ = &document;
    const json::Value root = document.root();
    if (!root.is_object()) {
      note({1, 1}, "must be a list of options and their values, NAME: VALUE");
    }
    for (const json::Member member : root.members()) set(member);
    read_end(reader);
    return mistakes_;
  }

 private:
  // Further documents would be ignored, so they are refused.
  void read_end(json::YamlReader& reader) {
    json::Document more;
    switch (reader.next(more)) {
      case json::YamlReader::ReadResult::kEnd:
        return;
      case json::YamlReader::ReadResult::kError:
        return note(reader.error().where, reader.error().reason);
      case json::YamlReader::ReadResult::kDocument:
        return note({reader.line(), 1}, "a configuration must be one document; found another one");
    }
  }

  // Columns are reported in characters.
  void note(json::Location bytes, std::string_view reason) {
    const json::Location where = places_.of(bytes);
    if (!mistakes_.empty()) mistakes_ += '\n';
    append_printable(mistakes_, cli::where(file_, where.line, where.column));
    mistakes_ += ": error: ";
    append_printable(mistakes_, reason);
  }

  json::Location where_is(json::Value value) const {
    return document_->location(value).value_or(json::Location{1, 1});
  }

  void set(const json::Member& member) {
    const auto& [name, value] = member;
    if (name == kOperatorFlags) return set_operator_flags(value);
    const json::Location where = where_is(value);
    const auto* const known = std::ranges::find(kConfigurable, name, &ConfigurableOption::name);
    if (known == kConfigurable.end()) return note(where_is(json::name_of(member)), unknown(name));
    const OptionRow& row = *find_option(Command::kValidate, name);
    if (is_given(resolved_.options, name)) return;
    std::string shown;
    if (value.is_array() && row.flag.value.repeats) {
      for (const json::Value item : value.elements()) {
        set_one(row, row.flag.name, item, where_is(item), shown);
      }
    } else {
      set_one(row, row.flag.name, value, where, shown);
    }
    if (row.flag.name == "namespace") resolved_.options.namespace_is_configured = true;
    if (row.flag.name == "exclude") {
      resolved_.options.excluded_from = folder_of(file_).string();
    }
    resolved_.settings.push_back(
        {row.flag.name, std::move(shown), file_ + ':' + std::to_string(where.line)});
  }

  // Validated for every command, and used by those that render.
  void set_operator_flags(json::Value flags) {
    if (!flags.is_object()) {
      return note(where_is(flags), std::string(kOperatorFlags) +
                                       " must be a list of the operator's flags and their values, "
                                       "NAME: VALUE");
    }
    for (const json::Member member : flags.members()) {
      const auto known = std::ranges::find_if(operator_flags(), [&](const OperatorFlag& each) {
        return each.row->flag.name == member.name;
      });
      if (known == operator_flags().end()) {
        note(where_is(json::name_of(member)), unknown_flag(member.name));
        continue;
      }
      if (is_given(resolved_.options, member.name)) continue;
      const json::Location where = where_is(member.value);
      std::string shown;
      set_one(*known->row, known->shown, member.value, where, shown);
      resolved_.settings.push_back(
          {known->shown, std::move(shown), file_ + ':' + std::to_string(where.line)});
    }
  }

  static std::string unknown_flag(std::string_view name) {
    std::string reason = "there is no flag \"" + std::string(name.substr(0, 80)) +
                         "\" of the operator that changes how it renders a graph";
    const std::vector<std::string_view> names = names_of_operator_flags();
    const auto near = schema::nearest_word(names, name);
    if (!near.empty()) return reason + "; did you mean " + std::string(near) + "?";
    reason += "; there are";
    for (const std::string_view each : names) {
      reason += (reason.ends_with("are") ? " " : ", ") + std::string(each);
    }
    return reason;
  }

  // `name` as shown in messages.
  void set_one(const OptionRow& row, std::string_view name, json::Value value, json::Location where,
               std::string& shown) {
    auto text = typed(value);
    if (!text) {
      return note(where, std::string(name) + " must be a string; write it in quotes");
    }
    if (names_a_file(row.flag.name) && !text->empty()) {
      if (auto reason = find_named_file(row.flag.name, *text)) return note(where, *reason);
    }
    if (!row.flag.value.set(resolved_.options, *text)) {
      return note(where, std::string(name) + " must be " + row.form().accepts + "; found \"" +
                             text->substr(0, 80) + '"' + suggested_word(row, *text));
    }
    if (const auto why = chooses_rules(row.flag.name) ? why_no_rule(*text) : std::nullopt) {
      return note(where, std::string(name) + ' ' + *why);
    }
    shown += (shown.empty() ? "" : ", ") + *text;
  }

  // Converts `text` to the path of the named file. Returns why it must not be read.
  std::optional<std::string> find_named_file(std::string_view option, std::string& text) {
    const fs::path folder = fs::path(file_).parent_path();
    if (!resolved_.options.config_from.empty()) return copy_of_revision(option, text);
    // A configuration that the user named may read any file; one found in a repository may not.
    const bool is_found = resolved_.options.config_file.empty();
    if (fs::path(text).is_relative()) text = (folder / text).string();
    if (!is_found || is_in_repository(text, folder.string())) return std::nullopt;
    return std::string(option) +
           " must name a file in the repository of the configuration; found \"" +
           text.substr(0, 200) + "\"; name it on the command line to trust it";
  }

  std::optional<std::string> copy_of_revision(std::string_view option, std::string& text) {
    auto read = read_at_revision(fs::path(file_).parent_path().string(), text,
                                 resolved_.options.config_from, kLongestNamedFile);
    if (auto* const fault = std::get_if<GitFault>(&read)) return std::move(fault->reason);
    const auto& content = std::get<std::optional<std::string>>(read);
    if (!content) {
      return std::string(option) + " must name a file of the commit " +
             resolved_.options.config_from + "; found \"" + text.substr(0, 200) + '"';
    }
    if (!copies_) copies_ = std::make_shared<TemporaryFolder>();
    text = copies_->add(std::string(option) + fs::path(text).extension().string(), *content);
    if (text.empty()) return "the temporary folder must be writable; set TMPDIR";
    resolved_.copies = copies_;
    return std::nullopt;
  }

  static std::string unknown(std::string_view name) {
    std::string reason = "there is no option \"" + std::string(name.substr(0, 80)) +
                         "\" that a configuration may set";
    std::vector<std::string_view> names;
    names.reserve(kConfigurable.size() + 1);
    for (const ConfigurableOption& each : kConfigurable) names.push_back(each.name);
    names.push_back(kOperatorFlags);
    const auto near = schema::nearest_word(names, name);
    if (!near.empty()) return reason + "; did you mean " + std::string(near) + "?";
    reason += "; it may set";
    for (const std::string_view each : configurable_options()) {
      reason += (reason.ends_with("set") ? " " : ", ") + std::string(each);
    }
    return reason + ", " + std::string(kOperatorFlags);
  }

  const std::string& file_;
  std::string_view text_;
  json::CharacterPlaces places_;
  ResolvedOptions& resolved_;
  const json::Document* document_ = nullptr;
  std::shared_ptr<TemporaryFolder> copies_;
  std::string mistakes_;
};

// The effective value of one option: from the file, else the command line, else the default.
EffectiveSetting setting_of(const ResolvedOptions& resolved, const OptionRow& row,
                            std::string_view shown) {
  const auto of_file = std::ranges::find(resolved.settings, shown, &EffectiveSetting::name);
  if (of_file != resolved.settings.end()) return *of_file;
  EffectiveSetting setting{shown, std::string(row.flag.default_value), std::string(kDefaultSource)};
  for (const runtime::ParsedFlag& given : resolved.options.given) {
    if (given.name != row.flag.name) continue;
    const bool is_first = setting.source == kDefaultSource;
    setting.value =
        is_first || !row.flag.value.repeats ? given.text : setting.value + ", " + given.text;
    setting.source = "command line";
  }
  return setting;
}

// In --help order, including unset options.
std::vector<EffectiveSetting> in_order(const ResolvedOptions& resolved) {
  std::vector<EffectiveSetting> settings;
  for (const std::string_view name : configurable_options()) {
    const OptionRow& row = *find_option(Command::kValidate, name);
    settings.push_back(setting_of(resolved, row, row.flag.name));
  }
  for (const OperatorFlag& each : operator_flags()) {
    settings.push_back(setting_of(resolved, *each.row, each.shown));
  }
  return settings;
}

// Reads a configuration, and applies the settings that the command line does not set.
std::variant<ResolvedOptions, std::string> configured_by(const std::string& file,
                                                         const Options& options) {
  ResolvedOptions resolved{options, file, {}};
  if (!file.empty()) {
    const auto text = read_text(file, options);
    if (const auto* const fault = std::get_if<ReadFault>(&text)) {
      std::string reason;
      append_printable(reason, file + ": " + fault->reason);
      return reason;
    }
    std::string mistakes = Reader(resolved.file, resolved).read(std::get<std::string>(text));
    if (!mistakes.empty()) return mistakes;
  }
  resolved.settings = in_order(resolved);
  return resolved;
}

// Finds the inputs, and the configuration of each.
class Grouper {
 public:
  explicit Grouper(const Options& options)
      : options_(options), nearest_(std::make_shared<NearestFiles>(options.config_from)) {}

  std::variant<InputGroups, std::string> group() {
    for (const std::string& name : options_.filenames) {
      if (auto reason = why_not_read(name, options_.as_found)) return *std::move(reason);
      if (!add(name)) return std::move(reason_);
    }
    // Without a name the configuration of the working directory applies.
    if (groups_.groups.empty() && group_of(file_around(".")) == nullptr) return std::move(reason_);
    if (groups_.groups.size() > 1) {
      for (ConfiguredInputs& group : groups_.groups) group.holds_for = holds_for(group);
    }
    return std::move(groups_);
  }

 private:
  // The file of --config, else the one nearest to the name; empty: none applies.
  std::string file_around(const std::string& name) {
    if (options_.config_file == "none") return {};
    if (!options_.config_file.empty()) return options_.config_file;
    const std::string& file = nearest_->of(folder_of(name));
    if (options_.config_from.empty() && !file.empty() && reason_.empty()) {
      if (const auto why = why_untrusted(file, folder_of(name))) {
        append_printable(reason_, file + ' ' + *why);
      }
    }
    return file;
  }

  // Null if it cannot be used; `reason_` has the cause.
  ConfiguredInputs* group_of(const std::string& file) {
    if (!reason_.empty()) return nullptr;
    for (ConfiguredInputs& group : groups_.groups) {
      if (group.resolved.file == file) return &group;
    }
    auto resolved = configured_by(file, options_);
    if (auto* const reason = std::get_if<std::string>(&resolved)) {
      reason_ = std::move(*reason);
      return nullptr;
    }
    groups_.groups.push_back({std::get<ResolvedOptions>(std::move(resolved)), {}, {}});
    return &groups_.groups.back();
  }

  // Adds one name, with the inputs found there. The search skips what the configuration at its
  // start excludes; a different configuration found below excludes as well.
  bool add(const std::string& name) {
    ConfiguredInputs* const around = group_of(file_around(name));
    if (around == nullptr) return false;
    InputQuery query = query_of(around->resolved.options);
    query.names = {&name, 1};
    ListedInputs listed = list_inputs(query);
    for (Input& input : listed.inputs) {
      ConfiguredInputs* group = around;
      if (options_.config_file.empty() && input.is_found) {
        group = group_of(file_around(input.name));
        if (group == nullptr) return false;
      }
      if (group != around && query_of(group->resolved.options).exclusion().matches(input.name)) {
        continue;
      }
      group->inputs.push_back(std::move(input));
    }
    for (std::string& chart : listed.charts) {
      if (std::ranges::find(groups_.charts, chart) == groups_.charts.end()) {
        groups_.charts.push_back(std::move(chart));
      }
    }
    std::ranges::move(listed.chart_templates, std::back_inserter(groups_.chart_templates));
    std::ranges::move(listed.patches, std::back_inserter(groups_.patches));
    std::ranges::move(listed.notes, std::back_inserter(groups_.notes));
    return true;
  }

  // Selects the group's files among those of a commit, which may no longer exist.
  std::function<bool(const std::string&, const std::string&)> holds_for(
      const ConfiguredInputs& group) const {
    std::map<std::string, Options> others;
    for (const ConfiguredInputs& other : groups_.groups) {
      if (&other != &group) others.emplace(other.resolved.file, other.resolved.options);
    }
    return [nearest = nearest_, file = group.resolved.file, others = std::move(others)](
               const std::string& folder, const std::string& name) {
      if (nearest->of(folder_of(name)) != file) return false;
      const auto around = others.find(nearest->of(folder_of(folder)));
      return around == others.end() || !query_of(around->second).exclusion().matches(name);
    };
  }

  const Options& options_;
  const std::shared_ptr<NearestFiles> nearest_;
  InputGroups groups_;
  std::string reason_;
};

// kStricter for operatorFlags, which affect no verdict.
Effect effect_of(std::string_view setting) {
  const auto* const known = std::ranges::find(kConfigurable, setting, &ConfigurableOption::name);
  return known == kConfigurable.end() ? Effect::kStricter : known->effect;
}

bool is_exclusion(std::string_view setting) {
  return setting == "exclude";
}

// Adds the settings of the file that `is_wanted` selects by their names, as "FILE:LINE: skip: *".
template <class Predicate>
void add_lines(std::vector<std::string>& lines, const ResolvedOptions& resolved,
               const Predicate& is_wanted) {
  for (const EffectiveSetting& setting : resolved.settings) {
    const bool is_of_file = setting.source != kDefaultSource && setting.source != "command line";
    if (!is_of_file || setting.value.empty() || !is_wanted(setting.name)) continue;
    append_printable(lines.emplace_back(),
                     setting.source + ": " + std::string(setting.name) + ": " + setting.value);
  }
}

}  // namespace

void InputGroups::drop_empty() {
  const auto is_empty = [](const ConfiguredInputs& group) { return group.inputs.empty(); };
  const bool are_all_empty = std::ranges::all_of(groups, is_empty);
  for (auto group = groups.begin() + (are_all_empty ? 1 : 0); group != groups.end(); ++group) {
    if (is_empty(*group)) add_lines(dropped_exclusions, group->resolved, is_exclusion);
  }
  if (are_all_empty) {
    groups.resize(1);
  } else {
    std::erase_if(groups, is_empty);
  }
}

InputQuery query_of(const Options& options) {
  return {options.filenames, options.recursive, options.excluded, options.as_found,
          options.excluded_from};
}

std::vector<std::string_view> configurable_options() {
  std::vector<std::string_view> names;
  for (const OptionRow& row : option_rows()) {
    if (row.commands.has(Command::kValidate) &&
        std::ranges::find(kConfigurable, row.flag.name, &ConfigurableOption::name) !=
            kConfigurable.end()) {
      names.push_back(row.flag.name);
    }
  }
  return names;
}

std::vector<std::string> silencing_settings(const ResolvedOptions& resolved) {
  // A configuration that the user named, or whose commit, may describe the cluster.
  const bool is_found =
      resolved.options.config_file.empty() && resolved.options.config_from.empty();
  std::vector<std::string> lines;
  add_lines(lines, resolved, [is_found](std::string_view name) {
    const Effect effect = effect_of(name);
    return effect == Effect::kHides || (is_found && effect == Effect::kContext);
  });
  return lines;
}

std::string several_configurations(const InputGroups& groups) {
  std::vector<std::string> files;
  files.reserve(groups.groups.size());
  for (const ConfiguredInputs& group : groups.groups) {
    files.push_back(group.resolved.file);
  }
  std::ranges::partial_sort(files, files.begin() + 2);
  if (files[0].empty()) files[0] = "none";
  return "the inputs belong to several configurations (" + files[0] + " and " + files[1] + ")";
}

std::variant<InputGroups, std::string> with_configurations(const Options& options) {
  return Grouper(options).group();
}

std::variant<ResolvedOptions, std::string> with_configuration(const Options& options) {
  auto found = with_configurations(options);
  if (auto* const reason = std::get_if<std::string>(&found)) return std::move(*reason);
  auto& groups = std::get<InputGroups>(found);
  if (groups.groups.size() > 1) {
    return several_configurations(groups) +
           "; give them to this command one after the other, leave folders out with --exclude, or "
           "say --config FILE";
  }
  return std::move(groups.groups.front().resolved);
}

}  // namespace dynamo::cli
