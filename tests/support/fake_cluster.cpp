#include "tests/support/fake_cluster.hpp"

#include <algorithm>
#include <boost/asio/post.hpp>
#include <boost/asio/redirect_error.hpp>
#include <boost/asio/steady_timer.hpp>
#include <boost/asio/this_coro.hpp>
#include <boost/asio/use_awaitable.hpp>

#include "json/writer.hpp"
#include "tests/support/fake_server.hpp"

namespace dynamo::test {
namespace {

namespace asio = boost::asio;

class FakeStream final : public kube::Stream {
 public:
  explicit FakeStream(std::shared_ptr<Channel> channel) : channel_(std::move(channel)) {}
  ~FakeStream() override { channel_->end = error_of(kube::FailureKind::kClosed, "closed by us"); }
  FakeStream(const FakeStream&) = delete;
  FakeStream& operator=(const FakeStream&) = delete;

  aio::Task<kube::Result<std::string>> next_line(std::chrono::milliseconds idle) override {
    const auto channel = channel_;
    channel->arrival.expires_after(idle);
    for (;;) {
      if (!channel->lines.empty()) {
        std::string line = std::move(channel->lines.front());
        channel->lines.pop_front();
        co_return line;
      }
      if (channel->end) co_return *channel->end;
      boost::system::error_code woken;
      co_await channel->arrival.async_wait(asio::redirect_error(asio::use_awaitable, woken));
      if (!woken) co_return error_of(kube::FailureKind::kDeadline, "no line in time");
      const auto state = co_await asio::this_coro::cancellation_state;
      if (state.cancelled() != asio::cancellation_type::none) {
        co_return error_of(kube::FailureKind::kCancelled, "cancelled");
      }
    }
  }

 private:
  std::shared_ptr<Channel> channel_;
};

kube::Object object_of(const Tree& tree) {
  return kube::Object::parse(tree.to_text()).value();
}

class FakeTransport final : public kube::Transport {
 public:
  FakeTransport(FakeCluster::Server& server, std::string client)
      : server_(server), client_(std::move(client)) {}

  aio::Task<kube::Result<kube::Response>> send(kube::Request request) override {
    const std::chrono::milliseconds deadline = request.deadline;
    const Call call = call_of(std::move(request));
    co_await yield_randomly();
    auto gone = co_await arrive(call, deadline);
    if (gone) co_return *gone;
    const auto fault = server_.fault_for(call);
    if (fault && fault->kind == Fault::Kind::kRefused) {
      co_return error_of(kube::FailureKind::kConnect, "connection refused");
    }
    if (fault && fault->kind == Fault::Kind::kNever) co_return co_await silence(deadline);
    kube::Response response;
    if (fault && fault->kind != Fault::Kind::kLostAnswer) {
      response = response_of(*fault);
    } else {
      const Answer answer = server_.answer(call);
      response.status = answer.status;
      response.body = answer.body;
      if (server_.clock != nullptr) {
        response.date = std::chrono::floor<std::chrono::seconds>(server_.clock->wall());
      }
    }
    co_await yield_randomly();
    if (fault && fault->kind == Fault::Kind::kLostAnswer) {
      co_return error_of(kube::FailureKind::kConnect, "the connection broke before the answer");
    }
    co_return response;
  }

  aio::Task<kube::Result<std::unique_ptr<kube::Stream>>> open(kube::Request request) override {
    const std::chrono::milliseconds deadline = request.deadline;
    const Call call = call_of(std::move(request));
    co_await yield_randomly();
    auto gone = co_await arrive(call, deadline);
    if (gone) co_return *gone;
    const auto fault = server_.fault_for(call);
    if (fault &&
        (fault->kind == Fault::Kind::kRefused || fault->kind == Fault::Kind::kLostAnswer)) {
      co_return error_of(kube::FailureKind::kConnect, "connection refused");
    }
    if (fault && fault->kind == Fault::Kind::kNever) co_return co_await silence(deadline);
    const auto executor = co_await boost::asio::this_coro::executor;
    if (fault && fault->kind == Fault::Kind::kBody) {
      auto channel = std::make_shared<Channel>(executor, call, Selection());
      channel->push(fault->body);
      channel->finish(error_of(kube::FailureKind::kClosed, "the watch has ended"));
      co_return std::unique_ptr<kube::Stream>(std::make_unique<FakeStream>(std::move(channel)));
    }
    Answer refused;
    std::optional<std::chrono::seconds> retry_after;
    if (fault) {
      const kube::Response response = response_of(*fault);
      refused = {response.status, response.body};
      retry_after = response.retry_after;
    } else {
      auto opened = server_.open_watch(call, executor);
      if (auto* channel = std::get_if<std::shared_ptr<Channel>>(&opened)) {
        co_return std::unique_ptr<kube::Stream>(std::make_unique<FakeStream>(std::move(*channel)));
      }
      refused = std::get<Answer>(opened);
    }
    kube::Error error = error_of(kube::FailureKind::kStatus, refused.body);
    error.http_status = refused.status;
    error.retry_after = retry_after;
    co_return error;
  }

