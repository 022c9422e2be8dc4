// This program in JSON documents.
#pragma once

#include "json/report_writer.hpp"

namespace dynamo::cli {

// Writes an object with `name`, `version`, `apiVersion`, which stays v1alpha1 for older readers,
// and `apiVersions`: all API versions that the program validates.
void write_program(json::ReportWriter& writer);

}  // namespace dynamo::cli
