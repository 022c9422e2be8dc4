// kubectl dynamo lsp
#include <istream>
#include <ostream>
#include <string>
#include <utility>
#include <variant>

#include "cli/choice.hpp"
#include "cli/commands/commands.hpp"
#include "cli/editor/framing.hpp"
#include "cli/editor/language_server.hpp"
#include "cli/judge.hpp"
#include "cli/options/configuration.hpp"

namespace dynamo::cli {
namespace {

int serve(LanguageServer& server, Streams& streams) {
  for (;;) {
    const auto read = read_message(streams.in);
    if (const auto* const fault = std::get_if<FramingFault>(&read)) {
      return refuse(streams, fault->reason);
    }
    // A client that is gone without a word.
    if (std::holds_alternative<EndOfMessages>(read)) return kExitInvalid;
    for (const std::string& message : server.take(std::get<std::string>(read))) {
      write_message(streams.out, message);
    }
    if (server.exit_code()) return *server.exit_code();
    if (!streams.out.good()) return kExitUnusable;
  }
}

}  // namespace

int run_lsp(const Options& options, Streams& streams) {
  // The configuration of the folder in which editors start their servers.
  Options here = options;
  here.filenames = {std::string(kStandardInput)};
  auto configured = with_configuration(here);
  if (const auto* const reason = std::get_if<std::string>(&configured)) {
    return refuse(streams, *reason);
  }
  const Options& counts = std::get<Configured>(configured).options;
  auto choice = Choice::of(counts);
  if (const auto* const reason = std::get_if<std::string>(&choice)) {
    return refuse(streams, *reason);
  }
  const auto known = circumstances_of(counts);
  if (const auto* const fault = std::get_if<CircumstancesFault>(&known)) {
    return refuse(streams, fault->reason);
  }
  LanguageServer server(std::get<Circumstances>(known), std::get<Choice>(std::move(choice)));
  return serve(server, streams);
}

}  // namespace dynamo::cli
