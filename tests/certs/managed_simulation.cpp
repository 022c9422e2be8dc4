#include "tests/certs/managed_simulation.hpp"

#include <algorithm>

#include "certs/managed/bundle.hpp"
#include "json/writer.hpp"
#include "text/base64.hpp"

namespace dynamo::test {
namespace {

using certs::managed::Settings;

constexpr std::string_view kOurs =
    R"("service": {"namespace": "dynamo", "name": "dynamo-webhook"})";
constexpr std::string_view kElsewhere = R"("url": "https://elsewhere.example.com/")";

std::string webhook(std::string_view name, std::string_view client) {
  return R"({"name": ")" + std::string(name) + R"(", "sideEffects": "None",
             "admissionReviewVersions": ["v1"], "clientConfig": {)" +
         std::string(client) + "}}";
}

std::string configuration(std::string_view name, bool labelled, const std::string& webhooks) {
  return R"({"metadata": {"name": ")" + std::string(name) + R"(", "labels": {)" +
         (labelled ? R"("nvidia.com/dynamo-webhook-inject-ca": "true")" : "") +
         R"(}}, "webhooks": [)" + webhooks + "]}";
}

constexpr std::chrono::seconds kPatience{40};
constexpr std::chrono::seconds kStride{2};  // step of the clock while time passes

// Counts PATCHes in flight.
class CountingTransport final : public kube::Transport {
 public:
  CountingTransport(std::unique_ptr<kube::Transport> server, RequestCounter& patches)
      : server_(std::move(server)), patches_(patches) {}

  aio::Task<kube::Result<kube::Response>> send(kube::Request request) override {
    const InFlightGuard held(request.method == kube::HttpMethod::kPatch ? &patches_ : nullptr);
    co_return co_await server_->send(std::move(request));
  }
  aio::Task<kube::Result<std::unique_ptr<kube::Stream>>> open(kube::Request request) override {
    co_return co_await server_->open(std::move(request));
  }

 private:
  class InFlightGuard {
   public:
    explicit InFlightGuard(RequestCounter* counted) : counted_(counted) {
      if (counted_ != nullptr) counted_->most = std::max(counted_->most, ++counted_->now);
    }
    ~InFlightGuard() {
      if (counted_ != nullptr) --counted_->now;
    }
    InFlightGuard(const InFlightGuard&) = delete;
    InFlightGuard& operator=(const InFlightGuard&) = delete;

   private:
    RequestCounter* counted_;
  };

  std::unique_ptr<kube::Transport> server_;
  RequestCounter& patches_;
};

std::string decoded_text(json::Value value) {
  return text::decode_base64(value.string_or_empty()).value_or("");
}

}  // namespace

Replica::Replica(Simulation& simulation, Settings settings)
    : simulation_(simulation),
      settings_(std::move(settings)),
      connection_(std::make_unique<CountingTransport>(
          simulation.cluster.connect(settings_.identity), simulation.patches_)),
      client_(*connection_, simulation.deadline),
      handover_(std::make_shared<certs::managed::Handover>()),
      source_(handover_),
      certificates_(simulation.loop, client_, settings_, handover_, simulation.clock,
                    simulation.logger, [this] { source_.poll(); }),
      tasks_(simulation.loop, simulation.logger) {
  certificates_.start(tasks_);
}

Replica::~Replica() = default;

void Replica::stop() {
  tasks_.stop();
  run(simulation_.loop, certificates_.withdraw());
}

Simulation::Simulation() = default;

Simulation::~Simulation() {
  replicas_.clear();
}

Replica& Simulation::start(const std::string& name) {
  return start(managed_settings(name));
}

Replica& Simulation::start(const std::string& name, certs::managed::Role role) {
  Settings settings = managed_settings(name);
  settings.role = role;
  return start(std::move(settings));
}

Replica& Simulation::start(Settings settings) {
  replicas_.push_back(std::make_unique<Replica>(*this, std::move(settings)));
  if (replicas_.size() == 1) lead(0);
  return *replicas_.back();
}

void Simulation::kill(const std::string& name) {
  std::erase_if(replicas_, [&name](const auto& replica) { return replica->name() == name; });
}

void Simulation::kill_leader() {
  replicas_.erase(replicas_.begin());
  if (!replicas_.empty()) lead(0);
}

void Simulation::lead(std::size_t index) {
  for (std::size_t i = 0; i < replicas_.size(); ++i) {
    replicas_[i]->certificates().set_leader(i == index);
  }
}

void Simulation::add_configurations() {
  const std::string graphs = webhook("graphs.nvidia.com", kOurs);
  cluster.put(kube::kValidatingWebhookConfigurations,
              configuration("dynamo", true,
                            graphs + "," + webhook("url.nvidia.com", kElsewhere) + "," +
                                webhook("models.nvidia.com", kOurs)));
  cluster.put(kube::kValidatingWebhookConfigurations, configuration("unlabelled", false, graphs));
  cluster.put(kube::kMutatingWebhookConfigurations, configuration("dynamo", true, graphs));
}

std::string Simulation::bundle(const kube::Resource& resource, std::string_view name,
                               std::size_t webhook) const {
  const auto object = cluster.find(resource, "", name);
  std::size_t i = 0;
  for (const json::Value entry : object->root()["webhooks"].elements()) {
    if (i++ == webhook) return decoded_text(entry["clientConfig"]["caBundle"]);
  }
  return {};
}

std::vector<std::string> Simulation::bundles() const {
  std::vector<std::string> all;
  for (const kube::Resource* const resource :
       {&kube::kValidatingWebhookConfigurations, &kube::kMutatingWebhookConfigurations}) {
    const auto object = cluster.find(*resource, "", "dynamo");
    if (!object) continue;
    for (const json::Value entry : object->root()["webhooks"].elements()) {
      const json::Value config = entry["clientConfig"];
      if (config["service"].exists()) all.push_back(decoded_text(config["caBundle"]));
    }
  }
  return all;
}

std::optional<kube::Object> Simulation::secret() const {
  return cluster.find(kube::kSecrets, "dynamo", "dynamo-webhook-cert");
}

certs::managed::DecodedSecret Simulation::decoded() const {
  const auto object = secret();
  return certs::managed::decode_secret(object ? object->root() : json::Value());
}

certs::managed::RotationPhase Simulation::phase() const {
  const auto now = decoded();
  return now.content ? now.content->phase() : certs::managed::RotationPhase::kSteady;
}

void Simulation::set_secret(const std::string& text) {
  cluster.put(kube::kSecrets, text);
}

void Simulation::annotate(std::string_view wish) {
  cluster.merge(kube::kSecrets, "dynamo", "dynamo-webhook-cert",
                R"({"metadata": {"annotations": {"nvidia.com/dynamo-webhook-rotate": ")" +
                    std::string(wish) + R"("}}})");
}

