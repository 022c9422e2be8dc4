// kubectl dynamo version and help
#include <ostream>

#include "cli/commands/commands.hpp"
#include "runtime/build_info.hpp"

namespace dynamo::cli {

int run_version(const Options& /*options*/, Streams& streams) {
  streams.out << kProgramName << ' ' << runtime::program_version() << " ("
              << runtime::kApiGroupVersion << ")\n";
  return kExitValid;
}

int run_help(const Options& options, Streams& streams) {
  streams.out << help_text(options.argument);
  return kExitValid;
}

}  // namespace dynamo::cli