 private:
  Call call_of(kube::Request request) const {
    Call call;
    call.client = client_;
    call.method = request.method;
    call.target = std::move(request.target);
    call.accept = std::move(request.accept);
    call.content_type = std::move(request.content_type);
    call.body = std::move(request.body);
    return call;
  }

  static kube::Response response_of(const Fault& fault) {
    kube::Response response;
    response.status = fault.kind == Fault::Kind::kBody ? 200 : fault.status;
    response.retry_after = fault.retry_after;
    if (fault.kind == Fault::Kind::kBody) {
      response.body = fault.body;
    } else if (fault.reason.empty()) {
      response.body = "<html>no Status\nat all</html>";
    } else {
      const std::string why = fault.body.empty() ? "as the test wants it" : fault.body;
      response.body = refusal(fault.status, fault.reason, why).body;
    }
    return response;
  }

  // Records the call; returns an error if the call does not reach the server.
  aio::Task<std::optional<kube::Error>> arrive(const Call& call, std::chrono::milliseconds left) {
    server_.calls.push_back(call);
    if (left <= std::chrono::milliseconds::zero()) {
      co_return error_of(kube::FailureKind::kDeadline, "no time is left");
    }
    if (!server_.reaches(client_)) {
      co_return error_of(kube::FailureKind::kConnect, "connection refused");
    }
    server_.act_before(call);
    co_return std::nullopt;
  }

  aio::Task<> yield_randomly() {
    if (!server_.interleaving) co_return;
    const auto count = (*server_.interleaving)() % 4;
    const auto executor = co_await boost::asio::this_coro::executor;
    for (std::size_t i = 0; i < count; ++i) {
      co_await boost::asio::post(executor, boost::asio::use_awaitable);
    }
  }

  static aio::Task<kube::Error> silence(std::chrono::milliseconds deadline) {
    boost::asio::steady_timer timer(co_await boost::asio::this_coro::executor, deadline);
    boost::system::error_code woken;
    co_await timer.async_wait(boost::asio::redirect_error(boost::asio::use_awaitable, woken));
    co_return woken ? error_of(kube::FailureKind::kCancelled, "cancelled")
                    : error_of(kube::FailureKind::kDeadline, "no answer in time");
  }

