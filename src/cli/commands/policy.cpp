// kubectl dynamo policy check FILE
#include <ostream>
#include <string>
#include <variant>
#include <vector>

#include "admission/policy.hpp"
#include "admission/policy_check.hpp"
#include "cli/commands/commands.hpp"
#include "cli/commands/policy_report.hpp"
#include "cli/input/policy_text.hpp"
#include "cli/report/wording.hpp"
#include "runtime/clock.hpp"

namespace dynamo::cli {

int run_policy(const Options& options, Streams& streams) {
  const auto text = read_policy_text(options.argument, streams.in);
  if (const auto* const fault = std::get_if<ReadFault>(&text)) {
    std::string reason;
    append_printable(reason, display_name(options.argument));
    return refuse(streams, reason + ": " + fault->reason);
  }
  const admission::ReadPolicy read = admission::read_policy(std::get<std::string>(text));
  const auto now = options.now ? *options.now : runtime::SystemClock().wall();
  std::vector<admission::PolicyError> warnings;
  if (read.policy) warnings = admission::policy_warnings(*read.policy, now);
  const PolicyReport report{.file = options.argument,
                            .text = std::get<std::string>(text),
                            .policy = read.policy ? &*read.policy : nullptr,
                            .errors = read.errors,
                            .warnings = warnings,
                            .now = now};
  streams.out << (options.list_format == ListFormat::kJson ? policy_as_json(report)
                                                           : policy_as_text(report));
  return read.policy ? kExitValid : kExitInvalid;
}

}  // namespace dynamo::cli
