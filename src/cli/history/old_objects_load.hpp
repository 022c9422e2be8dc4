// Fills the old objects from what --old and --against name.
#pragma once

#include <functional>
#include <optional>
#include <string>
#include <variant>
#include <vector>

#include "cli/formats/report.hpp"
#include "cli/history/old_objects.hpp"
#include "cli/judge.hpp"
#include "cli/options/options.hpp"

namespace dynamo::cli {

struct LoadedOldObjects {
  OldObjects objects;              // as they are stored: with their defaults
  std::vector<InputFault> faults;  // inputs that could not be opened: there may be more old objects
  std::vector<std::string> notes;  // what a user should know beside, one line each
};

// One line about why there is nothing to compare with.
struct OldObjectsFault {
  std::string reason;
};

// Which old files are wanted: as ConfiguredInputs::holds_for.
using HoldsFor = std::function<bool(const std::string& folder, const std::string& name)>;

// Nothing when the options name neither. `holds_for` chooses among what --against finds. Options
// and circumstances must outlive the old objects, which may go on reading when they are asked.
std::variant<std::optional<LoadedOldObjects>, OldObjectsFault> load_old_objects(
    const Options& options, const Circumstances& circumstances, const HoldsFor& holds_for = {});

}  // namespace dynamo::cli
