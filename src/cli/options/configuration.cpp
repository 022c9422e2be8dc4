#include "cli/options/configuration.hpp"

#include <algorithm>
#include <array>
#include <filesystem>
#include <optional>
#include <set>
#include <utility>

#include "cli/choice.hpp"
#include "cli/formats/source_line.hpp"
#include "cli/formats/wording.hpp"
#include "cli/input/inputs_read.hpp"
#include "cli/input/locate.hpp"
#include "cli/options/nearest_configuration.hpp"
#include "cli/options/options_table.hpp"
#include "json/document.hpp"
#include "json/places.hpp"
#include "json/yaml.hpp"
#include "schema/suggest.hpp"

namespace dynamo::cli {
namespace {

namespace fs = std::filesystem;

constexpr std::size_t kLongestConfiguration = std::size_t{256} << 10U;

// What a verdict depends on, and what is heard of it.
constexpr std::array<std::string_view, 20> kConfigurable{"exclude",
                                                         "strict-versions",
                                                         "require-objects",
                                                         "namespace",
                                                         "user",
                                                         "namespace-scope",
                                                         "policy",
                                                         "operator-version",
                                                         "inference-pool",
                                                         "pathway",
                                                         "kubernetes-version",
                                                         "operator-generation",
                                                         "discovery-backend",
                                                         "only",
                                                         "skip",
                                                         "min-severity",
                                                         "no-ignores",
                                                         "baseline",
                                                         "warnings-as-errors",
                                                         "operator-service-account"};

// These name files, which stand relative to the configuration.
bool names_a_file(std::string_view name) {
  return name == "policy" || name == "baseline";
}

std::string several(const std::string& one, const std::string& other) {
  const auto shown = [](const std::string& file) { return file.empty() ? "none" : file; };
  return "the inputs belong to several configurations (" + shown(one) + " and " + shown(other) +
         "); judge them one after the other, leave folders out with --exclude, or say --config "
         "FILE";
}

// The file that holds for all inputs, or why there are several.
std::variant<std::string, ReadFault> find_file(const Options& options) {
  if (!options.config_file.empty()) {
    return options.config_file == "none" ? std::string{} : options.config_file;
  }
  NearestFiles nearest;
  std::set<std::string> files;
  for (const std::string& input : options.filenames) files.insert(nearest.of(folder_of(input)));
  if (files.size() < 2) return files.empty() ? std::string{} : *files.begin();
  return ReadFault{several(*files.begin(), *std::next(files.begin()))};
}

// What is found in the folders may have a configuration of its own; a verdict must not depend on
// the folder in which the search began. Empty: all belong to `file`.
std::string find_other(const Options& options, const std::string& file) {
  if (!options.config_file.empty()) return {};
  NearestFiles nearest;
  const ListedInputs listed = list_inputs(query_of(options));
  for (const Input& input : listed.inputs) {
    if (!input.is_found) continue;
    const std::string& its = nearest.of(folder_of(input.name));
    if (its != file) return several(std::min(file, its), std::max(file, its));
  }
  return {};
}

std::variant<std::string, ReadFault> read_text(const std::string& file) {
  // Nothing of it is standard input.
  if (file == kStandardInput) return ReadFault{"must be a file; standard input is none"};
  return read_whole_file(file, kLongestConfiguration);
}

// These name rules.
bool chooses_rules(std::string_view name) {
  return name == "only" || name == "skip";
}

// "; did you mean X?" of an option that takes one of a few words, or nothing.
std::string meant_word(const OptionRow& row, std::string_view written) {
  const std::string_view meant = schema::nearest_word(row.form().words, written);
  return meant.empty() ? std::string{} : "; did you mean " + std::string(meant) + "?";
}

// As it would be typed; nothing for what no option takes.
std::optional<std::string> typed(json::Value value) {
  if (const auto text = value.string()) return std::string(*text);
  if (const auto truth = value.boolean()) return *truth ? "true" : "false";
  return std::nullopt;
}

class Reader {
 public:
  Reader(const std::string& file, Configured& configured) : file_(file), configured_(configured) {}

  // Lines that say what is wrong; empty when all is well.
  std::string read(const std::string& text) {
    text_ = text;
    places_ = json::CharacterPlaces(text);
    json::YamlReader reader(text, {.max_bytes = kLongestConfiguration});
    json::Document document;
    const auto read = reader.next(document);
    if (read == json::YamlReader::Read::kEnd) return {};
    if (read == json::YamlReader::Read::kError) {
      note(reader.error().where, reader.error().reason);
      return mistakes_;
    }
    document_ = &document;
    const json::Value root = document.root();
    if (!root.is_object()) {
      note({1, 1}, "must be a list of options and their values, NAME: VALUE");
    }
    for (const json::Member member : root.members()) set(member);
    return mistakes_;
  }

 private:
  // Columns are told in characters.
  void note(json::Location bytes, std::string_view reason) {
    const json::Location where = places_.of(bytes);
    if (!mistakes_.empty()) mistakes_ += '\n';
    mistakes_ += cli::where(file_, where.line, where.column) + ": error: ";
    append_printable(mistakes_, reason);
    std::string shown;
    append_source_line(shown, place_of_character(text_, where.line, where.column));
    if (shown.empty()) return;
    shown.pop_back();
    mistakes_ += '\n' + shown;
  }

