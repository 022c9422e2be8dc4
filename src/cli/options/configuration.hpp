// The configuration file of a repository, .dynamo-admission.yaml: shared options, so that a laptop
// and continuous integration give the same verdict.
#pragma once

#include <deque>
#include <functional>
#include <memory>
#include <span>
#include <string>
#include <string_view>
#include <variant>
#include <vector>

#include "cli/input/inputs.hpp"
#include "cli/options/nearest_configuration.hpp"
#include "cli/options/options.hpp"

namespace dynamo::cli {

// The source of a setting that neither a file nor the command line sets.
inline constexpr std::string_view kDefaultSource = "default";

// The effective value of one option, and its source.
struct EffectiveSetting {
  // The option's name without hyphens, or "operatorFlags.NAME"; of static lifetime.
  std::string_view name;
  std::string value;   // empty: not set
  std::string source;  // "command line", kDefaultSource, or FILE:LINE
};

struct ResolvedOptions {
  Options options;
  std::string file;  // empty: none
  std::vector<EffectiveSetting> settings;
  // With --config-from: copies of the policy and the baseline that the file names, deleted with the
  // last owner. Null: none.
  std::shared_ptr<const void> copies = {};
};

// The settings of a file that can make a verdict milder, as "FILE:LINE: skip: *": those that
// exclude findings or inputs, and, in a file that was found, those that describe the cluster or the
// user.
std::vector<std::string> silencing_settings(const ResolvedOptions& resolved);

// The inputs that the options select. Refers to them.
InputQuery query_of(const Options& options);

// Names of the options that a file may set, in --help order.
std::vector<std::string_view> configurable_options();

// The inputs that share one configuration.
struct ConfiguredInputs {
  ResolvedOptions resolved;
  std::vector<Input> inputs;
  // Whether the configuration applies to a file that was found or named when `folder` was searched;
  // the file need not exist any more. Empty: it applies to every file.
  std::function<bool(const std::string& folder, const std::string& name)> holds_for;
};

struct InputGroups {
  std::deque<ConfiguredInputs> groups;  // never empty
  // As in ListedInputs.
  std::vector<std::string> charts;
  std::vector<std::string> chart_templates;
  std::vector<std::string> patches;
  std::vector<std::string> notes;
  // The `exclude` settings of the groups that drop_empty() removed, as silencing_settings() lines.
  std::vector<std::string> dropped_exclusions = {};

  // Removes groups without inputs; keeps the first one if all are empty.
  void drop_empty();
};

// "the inputs belong to several configurations (A and B)", for more than one group.
std::string several_configurations(const InputGroups& groups);

// Finds the inputs, and adds the settings of each input's configuration that the command line does
// not set. The configuration is that of --config, else the nearest file in the input's folder or
// above, up to the root of the git repository. On failure returns why a configuration cannot be
// used: lines that begin with the file.
std::variant<InputGroups, std::string> with_configurations(const Options& options);

// The same, if all inputs must share one configuration. The reason may be that they do not.
std::variant<ResolvedOptions, std::string> with_configuration(const Options& options);

}  // namespace dynamo::cli
