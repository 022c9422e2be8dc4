#include "kube/config/exec_plugin.hpp"

#include <algorithm>
#include <system_error>
#include <utility>

#include "aio/child_process.hpp"
#include "json/parser.hpp"
#include "json/writer.hpp"
#include "kube/config/credentials_files.hpp"
#include "text/timestamp.hpp"

namespace dynamo::kube {
namespace {

constexpr std::size_t kMaxErrorLine = 300;

// The last line, fit for one line of a log.
std::string last_line(std::string_view text) {
  while (!text.empty() && (text.back() == '\n' || text.back() == '\r' || text.back() == ' ')) {
    text.remove_suffix(1);
  }
  const std::size_t begin = text.find_last_of("\r\n");
  if (begin != std::string_view::npos) text.remove_prefix(begin + 1);
  std::string line(text.substr(0, kMaxErrorLine));
  std::ranges::replace_if(
      line, [](char each) { return static_cast<unsigned char>(each) < ' '; }, ' ');
  return line;
}

Error failure_of(const aio::ChildResult& result, const ExecConfig& config) {
  const std::string program = "the program " + config.command;
  std::string text;
  switch (result.exit_reason) {
    case aio::ChildResult::ExitReason::kNotStarted:
      text = program + " cannot be started: " + std::generic_category().message(result.code);
      if (!config.install_hint.empty()) text += " (" + last_line(config.install_hint) + ")";
      break;
    case aio::ChildResult::ExitReason::kDeadline:
      text = program + " took too long and was stopped";
      break;
    case aio::ChildResult::ExitReason::kTooMuchOutput:
      text = program + " printed more than " + std::to_string(kMaxExecOutput) +
             " bytes and was stopped";
      break;
    case aio::ChildResult::ExitReason::kCancelled:
      text = program + " was stopped";
      break;
    case aio::ChildResult::ExitReason::kExited:
      text = program + " failed with status " + std::to_string(result.code);
      break;
  }
  const std::string message = last_line(result.errors);
  if (!message.empty() && result.exit_reason != aio::ChildResult::ExitReason::kNotStarted)
    text += ": " + message;
  Error error = config_error(config.origin, text);
  if (result.exit_reason == aio::ChildResult::ExitReason::kCancelled)
    error.failure = FailureKind::kCancelled;
  return error;
}

}  // namespace

Result<ExecCredential> parse_exec_credential(std::string_view output, const ExecConfig& config) {
  const auto bad = [&config](std::string_view what) {
    return config_error(config.origin,
                        "the program " + config.command + " must print " + std::string(what));
  };
  const auto parsed = json::parse_copy(output);
  const json::Value root = parsed->root();
  if (parsed->error || !root.is_object()) return bad("an ExecCredential as JSON, and did not");
  if (root["kind"].string_or_empty() != "ExecCredential" ||
      root["apiVersion"].string_or_empty() != config.api_version) {
    return bad("an ExecCredential of " + config.api_version);
  }
  const json::Value status = root["status"];
  ExecCredential credential;
  credential.token = status["token"].string_or_empty();
  credential.certificate_pem = status["clientCertificateData"].string_or_empty();
  credential.key_pem = status["clientKeyData"].string_or_empty();
  if (credential.certificate_pem.empty() != credential.key_pem.empty()) {
    return bad("clientCertificateData and clientKeyData together");
  }
  if (credential.token.empty() && credential.certificate_pem.empty()) {
    return bad("a status with token or clientCertificateData");
  }
  if (!std::ranges::all_of(credential.token,
                           [](char each) { return each > ' ' && each < '\x7f'; })) {
    return bad("a token of visible ASCII characters");
  }
  const json::Value expires = status["expirationTimestamp"];
  if (!expires.is_nothing()) {
    credential.expires = text::parse_timestamp(expires.string_or_empty());
    if (!credential.expires) return bad("expirationTimestamp as RFC 3339 has it");
  }
  return credential;
}

std::string exec_info(const ExecConfig& config) {
  std::string text;
  json::Writer out(text);
  out.start_object();
  out.member("apiVersion", config.api_version);
  out.member("kind", "ExecCredential");
  out.key("spec").start_object();
  out.key("interactive").boolean(false);
  if (!config.cluster_info.empty()) out.key("cluster").raw(config.cluster_info);
  out.end_object();
  out.end_object();
  return text;
}

aio::Task<Result<ExecCredential>> run_exec_plugin(boost::asio::any_io_executor executor,
                                                  ExecConfig config,
                                                  std::chrono::milliseconds deadline) {
  aio::ChildCommand command;
  command.words.push_back(config.command);
  command.words.insert(command.words.end(), config.arguments.begin(), config.arguments.end());
  command.environment = config.environment;
  command.environment.emplace_back("KUBERNETES_EXEC_INFO", exec_info(config));
  command.deadline = deadline;
  command.limit = kMaxExecOutput;
  const aio::ChildResult result = co_await aio::run_child(std::move(executor), std::move(command));
  if (result.exit_reason != aio::ChildResult::ExitReason::kExited || result.code != 0) {
    co_return failure_of(result, config);
  }
  co_return parse_exec_credential(result.output, config);
}

}  // namespace dynamo::kube
