// A synthetic run of the checker with everything that a format must handle: all kinds of results,
// and texts that need escaping.
#pragma once

#include <string>

#include "cli/report/report.hpp"

namespace dynamo::test {

// Sends the whole run to `reporter`, from begin() to end().
void report_made_up_run(cli::Reporter& reporter);

// The run's report in this format.
std::string made_up_report(cli::Format format, const cli::ReporterOptions& options = {});

// The report for one object with one finding, in an otherwise empty run.
std::string report_of(cli::Format format, cli::ObjectReport object,
                      const cli::ReporterOptions& options = {});

// The report for a run without any object or fault.
std::string report_of_nothing(cli::Format format, const cli::ReporterOptions& options = {});

}  // namespace dynamo::test
