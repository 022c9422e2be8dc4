#include "doctor/doctor.hpp"

#include <boost/asio/co_spawn.hpp>
#include <boost/asio/io_context.hpp>
#include <exception>
#include <optional>
#include <ostream>
#include <string>
#include <string_view>
#include <utility>

#include "doctor/checks.hpp"
#include "doctor/report.hpp"
#include "kube/config.hpp"
#include "kube/http_transport.hpp"
#include "runtime/log.hpp"

namespace dynamo::doctor {
namespace {

constexpr const char* kName = "doctor: ";

// What the client would log is in the findings.
class NoLog final : public runtime::Logger {
 public:
  void log(runtime::Level, std::string_view, std::span<const runtime::Field>) override {}
  bool enabled(runtime::Level) const override { return false; }
};

kube::Result<kube::ConnectionConfig> connection(const DoctorOptions& options,
                                                const runtime::Clock& clock) {
  if (!options.kubeconfig.empty()) {
    return kube::load_kubeconfig(options.kubeconfig, options.context, clock);
  }
  if (!options.service_host.empty()) {
    const std::string_view directory = options.service_account_directory.empty()
                                           ? kube::kServiceAccountDirectory
                                           : std::string_view(options.service_account_directory);
    return kube::load_in_cluster(directory, options.service_host, options.service_port);
  }
  kube::Error error;
  error.failure = kube::Failure::kConfig;
  error.text = "no cluster to look at: name a kubeconfig with --kubeconfig";
  return error;
}

}  // namespace

int run_doctor(const DoctorOptions& options, const runtime::Clock& clock, std::ostream& out,
               std::ostream& err) {
  constexpr int kNotAsked = 2;
  auto config = connection(options, clock);
  if (!config) {
    err << kName << config.error().text << '\n';
    return kNotAsked;
  }
  GatherOptions gathering = options.gather;
  gathering.as_server = options.kubeconfig.empty();
  NoLog log;
  boost::asio::io_context loop;
  const std::string server = config->address();
  kube::HttpTransport transport(loop, *std::move(config), {}, clock, log);
  std::optional<kube::Result<Evidence>> looked;
  std::exception_ptr defect;
  boost::asio::co_spawn(loop, gather(transport, server, gathering, clock.wall()),
                        [&](std::exception_ptr error, kube::Result<Evidence> result) {
                          defect = std::move(error);
                          looked = std::move(result);
                          loop.stop();
                        });
  loop.run_for(options.deadline);
  if (defect) std::rethrow_exception(defect);
  if (!looked) {
    err << kName << server << " did not answer everything within " << options.deadline.count()
        << " s\n";
    return kNotAsked;
  }
  if (!*looked) {
    err << kName << looked->error().text << '\n';
    return kNotAsked;
  }
  const Evidence& evidence = **looked;
  const auto findings = examine(evidence);
  out << (options.json ? json_report(evidence, findings)
                       : text_report(evidence, findings, options.color));
  return exit_code(findings);
}

}  // namespace dynamo::doctor
