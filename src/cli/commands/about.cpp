// kubectl dynamo version and help
#include <ostream>
#include <string>

#include "cli/commands/commands.hpp"
#include "json/report_writer.hpp"
#include "runtime/build_info.hpp"

namespace dynamo::cli {

int run_version(const Options& options, Streams& streams) {
  if (options.list_format == ListFormat::kJson) {
    std::string text;
    json::ReportWriter(text)
        .start_object()
        .member("name", kProgramName)
        .member("version", runtime::program_version())
        .member("apiVersion", runtime::kApiGroupVersion)
        .end_object();
    streams.out << text << '\n';
    return kExitValid;
  }
  streams.out << kProgramName << ' ' << runtime::program_version() << " ("
              << runtime::kApiGroupVersion << ")\n";
  return kExitValid;
}

int run_help(const Options& options, Streams& streams) {
  streams.out << help_text(options.argument);
  return kExitValid;
}

}  // namespace dynamo::cli
