// dynamo-reconciler: parses the flags, runs controllers until it is stopped. Exit codes: 0 stopped
// on request, or done with --once; 2 an error in the flags or in files they name; 1 it could not
// start, could not complete --once, or could not renew its marker lease; 3 a stop was requested and
// a part of it was stuck.
#include <iostream>
#include <span>
#include <string>
#include <variant>

#include "main/server_process.hpp"
#include "process/cluster_connection.hpp"
#include "process/pod_identity.hpp"
#include "reconciler/app/flags.hpp"
#include "reconciler/app/program.hpp"
#include "runtime/clock.hpp"
#include "runtime/log.hpp"

namespace {

using dynamo::reconciler::Options;
using dynamo::runtime::EarlyExit;

int mistake(const std::string& text) {
  std::cerr << "dynamo-reconciler: " + text + '\n';  // one write: the log has a thread
  return 2;
}

int run(const Options& options) {
  const dynamo::runtime::SystemClock clock;
  dynamo::runtime::Log log({.level = options.log_level, .format = options.log_format}, clock);
  const auto environment = dynamo::main::cluster_environment();
  auto connect = dynamo::process::cluster_connect({.program = "dynamo-reconciler",
                                                   .kubeconfig = options.kubeconfig,
                                                   .kube_context = options.kube_context,
                                                   .connections = options.kube_connections},
                                                  environment, clock, log);
  if (!connect) return mistake(connect.error().text);
  if (!*connect)
    return mistake("--kubeconfig must be given where there is no cluster around; found none");
  const std::string pod_namespace =
      dynamo::process::namespace_of_pod(environment.service_account_directory);
  dynamo::reconciler::Program program(
      options, {.log = log,
                .clock = clock,
                .connect = *std::move(connect),
                .pod_namespace = pod_namespace,
                .own_namespace = pod_namespace.empty() ? "default" : pod_namespace,
                .print = [](const std::string& text) { std::cout << text << std::flush; },
                .end_process = [&log](int code) { dynamo::main::end_process(log, code); }});
  if (const auto started = program.start(); !started) {
    mistake(started.error().text);
    return dynamo::main::end_soon(1);
  }
  const int code = program.wait();
  program.stop();
  return dynamo::main::end_soon(code);
}

}  // namespace

int main(int argc, char** argv) {
  const std::span<const char* const> arguments(argv + 1,
                                               static_cast<std::size_t>(argc > 0 ? argc - 1 : 0));
  const auto parsed = dynamo::reconciler::parse_flags(arguments);
  if (const auto* exit = std::get_if<EarlyExit>(&parsed)) {
    (exit->code == 0 ? std::cout : std::cerr) << exit->text;
    return exit->code;
  }
  const auto& options = std::get<Options>(parsed);
  if (const auto unusable = dynamo::reconciler::unusable_options(options)) {
    return mistake(*unusable);
  }
  return run(options);
}
