// Credentials from a program, as client.authentication.k8s.io has it.
#pragma once

#include <boost/asio/any_io_executor.hpp>
#include <chrono>
#include <cstddef>
#include <optional>
#include <string>
#include <string_view>

#include "aio/task.hpp"
#include "kube/config.hpp"
#include "kube/error.hpp"

namespace dynamo::kube {

// Holds secrets: never print it.
struct ExecCredential {
  std::string token;            // empty: the certificate alone
  std::string certificate_pem;  // both or neither
  std::string key_pem;
  std::optional<std::chrono::system_clock::time_point> expires;
};

// What such a program has printed. kConfig, without any of the text, when it is not the object of
// the version that was asked for, or holds no credentials.
Result<ExecCredential> parse_exec_credential(std::string_view output, const ExecConfig& config);

// What the program is told in KUBERNETES_EXEC_INFO.
std::string exec_info(const ExecConfig& config);

inline constexpr std::size_t kMaxExecOutput = std::size_t{1} << 20U;

// Runs the program in a process group of its own with no input, and gives what it printed. On the
// executor's loop, without a thread; needs SIGCHLD, which it watches. After `deadline`, beyond
// kMaxExecOutput bytes and when the coroutine is cancelled the group is killed. kConfig when the
// program cannot be started or failed, with the last line of its standard error.
aio::Task<Result<ExecCredential>> run_exec_plugin(boost::asio::any_io_executor executor,
                                                  ExecConfig config,
                                                  std::chrono::milliseconds deadline);

}  // namespace dynamo::kube
