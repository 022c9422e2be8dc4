// The configuration file of a repository, .dynamo-admission.yaml: options that everybody is to use,
// so that a laptop and continuous integration give the same verdict.
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

// What counts for one option, and who said so.
struct Setting {
  // Of the option, without hyphens, or "operatorFlags.NAME"; of static lifetime.
  std::string_view name;
  std::string value;   // empty: not set
  std::string source;  // "command line", "default", or FILE:LINE
};

struct Configured {
  Options options;
  std::string file;  // empty: there is none
  std::vector<Setting> settings;
  // Of --config-from: copies of the policy and the baseline that the file names, removed with the
  // last owner. Null: there are none.
  std::shared_ptr<const void> copies = {};
};

// The settings of a file that leave findings or inputs out, as "FILE:LINE: skip: *".
std::vector<std::string> silencing_settings(const Configured& configured);

// What the options ask to read. Refers to them.
InputQuery query_of(const Options& options);

// Names of the options that a file may set, in the order of --help.
std::vector<std::string_view> configurable_options();

// The inputs that one configuration holds for.
struct ConfiguredInputs {
  Configured configured;
  std::vector<Input> inputs;
  // Whether it holds for a file, found or named when `folder` was searched, that need not be there
  // any more. Empty: for every one.
  std::function<bool(const std::string& folder, const std::string& name)> holds_for;
};

struct InputGroups {
  std::deque<ConfiguredInputs> groups;  // never empty
  // As in ListedInputs.
  std::vector<std::string> charts;
  std::vector<std::string> patches;
  std::vector<std::string> notes;

  // Leaves out groups without an input; where none has one the first stays.
  void drop_empty();
};

// "the inputs belong to several configurations (A and B)", of more than one group.
std::string several_configurations(const InputGroups& groups);

// Finds the inputs, and adds to the options what the configuration of each says and the command
// line does not. Its configuration is that of --config, else the nearest one in the folder of the
// input and above it, up to the root of their git repository. Answers why one cannot be used
// otherwise: lines that begin with the file.
std::variant<InputGroups, std::string> with_configurations(const Options& options);

// The same where all inputs must belong to one. The reason may be that they do not.
std::variant<Configured, std::string> with_configuration(const Options& options);

}  // namespace dynamo::cli
