#include "kube/config/credentials.hpp"

#include <algorithm>
#include <boost/asio/bind_cancellation_slot.hpp>
#include <boost/asio/cancellation_signal.hpp>
#include <boost/asio/co_spawn.hpp>
#include <exception>
#include <optional>
#include <utility>

#include "aio/wait_list.hpp"
#include "kube/config/credentials_files.hpp"
#include "kube/config/exec_plugin.hpp"
#include "kube/config/tls.hpp"

namespace dynamo::kube {
namespace {

namespace asio = boost::asio;
using SteadyTime = std::chrono::steady_clock::time_point;

// Token files often end in a line feed.
std::string_view trimmed(std::string_view text) {
  constexpr std::string_view kBlank = " \t\r\n";
  const std::size_t first = text.find_first_not_of(kBlank);
  if (first == std::string_view::npos) return {};
  return text.substr(first, text.find_last_not_of(kBlank) - first + 1);
}

Result<std::string> read_token(const std::string& file) {
  auto text = read_file(file, kMaxCredentialBytes, "");
  if (!text) return text.error();
  const std::string_view token = trimmed(*text);
  if (token.empty()) return config_error(file, "must hold a token, is empty");
  if (!std::ranges::all_of(token, [](char letter) { return letter > ' ' && letter < '\x7f'; })) {
    return config_error(file, "must hold a token of visible ASCII characters");
  }
  return std::string(token);
}

}  // namespace

struct Credentials::State : std::enable_shared_from_this<State> {
  State(asio::any_io_executor the_executor, ConnectionConfig the_config,
        CredentialsOptions the_options, const runtime::Clock& the_clock,
        runtime::Logger& the_logger)
      : executor(std::move(the_executor)),
        config(std::move(the_config)),
        options(the_options),
        clock(the_clock),
        logger(the_logger),
        waiting(executor) {}

  bool uses_exec() const {
    return config.exec && config.token.empty() && config.token_file.empty();
  }
  // A certificate from the kubeconfig takes precedence over one from the program.
  bool has_program_certificate() const { return uses_exec() && config.client_certificate.empty(); }

  // ---- Files

  Result<void> read_files() {
    if (!config.token_file.empty()) {
      auto read = read_token(config.token_file);
      if (!read) return read.error();
      token = std::move(*read);
    } else if (!uses_exec()) {
      token = config.token;
    }
    if (!config.tls) return {};
    auto ca = read_pem(config.ca);
    if (!ca) return ca.error();
    auto certificate = read_pem(config.client_certificate);
    if (!certificate) return certificate.error();
    auto key = read_pem(config.client_key);
    if (!key) return key.error();
    TlsMaterial fresh = material;
    fresh.ca_pem = std::move(*ca);
    fresh.ca_origin = config.ca.origin;
    if (!config.ca.empty() && trimmed(fresh.ca_pem).empty()) {
      return config_error(config.ca.origin, "must hold a PEM certificate, is empty");
    }
    if (!config.client_certificate.empty()) {
      fresh.certificate_pem = std::move(*certificate);
      fresh.certificate_origin = config.client_certificate.origin;
      fresh.key_pem = std::move(*key);
      fresh.key_origin = config.client_key.origin;
    }
    return use(std::move(fresh));
  }

  // Creates a context for the material unless the current one was created from the same.
  Result<void> use(TlsMaterial fresh) {
    if (context && fresh == material && !has_ended()) return {};
    auto built = build_client_context(fresh, clock.wall());
    if (!built) return built.error();
    context = std::move(*built);
    certificate_ends = certificate_end(fresh.certificate_pem);
    material = std::move(fresh);
    return {};
  }

  // Only for a certificate from a file or the kubeconfig; a program can provide a new one.
  bool has_ended() const {
    return !has_program_certificate() && certificate_ends && clock.wall() > *certificate_ends;
  }

  Result<void> refresh_files() {
    const SteadyTime now = clock.monotonic();
    const bool ended = has_ended();
    if (files_read && !was_rejected && !ended && now - *files_read < options.refresh) return {};
    auto read = read_files();
    if (read) {
      if (!file_problem.empty()) {
        logger.log(runtime::Level::kInfo, "the credentials for the API server are readable again");
      }
      file_problem.clear();
      files_read = now;
      was_rejected = false;
      return {};
    }
    // There are no usable credentials, or only ones that the server would refuse.
    if (!files_read || ended) return read.error();
    if (file_problem != read.error().text) {
      file_problem = read.error().text;
      logger.log(runtime::Level::kWarning,
                 "the credentials for the API server cannot be reloaded; the old ones stay in use",
                 {{"reason", file_problem}});
    }
    files_read = now;
    was_rejected = false;
    return {};
  }

