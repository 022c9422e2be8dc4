// dynamo-reconciler: parses the flags, runs controllers until it is stopped. Exit codes: 0 stopped
// on request, or done with --once; 2 an error in the flags or in files they name; 1 it could not
// start, could not complete --once, or could not renew its marker lease; 3 a stop was requested and
// a part of it was stuck. The command copy-profile has its own flags and exit codes.
#include <iostream>
#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <utility>
#include <variant>

#include "main/server_process.hpp"
#include "process/cluster_connection.hpp"
#include "process/pod_identity.hpp"
#include "reconciler/app/flags.hpp"
#include "reconciler/app/program.hpp"
#include "reconciler/copy_profile/flags.hpp"
#include "reconciler/copy_profile/program.hpp"
#include "runtime/clock.hpp"
#include "runtime/log.hpp"

namespace {

namespace copy_profile = dynamo::reconciler::copy_profile;

using dynamo::reconciler::Options;
using dynamo::runtime::EarlyExit;

int mistake(const std::string& text, const std::string& program = "dynamo-reconciler") {
  std::cerr << program + ": " + text + '\n';  // one write: the log has a thread
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

// Sets what the flags leave to the pod. Returns the mistake if the pod has none of it.
std::optional<std::string> complete(copy_profile::Options& options,
                                    const std::string& service_account_directory) {
  if (options.pod.empty()) options.pod = dynamo::main::environment_variable("HOSTNAME");
  if (options.pod.empty()) return "--pod must be given if HOSTNAME is not set; found no --pod";
  std::string& name = options.namespace_name;
  if (name.empty()) name = dynamo::main::environment_variable("POD_NAMESPACE");
  if (name.empty()) name = dynamo::process::namespace_of_pod(service_account_directory);
  if (!name.empty()) return std::nullopt;
  return "--namespace must be given outside of a pod; found no --namespace";
}

int copy_profile_output(std::span<const char* const> arguments) {
  static const std::string program = "dynamo-reconciler copy-profile";
  auto parsed = copy_profile::parse_flags(arguments);
  if (const auto* exit = std::get_if<EarlyExit>(&parsed)) {
    (exit->code == 0 ? std::cout : std::cerr) << exit->text;
    return exit->code;
  }
  auto& options = std::get<copy_profile::Options>(parsed);
  const auto environment = dynamo::main::cluster_environment();
  if (const auto missing = complete(options, environment.service_account_directory)) {
    return mistake(*missing, program);
  }
  const dynamo::runtime::SystemClock clock;
  dynamo::runtime::Log log({.level = options.log_level, .format = options.log_format}, clock);
  auto connect = dynamo::process::cluster_connect({.program = "dynamo-reconciler",
                                                   .kubeconfig = options.kubeconfig,
                                                   .kube_context = options.kube_context},
                                                  environment, clock, log);
  if (!connect) return mistake(connect.error().text, program);
  if (!*connect) {
    return mistake("--kubeconfig must be given outside of a pod; found none", program);
  }
  return dynamo::main::end_soon(copy_profile::run_copier(
      options, {.logger = log,
                .clock = clock,
                .connect = *std::move(connect),
                .end_process = [&log](int code) { dynamo::main::end_process(log, code); }}));
}

}  // namespace

int main(int argc, char** argv) {
  const std::span<const char* const> arguments(argv + 1,
                                               static_cast<std::size_t>(argc > 0 ? argc - 1 : 0));
  if (!arguments.empty() && std::string_view(arguments.front()) == copy_profile::kCommand) {
    return copy_profile_output(arguments.subspan(1));
  }
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
