// One run of the checker, made up, with everything that a format must get right: all kinds of
// results, and texts that would break a careless one.
#pragma once

#include <string>

#include "cli/formats/report.hpp"

namespace dynamo::test {

// Tells `reporter` the whole run, from begin() to end().
void tell_made_up_run(cli::Reporter& reporter);

// What the format makes of it.
std::string made_up_report(cli::Format format, const cli::ReporterOptions& options = {});

// What it makes of one object with one finding, in the middle of an otherwise empty run.
std::string report_of(cli::Format format, cli::ObjectReport object,
                      const cli::ReporterOptions& options = {});

// What it makes of a run without any object or fault.
std::string report_of_nothing(cli::Format format, const cli::ReporterOptions& options = {});

}  // namespace dynamo::test
