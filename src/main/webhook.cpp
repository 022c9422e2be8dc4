// dynamo-webhook: reads the flags, serves until told to stop. Exit codes: 0 stopped when asked, 2 a
// mistake in the flags, 1 the server could not start.
#include <iostream>
#include <span>
#include <variant>

#include "admission/namespace_lease.hpp"
#include "runtime/clock.hpp"
#include "runtime/flags.hpp"
#include "runtime/log.hpp"
#include "server/webhook.hpp"

namespace {

using dynamo::runtime::EarlyExit;
using dynamo::runtime::Options;

int serve(const Options& options) {
  const dynamo::runtime::SystemClock clock;
  dynamo::runtime::Log log({.level = options.log_level, .format = options.log_format}, clock);
  const dynamo::admission::NoNamespaceLeases leases;
  dynamo::server::Webhook webhook(options, {.log = log, .clock = clock, .leases = leases});
  if (const auto started = webhook.start(); !started) {
    std::cerr << "dynamo-webhook: " + started.error().text +
                     '\n';  // one write: the log has a thread
    return 1;
  }
  webhook.wait_for_signal();
  webhook.stop();
  return 0;
}

}  // namespace

int main(int argc, char** argv) {
  const auto parsed = dynamo::runtime::parse_flags(
      std::span<const char* const>(argv + 1, static_cast<std::size_t>(argc > 0 ? argc - 1 : 0)));
  if (const auto* exit = std::get_if<EarlyExit>(&parsed)) {
    (exit->code == 0 ? std::cout : std::cerr) << exit->text;
    return exit->code;
  }
  const auto& options = std::get<Options>(parsed);
  if (const auto unusable = dynamo::server::unusable_options(options)) {
    std::cerr << "dynamo-webhook: " + *unusable + '\n';
    return 2;
  }
  return serve(options);
}
