#include "certs/managed/certificates.hpp"

#include <memory>
#include <utility>
#include <vector>

#include "certs/managed/injector.hpp"
#include "certs/managed/managed_source.hpp"
#include "certs/managed/reporter.hpp"
#include "certs/managed/secret_synchronizer.hpp"
#include "certs/managed/view.hpp"
#include "kube/cache/informer.hpp"
#include "kube/controller/event_recorder.hpp"
#include "kube/object/resource.hpp"

namespace dynamo::certs::managed {
namespace {

kube::InformerOptions informer_options(const Settings& settings) {
  kube::InformerOptions options;
  options.first_pause = settings.first_pause;
  options.longest_pause = settings.longest_pause;
  return options;
}

kube::InformerOptions secret_options(const Settings& settings) {
  kube::InformerOptions options = informer_options(settings);
  options.namespace_name = settings.namespace_name;
  options.field_selector = "metadata.name=" + settings.secret;
  return options;
}

kube::InformerOptions target_options(const Settings& settings) {
  kube::InformerOptions options = informer_options(settings);
  options.label_selector = settings.injection_label;
  return options;
}

kube::InformerOptions report_options(const Settings& settings) {
  kube::InformerOptions options = informer_options(settings);
  options.namespace_name = settings.namespace_name;
  if (!is_keeper(settings)) {
    // Because the right to read it is limited to its name.
    options.field_selector = "metadata.name=" + shared_lease_name(settings);
    return options;
  }
  options.label_selector = std::string(kReplicaLabel) + "=" + settings.service;
  return options;
}

kube::EventRecorderOptions event_options(const Settings& settings) {
  kube::EventRecorderOptions options;
  options.controller = "dynamo-webhook";
  options.instance = settings.identity;
  options.deadline = settings.patience;
  options.first_pause = settings.first_pause;
  options.longest_pause = settings.longest_pause;
  options.tick = settings.tick;
  return options;
}

}  // namespace

struct Certificates::Impl {
  Impl(boost::asio::io_context& loop, kube::Client& client, Settings given,
       std::shared_ptr<Handover> given_handover, const runtime::Clock& clock,
       runtime::Logger& given_logger, std::function<void()> handover_changed)
      : settings(std::move(given)),
        logger(given_logger),
        handover(std::move(given_handover)),
        view(settings, clock, logger, [this] { ring(); }),
        events(loop.get_executor(), client, clock, logger, event_options(settings)),
        dependencies{loop, client, settings, clock, logger, handover->stats, events},
        synchronizer(dependencies, view, *handover,
                     [this, changed = std::move(handover_changed)] {
                       changed();
                       ring();
                     }),
        injector(dependencies, view),
        reporter(dependencies, view),
        secrets(client, kube::kSecrets, secret_options(settings), view.secret, logger),
        reports(client, kube::kLeases, report_options(settings), view.reports, logger) {
    for (TargetStore& store : view.targets) {
      targets.push_back(std::make_unique<kube::Informer>(client, store.resource(),
                                                         target_options(settings), store, logger));
    }
  }

  void ring() {
    synchronizer.ring();
    injector.ring();
    reporter.ring();
    handover->stats.unverified.store(view.note_verified());
  }

  // The informers without a first list, and why.
  std::string unsynced() const {
    const auto not_listed = [](const char* what, const kube::Informer& informer) {
      return std::string(what) + " not listed yet" +
             (informer.last_error().empty() ? "" : ": " + informer.last_error());
    };
    if (!secrets.is_synced()) return not_listed("the certificates' Secret was", secrets);
    if (!reports.is_synced()) return not_listed("the replicas' Leases were", reports);
    for (const auto& informer : targets) {
      if (!informer->is_synced())
        return not_listed("the configurations that call us were", *informer);
    }
    return {};
  }

  void warn_of_no_target() {
    logger.log(runtime::Level::kWarning, "no webhook configuration to write the caBundle into",
               {{"label", settings.injection_label},
                {"service", settings.namespace_name + "/" + settings.service}});
  }

