// Names of files as reports write them, so that those who read them find the file.
#pragma once

#include <string>
#include <string_view>

#include "cli/formats/report.hpp"

namespace dynamo::cli {

// Without a leading "./", which names nothing in a repository.
std::string_view without_dot(std::string_view file);

// The file as the options' source paths name it; without them as it is given, without the "./".
std::string source_name(std::string_view file, const ReporterOptions& options);

// A URI reference (RFC 3986): relative for a relative name, `file:///…` for an absolute one; what
// needs it is percent-encoded. "standard-input" for "-".
std::string uri_of(std::string_view file);

// The file that a URI of an editor names, `file:///…`; empty when it names none on this machine.
std::string file_of(std::string_view uri);

}  // namespace dynamo::cli
