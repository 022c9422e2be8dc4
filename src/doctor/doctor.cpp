#include "doctor/doctor.hpp"

#include <boost/asio/co_spawn.hpp>
#include <boost/asio/io_context.hpp>
#include <chrono>
#include <exception>
#include <memory>
#include <ostream>
#include <string>
#include <string_view>
#include <utility>

#include "doctor/checks.hpp"
#include "doctor/connect.hpp"
#include "doctor/endpoints.hpp"
#include "doctor/report.hpp"
#include "kube/http/http_transport.hpp"
#include "runtime/build_info.hpp"

namespace dynamo::doctor {
namespace {

constexpr const char* kName = "doctor: ";

constexpr int kNotAsked = 2;

// Programs that read the output still get one JSON object.
int not_asked(const DoctorOptions& options, const Evidence& evidence, const std::string& why,
              std::ostream& out, std::ostream& err) {
  err << kName << why << '\n';
  if (options.json) out << json_report(evidence, {}, why);
  return kNotAsked;
}

struct GatherState {
  bool is_over = false;
  kube::Result<void> result;
  std::exception_ptr defect;
};

}  // namespace

int run_doctor(const DoctorOptions& options, kube::Transport& transport,
               boost::asio::io_context& loop, const std::string& server,
               const runtime::Clock& clock, std::ostream& out, std::ostream& err) {
  // Shared with the coroutine, which may still exist after the deadline.
  const auto evidence = std::make_shared<Evidence>();
  const auto state = std::make_shared<GatherState>();
  boost::asio::co_spawn(
      loop, gather(transport, server, options.gather, clock.wall(), evidence),
      [state, &loop](std::exception_ptr defect, kube::Result<void> result) {
        *state = {.is_over = true, .result = std::move(result), .defect = std::move(defect)};
        loop.stop();
      });
  loop.restart();
  loop.run_for(options.deadline);
  if (state->defect) std::rethrow_exception(state->defect);
  if (state->is_over && !state->result) {
    return not_asked(options, *evidence, state->result.error().text, out, err);
  }
  std::string error;
  if (!state->is_over) {
    const auto limit = std::chrono::ceil<std::chrono::seconds>(options.deadline);
    error = server + " did not answer everything within " + std::to_string(limit.count()) + " s";
    err << kName << error << '\n';
  }
  const auto findings = examine(*evidence);
  out << (options.json ? json_report(*evidence, findings, error)
                       : text_report(*evidence, findings, options.color));
  const int code = exit_code(findings);
  return code == 0 && !state->is_over ? kNotAsked : code;
}

int run_doctor(const DoctorOptions& options, const runtime::Clock& clock, std::ostream& out,
               std::ostream& err) {
  auto config = find_cluster({.kubeconfig = options.kubeconfig,
                              .kubeconfig_source = options.kubeconfig_source,
                              .context = options.context,
                              .service_host = options.service_host,
                              .service_port = options.service_port,
                              .service_account_directory = options.service_account_directory},
                             clock);
  if (!config) {
    Evidence none;
    none.now = clock.wall();
    return not_asked(options, none, config.error().text, out, err);
  }
  DoctorOptions asking = options;
  asking.gather.as_server = options.kubeconfig.empty();
  // With a kubeconfig it is the context's namespace, which is unrelated to the server.
  if (asking.gather.as_server) asking.gather.pod_namespace = config->namespace_name;
  NoLog log;
  boost::asio::io_context loop;
  const std::string server = config->address();
  kube::HttpTransportOptions transport_options;
  transport_options.user_agent = runtime::user_agent(kDoctorName);
  kube::HttpTransport transport(loop, *std::move(config), std::move(transport_options), clock, log);
  return run_doctor(asking, transport, loop, server, clock, out, err);
}

}  // namespace dynamo::doctor
