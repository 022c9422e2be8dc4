// dynamo-webhook: parses the flags, serves until it is stopped. Exit codes: 0 stopped on request; 2
// an error in the flags or in files they name; 1 the server could not start or could not renew its
// marker lease; 3 a stop was requested and a part of it was stuck.
#include <iostream>
#include <span>
#include <string>
#include <string_view>
#include <utility>
#include <variant>

#include "main/server_process.hpp"
#include "process/cluster_connection.hpp"
#include "runtime/clock.hpp"
#include "runtime/log.hpp"
#include "webhook/certificate_keeper.hpp"
#include "webhook/cluster_settings.hpp"
#include "webhook/flags.hpp"
#include "webhook/managed_certificates.hpp"
#include "webhook/memory_bound.hpp"
#include "webhook/webhook.hpp"

namespace {

using dynamo::runtime::EarlyExit;
using dynamo::webhook::Options;

int keep(const Options& options, dynamo::webhook::CertificateKeeper::Dependencies dependencies) {
  dynamo::runtime::Log& log = dependencies.log;
  dynamo::webhook::CertificateKeeper keeper(options, std::move(dependencies));
  if (const auto started = keeper.start(); !started) {
    log.log(dynamo::runtime::Level::kError, "cannot start", {{"reason", started.error().text}});
    return dynamo::main::end_soon(1);
  }
  keeper.wait();
  keeper.stop();
  return dynamo::main::end_soon(0);
}

int serve(const Options& options) {
  const dynamo::runtime::SystemClock clock;
  dynamo::runtime::Log log({.level = options.log_level, .format = options.log_format}, clock);
  const auto environment = dynamo::main::cluster_environment();
  auto connect = dynamo::process::cluster_connect(dynamo::webhook::cluster_settings(options),
                                                  environment, clock, log);
  if (!connect) {
    std::cerr << "dynamo-webhook: " + connect.error().text + '\n';
    return 2;
  }
  const bool connected = static_cast<bool>(*connect);
  auto managed = dynamo::webhook::managed_settings(options, environment, connected);
  if (!managed) {
    std::cerr << "dynamo-webhook: " + managed.error().text + '\n';
    return 2;
  }
  if (options.role == dynamo::webhook::Role::kKeeper) {
    return keep(options,
                {.log = log,
                 .clock = clock,
                 .connect = *std::move(connect),
                 .managed = **std::move(managed),
                 .end_process = [&log](int code) { dynamo::main::end_process(log, code); }});
  }
  dynamo::webhook::Webhook webhook(
      options, {.log = log,
                .clock = clock,
                .connect = *std::move(connect),
                .managed = *std::move(managed),
                .end_process = [&log](int code) { dynamo::main::end_process(log, code); }});
  if (const auto started = webhook.start(); !started) {
    log.log(dynamo::runtime::Level::kError, "cannot start", {{"reason", started.error().text}});
    return dynamo::main::end_soon(1);
  }
  const int code = webhook.wait();
  webhook.stop();
  return dynamo::main::end_soon(code);
}

}  // namespace

int main(int argc, char** argv) {
  const std::span<const char* const> arguments(argv + 1,
                                               static_cast<std::size_t>(argc > 0 ? argc - 1 : 0));
  // A command of earlier releases.
  if (!arguments.empty() && std::string_view(arguments.front()) == "doctor") {
    std::cerr
        << "dynamo-webhook: the doctor is a command of kubectl-dynamo, which is in the same image; "
           "run `kubectl-dynamo doctor` with the same options\n";
    return 2;
  }
  const auto parsed = dynamo::webhook::parse_flags(arguments);
  if (const auto* exit = std::get_if<EarlyExit>(&parsed)) {
    (exit->code == 0 ? std::cout : std::cerr) << exit->text;
    return exit->code;
  }
  const auto& options = std::get<Options>(parsed);
  if (const auto unusable = dynamo::webhook::unusable_options(options)) {
    std::cerr << "dynamo-webhook: " + *unusable + '\n';
    return 2;
  }
  dynamo::webhook::return_large_blocks();
  return serve(options);
}
