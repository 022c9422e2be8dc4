// Loads the old objects that --old and --against name.
#pragma once

#include <functional>
#include <optional>
#include <string>
#include <variant>
#include <vector>

#include "cli/check/old_objects.hpp"
#include "cli/check/validator.hpp"
#include "cli/options/options.hpp"
#include "cli/report/report.hpp"

namespace dynamo::cli {

struct LoadedOldObjects {
  OldObjects objects;              // as stored: with their defaults
  std::vector<InputFault> faults;  // inputs that could not be opened: there may be more old objects
  std::vector<std::string> notes;  // additional information for the user, one line each
};

// One line: why there is nothing to compare with.
struct OldObjectsFault {
  std::string reason;
};

// Selects old files: see ConfiguredInputs::holds_for.
using FileFilter = std::function<bool(const std::string& folder, const std::string& name)>;

// Returns nullopt if neither option is set. `holds_for` filters what --against finds. The other
// arguments must outlive the old objects, which may read more inputs in find().
std::variant<std::optional<LoadedOldObjects>, OldObjectsFault> load_old_objects(
    const Options& options, const EvaluationOptions& evaluation_options,
    const FileFilter& holds_for = {});

}  // namespace dynamo::cli
