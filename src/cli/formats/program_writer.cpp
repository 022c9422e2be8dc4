#include "cli/formats/program_writer.hpp"

#include <string_view>

#include "cli/options/options.hpp"
#include "runtime/build_info.hpp"

namespace dynamo::cli {

void write_program(json::ReportWriter& writer) {
  writer.start_object()
      .member("name", kProgramName)
      .member("version", runtime::program_version())
      .member("apiVersion", runtime::kApiGroupVersion);
  writer.key("apiVersions").start_array();
  for (const std::string_view version : runtime::kAllApiGroupVersions) writer.string(version);
  writer.end_array().end_object();
}

}  // namespace dynamo::cli