  const Settings settings;
  runtime::Logger& logger;
  const std::shared_ptr<Handover> handover;
  View view;
  kube::EventRecorder events;
  const Dependencies dependencies;
  SecretSynchronizer synchronizer;
  Injector injector;
  ReplicaReporter reporter;
  kube::Informer secrets;
  kube::Informer reports;
  std::vector<std::unique_ptr<kube::Informer>> targets;
  bool was_ready = false;
};

Certificates::Certificates(boost::asio::io_context& loop, kube::Client& client, Settings settings,
                           std::shared_ptr<Handover> handover, const runtime::Clock& clock,
                           runtime::Logger& logger, std::function<void()> handover_changed)
    : impl_(std::make_unique<Impl>(loop, client, std::move(settings), std::move(handover), clock,
                                   logger, std::move(handover_changed))) {}

Certificates::~Certificates() = default;

void Certificates::start(aio::TaskGroup& tasks) {
  Impl* const impl = impl_.get();
  tasks.spawn("informer of the certificates' Secret", [impl] { return impl->secrets.run(); });
  tasks.spawn("informer of the replicas' Leases", [impl] { return impl->reports.run(); });
  for (const auto& informer : impl->targets) {
    tasks.spawn("informer of caBundles", [target = informer.get()] { return target->run(); });
  }
  tasks.spawn("keeper of the certificates' Secret", [impl] { return impl->synchronizer.run(); });
  tasks.spawn("reporter of this replica", [impl] { return impl->reporter.run(); });
  if (!is_keeper(impl->settings)) return;
  for (const Lane lane : kLanes) {
    tasks.spawn("injector of caBundles", [impl, lane] { return impl->injector.run(lane); });
  }
  impl->events.start(tasks);
}

void Certificates::set_leader(bool is_leader) {
  impl_->synchronizer.set_leader(is_leader);
  impl_->injector.set_leader(is_leader);
  impl_->reporter.set_leader(is_leader);
}

std::optional<std::string> Certificates::not_ready() {
  Impl& impl = *impl_;
  if (impl.was_ready) return std::nullopt;
  if (std::string problem = impl.unsynced(); !problem.empty()) return problem;
  if (!is_server(impl.settings)) {
    if (!impl.view.has_targets()) impl.warn_of_no_target();
    impl.was_ready = true;
    return std::nullopt;
  }
  if (!impl.view.served) return impl.handover->problem;
  if (std::string problem = impl.reporter.problem(); !problem.empty()) return problem;
  if (!impl.view.is_verified_by_all(*impl.view.served, impl.view.served_ca.facts.fingerprint) &&
      !is_keeper(impl.settings)) {
    return "the keeper has not noted on the Secret " + secret_name(impl.settings) +
           " that every caBundle verifies the served certificate; see the log of dynamo-webhook "
           "--role keeper";
  }
  const std::vector<std::string> unverified = impl.view.unverified(impl.view.served->pair);
  if (!unverified.empty()) {
    return "caBundle of " + unverified.front() + " does not verify the served certificate" +
           (unverified.size() > 1 ? ", nor do " + std::to_string(unverified.size() - 1) + " more"
                                  : "");
  }
  // Other replicas serve a leaf of another CA, so an API server may still be using an older
  // caBundle.
  if (!impl.view.is_served_by_all(impl.view.served_ca.facts.fingerprint) &&
      impl.view.verified_for() < impl.settings.settle) {
    return "every caBundle verifies the served certificate, but not for long enough yet";
  }
  if (is_keeper(impl.settings) && !impl.view.has_targets()) impl.warn_of_no_target();
  impl.was_ready = true;
  return std::nullopt;
}

aio::Task<> Certificates::withdraw() {
  co_await impl_->reporter.withdraw();
  if (!is_keeper(impl_->settings)) co_return;
  constexpr std::chrono::seconds kLastWords{1};
  co_await impl_->events.flush(kLastWords);
}

}  // namespace dynamo::certs::managed
