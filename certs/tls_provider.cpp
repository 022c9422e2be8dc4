#include "certs/tls_provider.hpp"

#include <utility>
#include <vector>

#include "aio/file_follower.hpp"
#include "text/timestamp.hpp"

namespace dynamo::certs {

TlsProvider::TlsProvider(std::unique_ptr<Source> source, std::unique_ptr<ClientCa> client_ca,
                         TlsProviderOptions options, const runtime::Clock& clock,
                         runtime::Logger& logger)
    : source_(std::move(source)),
      client_ca_(std::move(client_ca)),
      options_(std::move(options)),
      clock_(clock),
      build_state_("TLS context", logger) {
  Snapshot empty;
  empty.problem = "no certificate yet: its source has not been read";
  publish(std::move(empty));
}

TlsProvider::~TlsProvider() {
  stop();
}

void TlsProvider::start(boost::asio::io_context& loop) {
  std::vector<std::string> directories = {source_->directory()};
  if (client_ca_) directories.push_back(client_ca_->directory());
  // Start watching before the first poll, so that no change is missed in between.
  follower_ = std::make_unique<aio::FileFollower>(loop, std::move(directories), options_.follower,
                                                  [this] { poll(); });
  poll();
}

void TlsProvider::stop() {
  follower_.reset();
}

void TlsProvider::poll() {
  const bool new_certificate = source_->poll();
  const bool new_client_ca = client_ca_ && client_ca_->poll();
  if (new_certificate || new_client_ca || !snapshot()->context) rebuild();
}

void TlsProvider::rebuild() {
  Snapshot next;
  const std::shared_ptr<const CheckedPair> pair = source_->current();
  const std::shared_ptr<const ClientVerification> clients =
      client_ca_ ? client_ca_->current() : nullptr;
  if (!pair) {
    next.problem = "no certificate yet: " + source_->problem();
  } else if (client_ca_ && !clients) {
    // Client verification is required but impossible: refuse all clients.
    next.problem = "client CA unreadable: " + client_ca_->problem();
  } else {
    auto context = build_tls_context(pair->pair, options_.tls, clients.get());
    if (!context) {
      const bool in_use = snapshot()->context != nullptr;
      build_state_.refused(pair->leaf.fingerprint + context.error().text, context.error().text,
                           in_use);
      if (in_use) return;
      next.problem = "TLS cannot be set up: " + context.error().text;
    } else {
      build_state_.loaded(pair->leaf.fingerprint);
      next.context = std::move(*context);
      next.leaf = pair->leaf;
      if (clients) next.client_ca_not_after = clients->not_after;
    }
  }
  const bool can_serve = next.context != nullptr;
  publish(std::move(next));
  if (can_serve && options_.published) options_.published();
}

std::shared_ptr<SSL_CTX> TlsProvider::context() const {
  return snapshot()->context;
}

std::optional<std::string> TlsProvider::not_ready() const {
  const std::shared_ptr<const Snapshot> now_served = snapshot();
  if (!now_served->context) return now_served->problem;
  const TimePoint now = clock_.wall();
  if (std::string problem = validity_problem(now_served->leaf, now); !problem.empty()) {
    return "certificate " + problem;
  }
  if (now_served->client_ca_not_after && now > *now_served->client_ca_not_after) {
    return "client CA expired " + text::format_age(now - *now_served->client_ca_not_after) + " ago";
  }
  return std::nullopt;
}

std::optional<TimePoint> TlsProvider::not_after() const {
  const std::shared_ptr<const Snapshot> now_served = snapshot();
  if (!now_served->context) return std::nullopt;
  return now_served->leaf.not_after;
}

std::uint64_t TlsProvider::reload_errors() const {
  return source_->errors() + (client_ca_ ? client_ca_->errors() : 0) + build_state_.errors();
}

std::shared_ptr<const TlsProvider::Snapshot> TlsProvider::snapshot() const {
  const std::lock_guard lock(mutex_);
  return snapshot_;
}

void TlsProvider::publish(Snapshot snapshot) {
  auto next = std::make_shared<const Snapshot>(std::move(snapshot));
  const std::lock_guard lock(mutex_);
  snapshot_.swap(next);
}

}  // namespace dynamo::certs
