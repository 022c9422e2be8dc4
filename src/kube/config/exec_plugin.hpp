// Credentials from a program, as defined by client.authentication.k8s.io.
#pragma once

#include <boost/asio/any_io_executor.hpp>
#include <chrono>
#include <cstddef>
#include <optional>
#include <string>
#include <string_view>

#include "aio/task.hpp"
#include "kube/config/config.hpp"
#include "kube/object/error.hpp"

namespace dynamo::kube {

// Contains secrets: never print it.
struct ExecCredential {
  std::string token;            // empty: only the certificate
  std::string certificate_pem;  // both or neither
  std::string key_pem;
  std::optional<std::chrono::system_clock::time_point> expires;
};

// Parses the program's output. Returns kConfig, without any of the text, if it is not the object of
// the requested version or contains no credentials.
Result<ExecCredential> parse_exec_credential(std::string_view output, const ExecConfig& config);

// The value of KUBERNETES_EXEC_INFO for the program.
std::string exec_info(const ExecConfig& config);

inline constexpr std::size_t kMaxExecOutput = std::size_t{1} << 20U;

// Runs the program in its own process group without input, and returns its output. Runs on the
// executor's loop, without a thread; it watches SIGCHLD. The group is killed after `deadline`,
// beyond kMaxExecOutput bytes, and when the coroutine is cancelled. Returns kConfig, with the last
// line of the standard error, if the program cannot be started or failed.
aio::Task<Result<ExecCredential>> run_exec_plugin(boost::asio::any_io_executor executor,
                                                  ExecConfig config,
                                                  std::chrono::milliseconds deadline);

}  // namespace dynamo::kube
