// The configuration file of a repository, .dynamo-admission.yaml: options that everybody is to use,
// so that a laptop and continuous integration give the same verdict.
#pragma once

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
  std::string_view name;  // of the option, without hyphens; of static lifetime
  std::string value;      // empty: not set
  std::string source;     // "command line", "default", or FILE:LINE
};

struct Configured {
  Options options;
  std::string file;  // empty: there is none
  std::vector<Setting> settings;
};

// What the options ask to read. Refers to them.
InputQuery query_of(const Options& options);

// Names of the options that a file may set, in the order of --help.
std::vector<std::string_view> configurable_options();

// Adds to the options what the file says and the command line does not. The file is that of
// --config, else the nearest one in the folders of the inputs and above them, up to the root of
// their git repository; one that stands below a folder that is searched holds for the files near
// it, which cannot be judged together with others. Answers why it cannot be used otherwise: lines
// that begin with the file, or one that names both.
std::variant<Configured, std::string> with_configuration(const Options& options);

}  // namespace dynamo::cli