  // ---- The program

  bool credential_is_good() const {
    if (!credential) return false;
    if (credential->expires && clock.wall() >= *credential->expires) return false;
    return !has_program_certificate() || !certificate_ends || clock.wall() <= *certificate_ends;
  }

  void start_program() {
    running = true;
    const auto self = shared_from_this();
    asio::co_spawn(
        executor,
        [self]() -> aio::Task<Result<ExecCredential>> {
          return run_exec_plugin(self->executor, *self->config.exec, self->options.exec_deadline);
        },
        asio::bind_cancellation_slot(cancellation.slot(), [self](const std::exception_ptr& failed,
                                                                 Result<ExecCredential> result) {
          self->program_ended(failed, std::move(result));
        }));
  }

  void program_ended(const std::exception_ptr& failed, Result<ExecCredential> result) {
    running = false;
    cancellation.slot().clear();  // its target no longer exists
    program_ran = clock.monotonic();
    program_error.reset();
    if (failed) {
      program_error = config_error(config.exec->origin, "was stopped");
    } else if (!result) {
      program_error = result.error();
    } else {
      take(std::move(*result));
    }
    waiting.wake_all();
  }

  void take(ExecCredential fresh) {
    if (has_program_certificate() && config.tls) {
      // A missing certificate replaces the previous one, too; otherwise that would be used beyond
      // its end.
      const bool is_none = fresh.certificate_pem.empty();
      TlsMaterial shown = material;
      shown.certificate_pem = fresh.certificate_pem;
      shown.certificate_origin = is_none ? "" : config.exec->origin + ": clientCertificateData";
      shown.key_pem = fresh.key_pem;
      shown.key_origin = is_none ? "" : config.exec->origin + ": clientKeyData";
      if (auto used = use(std::move(shown)); !used) {
        program_error = used.error();
        return;
      }
    }
    token = fresh.token;
    credential = std::move(fresh);
  }

  aio::Task<Result<void>> refresh_program(SteadyTime deadline) {
    while (!credential_is_good()) {
      if (!running) start_program();
      // The program may have ended already, for example if it does not exist.
      const bool is_over = !running || co_await waiting.wait(deadline);
      if (!is_over) {
        Error error;
        error.failure = FailureKind::kDeadline;
        error.text = config.exec->origin + ": the program took too long";
        co_return error;
      }
      if (program_error) co_return *program_error;
      // A program that returns expired credentials would be started again and again.
      if (credential && !credential_is_good()) {
        co_return config_error(config.exec->origin,
                               "the program gave credentials that are expired");
      }
    }
    co_return Result<void>();
  }

  const asio::any_io_executor executor;
  const ConnectionConfig config;
  const CredentialsOptions options;
  const runtime::Clock& clock;
  runtime::Logger& logger;

  std::string token;
  TlsMaterial material;
  std::shared_ptr<SSL_CTX> context;
  std::optional<std::chrono::system_clock::time_point> certificate_ends;
  std::optional<SteadyTime> files_read;
  std::string file_problem;  // already logged
  bool was_rejected = false;

  bool running = false;
  asio::cancellation_signal cancellation;
  std::optional<ExecCredential> credential;
  std::optional<Error> program_error;  // of the latest run
  SteadyTime program_ran{};
  aio::WaitList waiting;
};

Credentials::Credentials(asio::any_io_executor executor, ConnectionConfig config,
                         CredentialsOptions options, const runtime::Clock& clock,
                         runtime::Logger& logger)
    : state_(std::make_shared<State>(std::move(executor), std::move(config), options, clock,
                                     logger)) {}

Credentials::~Credentials() {
  state_->cancellation.emit(asio::cancellation_type::terminal);
}

aio::Task<Result<Identity>> Credentials::current(SteadyTime deadline) {
  const auto state = state_;
  if (auto read = state->refresh_files(); !read) co_return read.error();
  if (state->uses_exec()) {
    auto refreshed = co_await state->refresh_program(deadline);
    if (!refreshed) co_return refreshed.error();
  }
  co_return Identity{state->context, state->token};
}

void Credentials::note_rejection(const Identity& refused, RejectionCause why) {
  State& state = *state_;
  state.was_rejected = true;
  if (!state.uses_exec() || !state.credential || refused.token != state.token) return;
  // The token is sent only after the handshake.
  if (why == RejectionCause::kHandshake && state.credential->certificate_pem.empty()) return;
  if (state.clock.monotonic() - state.program_ran < state.options.exec_interval) return;
  state.credential.reset();
}

}  // namespace dynamo::kube
