// `validate --fix`: fixes the input files, or shows the changes.
#pragma once

#include <cstddef>
#include <vector>

#include "cli/check/finding_filter.hpp"
#include "cli/check/validator.hpp"
#include "cli/input/inputs.hpp"
#include "cli/options/options.hpp"
#include "cli/report/streams.hpp"

namespace dynamo::cli {

struct FixedInputs {
  std::size_t fixes = 0;
  std::size_t files = 0;  // changed files, or those that would be
  // Files that could not be changed; with --diff also those that could not be read.
  std::size_t failed = 0;
};

// Writes the files, or with --diff prints the changes to `out`. Reports on `err` what was fixed,
// and what was not and why.
FixedInputs fix_inputs(const Options& options, const std::vector<Input>& inputs,
                       const EvaluationOptions& evaluation_options, const FindingFilter& filter,
                       Streams& streams);

}  // namespace dynamo::cli
