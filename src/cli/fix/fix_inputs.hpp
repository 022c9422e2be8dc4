// `validate --fix`: mends the files that are to be judged, or shows what it would do.
#pragma once

#include <cstddef>
#include <vector>

#include "cli/choice.hpp"
#include "cli/commands/commands.hpp"
#include "cli/input/inputs.hpp"
#include "cli/judge.hpp"
#include "cli/options/options.hpp"

namespace dynamo::cli {

struct FixedInputs {
  std::size_t fixes = 0;
  std::size_t files = 0;  // that were changed, or would be
  // That should have been and could not; with --diff also those that could not be read.
  std::size_t failed = 0;
};

// Writes the files, or with --diff what would change to `out`; what was done, and what is left as
// it is and why, is told on `err`.
FixedInputs fix_inputs(const Options& options, const std::vector<Input>& inputs,
                       const Circumstances& circumstances, const Choice& choice, Streams& streams);

}  // namespace dynamo::cli