std::size_t Simulation::events(std::string_view reason) {
  const auto written = [&] {
    const std::vector<kube::Object> all = cluster.all(kube::kEvents);
    return std::count_if(all.begin(), all.end(), [&](const auto& event) {
      return event.root()["reason"].string_or_empty() == reason;
    });
  };
  run_until([&] { return written() > 0; });
  return static_cast<std::size_t>(written());
}

void Simulation::step() {
  if (loop.stopped()) loop.restart();  // there was no work
  loop.run_one_for(std::chrono::milliseconds(5));
  if (checks_invariant) check_invariant();
}

bool Simulation::run_until(const std::function<bool()>& condition) {
  const auto end = std::chrono::steady_clock::now() + kPatience;
  while (!condition()) {
    if (std::chrono::steady_clock::now() > end) return false;
    step();
  }
  return true;
}

bool Simulation::pass_until(const std::function<bool()>& condition, std::chrono::seconds at_most) {
  const auto end = std::chrono::steady_clock::now() + kPatience;
  for (std::chrono::seconds passed{0}; !condition(); passed += kStride) {
    if (passed > at_most || std::chrono::steady_clock::now() > end) return false;
    clock.tick(kStride);
    // Enough for each replica to process its state once; the exact time does not matter.
    const auto enough = std::chrono::steady_clock::now() + std::chrono::milliseconds(2);
    while (std::chrono::steady_clock::now() < enough) step();
  }
  return true;
}

void Simulation::pass(std::chrono::seconds time) {
  const auto until = clock.monotonic() + time;
  pass_until([&] { return clock.monotonic() >= until; }, time * 2);
}

bool Simulation::are_all_ready() {
  return std::all_of(replicas_.begin(), replicas_.end(),
                     [](const auto& replica) { return replica->ready(); });
}

bool Simulation::is_served_by_all(std::string_view leaf) const {
  return std::all_of(replicas_.begin(), replicas_.end(),
                     [leaf](const auto& replica) { return replica->served_leaf() == leaf; });
}

void Simulation::check_invariant() {
  const auto now = clock.monotonic();
  std::vector<std::string> state = {std::to_string(cluster.calls().size()),
                                    std::to_string(now.time_since_epoch().count())};
  for (const auto& replica : replicas_) state.push_back(replica->served_leaf());
  if (!checks_each_iteration && state == looked_at_) return;
  looked_at_ = std::move(state);
  std::vector<std::string> current = bundles();
  std::sort(current.begin(), current.end());
  current.erase(std::unique(current.begin(), current.end()), current.end());
  for (const std::string& pem : in_use_) {
    // An empty bundle verified nothing before either.
    if (pem.empty()) continue;
    if (std::find(current.begin(), current.end(), pem) == current.end()) {
      used_.push_back({pem, now + lag});
    }
  }
  in_use_ = current;
  while (!used_.empty() && used_.front().until < now) used_.pop_front();
  for (const auto& replica : replicas_) {
    const auto served = replica->served();
    if (!served || !replica->ready()) continue;
    const auto check_leaf = [&](const std::string& pem, const char* which) {
      ++checks_;
      if (!verified(pem, *served) && violations_.size() < 5) {
        violations_.push_back("a caBundle that is " + std::string(which) + ", of " +
                              std::to_string(certs::managed::split_bundle(pem).size()) +
                              " CAs, does not verify what " + replica->name() + " serves");
      }
    };
    for (const std::string& pem : in_use_) check_leaf(pem, "in use");
    for (const UsedCertificate& used : used_) check_leaf(used.pem, "still in use somewhere");
  }
}

bool Simulation::verified(const std::string& pem, const certs::CheckedPair& leaf) {
  const std::string key = leaf.leaf.fingerprint + pem;
  for (const auto& [known, good] : verified_) {
    if (known == key) return good;
  }
  const bool good = certs::managed::verifies(pem, leaf.pair, {"dynamo-webhook.dynamo.svc"});
  verified_.emplace_back(key, good);
  return good;
}

}  // namespace dynamo::test
