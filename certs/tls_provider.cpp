#include "certs/tls_provider.hpp"

#include <boost/asio/io_context.hpp>
#include <boost/asio/steady_timer.hpp>
#include <utility>

#include "certs/directory_watch.hpp"

namespace dynamo::certs {

// What runs between start() and stop(). Handlers share it, so that one that is still queued when
// the provider goes finds `provider` empty instead of a dangling object.
struct TlsProvider::Loop : std::enable_shared_from_this<Loop> {
  Loop(boost::asio::io_context& context, TlsProvider& owner)
      : provider(&owner), interval_timer(context), settle_timer(context) {}

  void begin(boost::asio::io_context& context) {
    std::vector<std::string> directories = {provider->source_->directory()};
    if (provider->client_ca_) directories.push_back(provider->client_ca_->directory());
    watch.emplace(context, std::move(directories), [this] { settle(); });
    wait_interval();
  }

  void end() {
    provider = nullptr;
    watch.reset();
    interval_timer.cancel();
    settle_timer.cancel();
  }

  void wait_interval() {
    interval_timer.expires_after(provider->options_.poll_interval);
    interval_timer.async_wait([self = shared_from_this()](const boost::system::error_code& error) {
      if (error || self->provider == nullptr) return;
      // Before the look, so that no change falls between the two.
      self->watch->renew();
      self->provider->poll();
      self->wait_interval();
    });
  }

  // Events that come while a look is due do not put it off.
  void settle() {
    if (settling) return;
    settling = true;
    settle_timer.expires_after(provider->options_.settle_delay);
    settle_timer.async_wait([self = shared_from_this()](const boost::system::error_code& error) {
      self->settling = false;
      if (error || self->provider == nullptr) return;
      self->watch->renew();
      self->provider->poll();
    });
  }

  TlsProvider* provider;
  boost::asio::steady_timer interval_timer;
  boost::asio::steady_timer settle_timer;
  std::optional<DirectoryWatch> watch;
  bool settling = false;
};

TlsProvider::TlsProvider(std::unique_ptr<Source> source, std::unique_ptr<ClientCa> client_ca,
                         TlsProviderOptions options, const runtime::Clock& clock,
                         runtime::Logger& logger)
    : source_(std::move(source)),
      client_ca_(std::move(client_ca)),
      options_(std::move(options)),
      clock_(clock),
      build_state_("TLS context", logger) {
  Snapshot empty;
  empty.problem = "no certificate yet: none was looked for";
  publish(std::move(empty));
}

TlsProvider::~TlsProvider() {
  stop();
}

void TlsProvider::start(boost::asio::io_context& loop) {
  stop();
  loop_ = std::make_shared<Loop>(loop, *this);
  // Watching begins before the first look, so that no change falls between the two.
  loop_->begin(loop);
  poll();
}

void TlsProvider::stop() {
  if (!loop_) return;
  loop_->end();
  loop_.reset();
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
    // Asked to check clients and not able to: nobody is let in.
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
  publish(std::move(next));
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
    return "client CA expired " + format_age(now - *now_served->client_ca_not_after) + " ago";
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
