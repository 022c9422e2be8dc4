// Reports of the certificates that each replica serves. The leader uses them to find out when no
// replica needs an old CA any more. A process of Role::kAll reports in its own Lease. Servers and
// keepers report in annotations of one shared Lease.
#pragma once

#include <chrono>
#include <cstddef>
#include <functional>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "certs/managed/settings.hpp"
#include "json/document.hpp"
#include "kube/cache/store_follower.hpp"
#include "runtime/clock.hpp"
#include "runtime/log.hpp"

namespace dynamo::certs::managed {

// Maximum interval between renewals of a replica's report.
inline std::chrono::nanoseconds report_interval(const Settings& settings) {
  return settings.report_lifetime / 5;
}

// The label that selects the reports of one Service's replicas; its value is the Service.
inline constexpr std::string_view kReplicaLabel = "nvidia.com/dynamo-webhook-replica-of";
inline constexpr std::string_view kServedLeafAnnotation =
    "nvidia.com/dynamo-webhook-served-certificate";
inline constexpr std::string_view kServedCaAnnotation = "nvidia.com/dynamo-webhook-served-ca";

// Key prefix of the report annotations in the shared Lease.
inline constexpr std::string_view kReportAnnotationPrefix = "nvidia.com/dynamo-webhook-replica-";

// The certificates that one replica serves, as fingerprints.
struct ServedCertificates {
  std::string leaf;
  std::string ca;

  bool operator==(const ServedCertificates&) const = default;
};

// "SERVICE-replica-" and 16 hexadecimal digits derived from the identity; for a shared report the
// annotation's key.
std::string report_name(const Settings& settings);

// "SERVICE-replicas".
std::string shared_lease_name(const Settings& settings);

// The shared Lease without reports.
std::string shared_lease_body(const Settings& settings);

// Merge patches of the shared Lease that write and remove this replica's report.
std::string shared_report_patch(const Settings& settings, const ServedCertificates& served,
                                TimePoint now);
std::string shared_report_removal(const Settings& settings);

// A JSON patch that removes the report of a replica that no longer exists, if the report is
// unchanged since it was read.
struct ReplicaReport;
std::string shared_report_removal(const ReplicaReport& report);

// The Lease; `resource_version` is empty to create it.
std::string report_body(const Settings& settings, const ServedCertificates& served, TimePoint now,
                        std::string_view resource_version);

struct ReplicaReport {
  std::string name;
  std::string resource_version;
  ServedCertificates served;
  // The annotation's value of a report in the shared Lease; empty otherwise.
  std::string shared_value;
  bool is_of_keeper = false;
  // How long it has not changed while we observed changes of our own report. This ignores the
  // clocks of other replicas, and time in which we received nothing.
  std::chrono::nanoseconds silent{0};
};

// The reports of all replicas, including our own. On the loop's thread.
class ReportStore final : public kube::StoreFollower {
 public:
  // Size limit for all reports, more than a thousand of the usual size. Reports beyond it are
  // dropped, and is_complete() is false: a client with the right to write Leases here could create
  // any number of them.
  static constexpr std::size_t kMaxBytes = std::size_t{1} << 20U;

  // Everything given must outlive it. `changed` is called after each list and each event.
  ReportStore(const Settings& settings, const runtime::Clock& clock, runtime::Logger& logger,
              std::function<void()> changed);

  const std::vector<ReplicaReport>& reports() const { return reports_; }
  const std::string& own_name() const { return own_; }
  // True once after each deletion of our own report.
  bool take_deletion() { return std::exchange(own_was_deleted_, false); }
  // False for a replica that has been silent for so long that it counts as gone.
  bool is_live(const ReplicaReport& report) const {
    return report.silent <= settings_.silence_until_gone;
  }

 private:
  ReplicaReport* find(std::string_view name);
  void changed(const kube::StoreChange& change) override;
  void applied(Batch what) override;
  void take(const kube::Object& object);
  void take_shared(const kube::Object& object);
  void take(ReplicaReport read);
  void drop(std::string_view name);
  void note_own();

  const Settings& settings_;
  const std::string own_;
  const std::string shared_;
  const runtime::Clock& clock_;
  const std::function<void()> changed_;
  std::vector<ReplicaReport> reports_;
  bool own_was_deleted_ = false;
  std::chrono::steady_clock::time_point own_changed_at_;
};

}  // namespace dynamo::certs::managed
