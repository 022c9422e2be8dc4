#include "process/probes.hpp"

#include <algorithm>
#include <utility>

#include "runtime/metrics.hpp"

namespace dynamo::process {

namespace {

PlainAnswer not_found(std::string_view known) {
  return {404, PlainAnswer{}.content_type,
          "the path must be " + std::string(known) + ", found another\n"};
}

bool has_parameter(std::string_view query, std::string_view name) {
  while (!query.empty()) {
    const std::string_view parameter = query.substr(0, query.find('&'));
    if (parameter.substr(0, parameter.find('=')) == name) return true;
    query.remove_prefix(std::min(query.size(), parameter.size() + 1));
  }
  return false;
}

}  // namespace

void Probes::add(std::string name, HealthCheck check) {
  readiness_.push_back({std::move(name), std::move(check)});
}

void Probes::add_liveness(std::string name, HealthCheck check) {
  liveness_.push_back({std::move(name), std::move(check)});
}

PlainAnswer Probes::answer(std::string_view path, std::string_view query) const {
  const bool is_verbose = has_parameter(query, "verbose");
  if (path == "/healthz") return answer_of(liveness_, "healthz", is_verbose);
  if (path == "/readyz") return answer_of(readiness_, "readyz", is_verbose);
  return not_found("/healthz or /readyz");
}

PlainAnswer Probes::answer_of(const std::vector<NamedCheck>& checks, std::string_view endpoint,
                              bool is_verbose) {
  std::string lines;
  bool is_well = true;
  for (const NamedCheck& named : checks) {
    const std::optional<std::string> reason = named.check();
    if (reason) {
      is_well = false;
      lines += "[-]" + named.name + " failed: " + *reason + "\n";
    } else {
      lines += "[+]" + named.name + " ok\n";
    }
  }
  const std::string outcome = std::string(endpoint) + " check ";
  if (!is_well) return {503, PlainAnswer{}.content_type, lines + outcome + "failed\n"};
  return {200, PlainAnswer{}.content_type, is_verbose ? lines + outcome + "passed\n" : "ok\n"};
}

PlainHandler metrics_handler(std::function<std::string()> text) {
  return [text = std::move(text)](std::string_view path, std::string_view) -> PlainAnswer {
    if (path != "/metrics") return not_found("/metrics");
    return {200, std::string(runtime::kMetricsContentType), text()};
  };
}

}  // namespace dynamo::process