  FakeCluster::Server& server_;
  const std::string client_;
};

void must_succeed(const Answer& answer) {
  if (answer.status >= 300) throw std::invalid_argument(answer.body);
}

}  // namespace

bool Match::fits(const Call& call) const {
  return (!method || *method == call.method) && call.target.find(path) != std::string::npos &&
         (client.empty() || client == call.client);
}

FakeCluster::FakeCluster(const runtime::Clock* clock) : server_(std::make_unique<Server>(clock)) {}

FakeCluster::~FakeCluster() = default;

std::unique_ptr<kube::Transport> FakeCluster::connect(std::string client) {
  return std::make_unique<FakeTransport>(*server_, std::move(client));
}

kube::Object FakeCluster::put(const kube::Resource& resource, std::string_view json,
                              std::string_view manager) {
  Tree object = Tree::parse(json);
  if (!object.is_object()) throw std::invalid_argument("no JSON object: " + std::string(json));
  object["metadata"].erase("resourceVersion");
  if (object.find("apiVersion") == nullptr) {
    object["apiVersion"] = Tree::string(resource.api_version());
  }
  if (object.find("kind") == nullptr) object["kind"] = Tree::string(resource.kind);
  const std::string ns = object.at({"metadata", "namespace"});
  const std::string name = object.at({"metadata", "name"});
  const bool exists = find(resource, ns, name).has_value();
  const Address address = Address::of(resource.path(ns, exists ? name : ""));
  const Answer answer =
      server_->store.handle(exists ? kube::HttpMethod::kPut : kube::HttpMethod::kPost, address, "",
                            "", object.to_text(), std::string(manager));
  must_succeed(answer);
  return kube::Object::parse(answer.body).value();
}

kube::Object FakeCluster::merge(const kube::Resource& resource, std::string_view namespace_name,
                                std::string_view name, std::string_view json,
                                std::string_view manager) {
  const Answer answer = server_->store.handle(
      kube::HttpMethod::kPatch, Address::of(resource.path(namespace_name, name)), "",
      "application/merge-patch+json", std::string(json), std::string(manager));
  must_succeed(answer);
  return kube::Object::parse(answer.body).value();
}

void FakeCluster::erase(const kube::Resource& resource, std::string_view namespace_name,
                        std::string_view name) {
  must_succeed(server_->store.handle(kube::HttpMethod::kDelete,
                                     Address::of(resource.path(namespace_name, name)), "", "", "",
                                     "someone"));
}

std::optional<kube::Object> FakeCluster::find(const kube::Resource& resource,
                                              std::string_view namespace_name,
                                              std::string_view name) const {
  const Address address = Address::of(resource.path(namespace_name, name));
  const Tree* found =
      server_->store.find(address.collection(), address.namespace_name, std::string(name));
  if (found == nullptr) return std::nullopt;
  return object_of(*found);
}

std::vector<kube::Object> FakeCluster::all(const kube::Resource& resource) const {
  std::vector<kube::Object> objects;
  for (const Tree& tree : server_->store.all(Address::of(resource.path()).collection())) {
    objects.push_back(object_of(tree));
  }
  return objects;
}

std::uint64_t FakeCluster::version() const {
  return server_->store.version();
}

std::vector<std::string> FakeCluster::managers(const kube::Resource& resource,
                                               std::string_view namespace_name,
                                               std::string_view name,
                                               std::string_view field) const {
  const Address address = Address::of(resource.path(namespace_name, name));
  return server_->store.managers(address.collection(), address.namespace_name, std::string(name),
                                 field);
}

void FakeCluster::set_groups(std::vector<std::string> groups) {
  server_->groups = std::move(groups);
}

void FakeCluster::rewrite(const kube::Resource& resource, std::string_view json) {
  server_->store.rewrite(Address::of(resource.path()).collection(), Tree::parse(json));
}

void FakeCluster::set_version(std::string major, std::string minor) {
  server_->major = std::move(major);
  server_->minor = std::move(minor);
}

void FakeCluster::set_aggregated_discovery(bool aggregated) {
  server_->aggregated = aggregated;
}

void FakeCluster::forbid(std::string verb, std::string plural) {
  server_->forbidden.emplace_back(std::move(verb), std::move(plural));
}

void FakeCluster::allow_all() {
  server_->forbidden.clear();
}

void FakeCluster::fail(Match match, Fault fault, std::size_t times) {
  if (times != 0) server_->faults.push_back({std::move(match), std::move(fault), times});
}

void FakeCluster::set_reachable(bool reachable, std::string client) {
  if (reachable) {
    std::erase(server_->unreachable, client);
    return;
  }
  Match match;
  match.client = client;
  server_->unreachable.push_back(std::move(client));
  cut_watches(Cut::kReset, match);
}

void FakeCluster::before(Match match, std::function<void()> action) {
  server_->actions.push_back({std::move(match), std::move(action)});
}

void FakeCluster::interleave(std::optional<std::uint64_t> seed) {
  server_->interleaving.reset();
  if (seed) server_->interleaving.emplace(*seed);
}

std::size_t FakeCluster::watches() const {
  return static_cast<std::size_t>(std::ranges::count_if(server_->channels, [](const auto& weak) {
    const auto channel = weak.lock();
    return channel && !channel->end;
  }));
}

void FakeCluster::cut_watches(Cut how, const Match& match) {
  server_->each(match, [&](Channel& channel) {
    if (how == Cut::kEnd) {
      channel.finish(error_of(kube::FailureKind::kClosed, "the watch has ended"));
      return;
    }
    if (how == Cut::kHalfLine) channel.push(R"({"type":"MODIFIED","object":{"kind":"Le)");
    channel.finish(error_of(kube::FailureKind::kConnect, "connection reset by peer"));
  });
}

void FakeCluster::send_line(std::string line, const Match& match) {
  server_->each(match, [&](Channel& channel) { channel.push(line); });
}

void FakeCluster::send_bookmarks() {
  server_->each({}, [&](Channel& channel) {
    if (!channel.bookmarks) return;
    Tree object = Tree::object();
    object["metadata"]["resourceVersion"] = Tree::string(std::to_string(server_->store.version()));
    channel.push(event_line("BOOKMARK", object));
  });
}

void FakeCluster::compact(bool reported_in_event) {
  server_->expired_in_event = reported_in_event;
  server_->store.compact();
}

void FakeCluster::expire_watches() {
  server_->each({}, [](Channel& channel) {
    channel.push(expired_line());
    channel.finish(error_of(kube::FailureKind::kClosed, "the watch has ended"));
  });
}

void FakeCluster::silence_watches() {
  server_->each({}, [](Channel& channel) { channel.silent = true; });
}

const std::vector<Call>& FakeCluster::calls() const {
  return server_->calls;
}

std::size_t FakeCluster::count(const Match& match) const {
  return static_cast<std::size_t>(
      std::ranges::count_if(server_->calls, [&](const Call& call) { return match.fits(call); }));
}

void FakeCluster::clear_calls() {
  server_->calls.clear();
}

bool run_until(boost::asio::io_context& loop, const std::function<bool()>& condition) {
  const auto end = std::chrono::steady_clock::now() + std::chrono::minutes(1);
  loop.restart();
  while (!condition()) {
    if (std::chrono::steady_clock::now() >= end) return false;
    if (loop.run_one_until(end) == 0 && loop.stopped()) return condition();
  }
  return true;
}

}  // namespace dynamo::test
