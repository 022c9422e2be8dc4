// kubectl dynamo version and help
#include <ostream>
#include <string>

#include "cli/commands/commands.hpp"
#include "cli/formats/program_writer.hpp"
#include "json/report_writer.hpp"
#include "runtime/build_info.hpp"

namespace dynamo::cli {

int run_version(const Options& options, Streams& streams) {
  if (options.list_format == ListFormat::kJson) {
    std::string text;
    json::ReportWriter writer(text);
    write_program(writer);
    streams.out << text << '\n';
    return kExitValid;
  }
  streams.out << kProgramName << ' ' << runtime::program_version() << " ("
              << runtime::kApiGroupVersions << ")\n";
  return kExitValid;
}

int run_help(const Options& options, Streams& streams) {
  streams.out << help_text(options.argument);
  return kExitValid;
}

}  // namespace dynamo::cli