  json::Location where_is(json::Value value) const {
    return document_->location(value).value_or(json::Location{1, 1});
  }

  void set(const json::Member& member) {
    const auto& [name, value] = member;
    const json::Location where = where_is(value);
    const auto* const known = std::ranges::find(kConfigurable, name);
    if (known == kConfigurable.end()) return note(where_is(json::name_of(member)), unknown(name));
    const OptionRow& row = *find_option(Command::kValidate, name);
    const bool is_given =
        std::ranges::any_of(configured_.options.given,
                            [&](const runtime::GivenFlag& each) { return each.name == name; });
    if (is_given) return;
    std::string shown;
    if (value.is_array() && row.flag.value.repeats) {
      for (const json::Value item : value.elements()) set_one(row, item, where_is(item), shown);
    } else {
      set_one(row, value, where, shown);
    }
    if (row.flag.name == "exclude") {
      configured_.options.excluded_from = folder_of(file_).string();
    }
    configured_.settings.push_back(
        {row.flag.name, std::move(shown), file_ + ':' + std::to_string(where.line)});
  }

  void set_one(const OptionRow& row, json::Value value, json::Location where, std::string& shown) {
    auto text = typed(value);
    if (!text) {
      return note(where, std::string(row.flag.name) + " must be a string; write it in quotes");
    }
    if (names_a_file(row.flag.name) && !text->empty() && fs::path(*text).is_relative()) {
      text = (fs::path(file_).parent_path() / *text).string();
    }
    if (!row.flag.value.set(configured_.options, *text)) {
      return note(where, std::string(row.flag.name) + " must be " + row.form().accepts +
                             "; found \"" + text->substr(0, 80) + '"' + meant_word(row, *text));
    }
    if (const auto why = chooses_rules(row.flag.name) ? why_no_rule(*text) : std::nullopt) {
      return note(where, std::string(row.flag.name) + ' ' + *why);
    }
    shown += (shown.empty() ? "" : ", ") + *text;
  }

  static std::string unknown(std::string_view name) {
    std::string reason = "there is no option \"" + std::string(name.substr(0, 80)) +
                         "\" that a configuration may set";
    const auto near = schema::nearest_word(kConfigurable, name);
    if (!near.empty()) return reason + "; did you mean " + std::string(near) + "?";
    reason += "; it may set";
    for (const std::string_view each : configurable_options()) {
      reason += (reason.ends_with("set") ? " " : ", ") + std::string(each);
    }
    return reason;
  }

  const std::string& file_;
  std::string_view text_;
  json::CharacterPlaces places_;
  Configured& configured_;
  const json::Document* document_ = nullptr;
  std::string mistakes_;
};

// In the order of --help, with what nobody has said.
std::vector<Setting> in_order(const Configured& configured) {
  std::vector<Setting> settings;
  for (const std::string_view name : configurable_options()) {
    const auto of_file = std::ranges::find(configured.settings, name, &Setting::name);
    if (of_file != configured.settings.end()) {
      settings.push_back(*of_file);
      continue;
    }
    const OptionRow& row = *find_option(Command::kValidate, name);
    Setting setting{row.flag.name, std::string(row.flag.default_value), "default"};
    for (const runtime::GivenFlag& given : configured.options.given) {
      if (given.name != name) continue;
      const bool is_first = setting.source == "default";
      setting.value =
          is_first || !row.flag.value.repeats ? given.text : setting.value + ", " + given.text;
      setting.source = "command line";
    }
    settings.push_back(std::move(setting));
  }
  return settings;
}

}  // namespace

InputQuery query_of(const Options& options) {
  return {options.filenames, options.recursive, options.excluded, options.as_found,
          options.excluded_from};
}

std::vector<std::string_view> configurable_options() {
  std::vector<std::string_view> names;
  for (const OptionRow& row : option_rows()) {
    if (row.commands.has(Command::kValidate) &&
        std::ranges::find(kConfigurable, row.flag.name) != kConfigurable.end()) {
      names.push_back(row.flag.name);
    }
  }
  return names;
}

std::variant<Configured, std::string> with_configuration(const Options& options) {
  Configured configured{options, {}, {}};
  auto found = find_file(options);
  if (const auto* const fault = std::get_if<ReadFault>(&found)) return fault->reason;
  configured.file = std::get<std::string>(std::move(found));
  if (!configured.file.empty()) {
    const auto text = read_text(configured.file);
    if (const auto* const fault = std::get_if<ReadFault>(&text)) {
      return configured.file + ": " + fault->reason;
    }
    std::string mistakes = Reader(configured.file, configured).read(std::get<std::string>(text));
    if (!mistakes.empty()) return mistakes;
  }
  if (std::string reason = find_other(configured.options, configured.file); !reason.empty()) {
    return reason;
  }
  configured.settings = in_order(configured);
  return configured;
}

}  // namespace dynamo::cli
