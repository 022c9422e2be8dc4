// File names in reports, in a form that lets readers find the file.
#pragma once

#include <string>
#include <string_view>

#include "cli/report/report.hpp"

namespace dynamo::cli {

// Without a leading "./", which repository paths do not have.
std::string_view without_dot(std::string_view file);

// The file as named by the options' source paths; without them the given name, without "./".
std::string source_name(std::string_view file, const ReporterOptions& options);

// A URI reference (RFC 3986): relative for a relative name, `file:///…` for an absolute one,
// percent-encoded as required. "standard-input" for "-".
std::string uri_of(std::string_view file);

// The file that an editor's URI names, `file:///…`; empty if it is not a local file.
std::string file_of(std::string_view uri);

}  // namespace dynamo::cli
