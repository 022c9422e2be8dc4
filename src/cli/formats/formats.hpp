// One reporter per output format. Callers use make_reporter().
#pragma once

#include <iosfwd>
#include <memory>

#include "cli/report/report.hpp"

namespace dynamo::cli {

// `out` must outlive the reporter.
std::unique_ptr<Reporter> make_reporter(Format format, std::ostream& out,
                                        const ReporterOptions& options);

std::unique_ptr<Reporter> make_text_reporter(std::ostream& out, const ReporterOptions& options);
std::unique_ptr<Reporter> make_json_reporter(std::ostream& out, const ReporterOptions& options);
std::unique_ptr<Reporter> make_junit_reporter(std::ostream& out, const ReporterOptions& options);
std::unique_ptr<Reporter> make_sarif_reporter(std::ostream& out, const ReporterOptions& options);
std::unique_ptr<Reporter> make_tap_reporter(std::ostream& out, const ReporterOptions& options);
std::unique_ptr<Reporter> make_github_reporter(std::ostream& out, const ReporterOptions& options);

}  // namespace dynamo::cli
