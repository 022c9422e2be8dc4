// What each replica serves, so that the leader knows when no replica needs an old CA any more. A
// process of Role::kAll reports in a Lease of its own. Servers and keepers report in annotations of
// one shared Lease.
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
#include "kube/store_follower.hpp"
#include "runtime/clock.hpp"
#include "runtime/log.hpp"

namespace dynamo::certs::managed {

// How often a replica renews its report at least.
inline std::chrono::nanoseconds report_interval(const Settings& settings) {
  return settings.report_lifetime / 5;
}

// The label by which the reports of one Service's replicas are found; its value is the Service.
inline constexpr std::string_view kReplicaLabel = "nvidia.com/dynamo-webhook-replica-of";
inline constexpr std::string_view kServedLeafAnnotation =
    "nvidia.com/dynamo-webhook-served-certificate";
inline constexpr std::string_view kServedCaAnnotation = "nvidia.com/dynamo-webhook-served-ca";

// Begins the key of each annotation of the shared Lease that is a report.
inline constexpr std::string_view kReportAnnotationPrefix = "nvidia.com/dynamo-webhook-replica-";

// What one replica serves, as fingerprints.
struct Served {
  std::string leaf;
  std::string ca;

  bool operator==(const Served&) const = default;
};

// "SERVICE-replica-" and 16 hexadecimal digits that stand for the identity; of a shared report the
// annotation's key.
std::string report_name(const Settings& settings);

// "SERVICE-replicas".
std::string shared_lease_name(const Settings& settings);

// The shared Lease without reports.
std::string shared_lease_body(const Settings& settings);

// A merge patch of the shared Lease that writes this replica's report, and one that removes it.
std::string shared_report_patch(const Settings& settings, const Served& served, TimePoint now);
std::string shared_report_removal(const Settings& settings);

// A JSON patch that removes a report of a replica that is gone, if it is still the one that was
// seen.
struct Report;
std::string shared_report_removal(const Report& report);

// The Lease; `resource_version` is empty for one that is yet to be created.
std::string report_body(const Settings& settings, const Served& served, TimePoint now,
                        std::string_view resource_version);

struct Report {
  std::string name;
  std::string resource_version;
  Served served;
  // Of a report in the shared Lease: the annotation's value; empty otherwise.
  std::string shared_value;
  bool is_of_keeper = false;
  // How long it did not change while we saw our own change: neither clocks of others count, nor the
  // time in which nothing reached us.
  std::chrono::nanoseconds silent{0};
};

// The reports of all replicas, our own among them. On the loop's thread.
class ReportStore final : public kube::StoreFollower {
 public:
  // Of all reports, more than a thousand of the usual size. What is beyond is not looked at, and
  // is_complete() says so: whoever may write Leases here could make any number of them.
  static constexpr std::size_t kMostBytes = std::size_t{1} << 20U;

  // Everything given must outlive it. `changed` is called after each list and each event.
  ReportStore(const Settings& settings, const runtime::Clock& clock, runtime::Logger& logger,
              std::function<void()> changed);

  const std::vector<Report>& reports() const { return reports_; }
  const std::string& own_name() const { return own_; }
  // Whether our own was there and is gone; true once each time.
  bool take_loss() { return std::exchange(own_is_gone_, false); }
  // False for a replica that has been silent for so long that it counts as gone.
  bool is_live(const Report& report) const { return report.silent <= settings_.silence_until_gone; }

 private:
  Report* find(std::string_view name);
  void changed(const kube::StoreChange& change) override;
  void told(Told what) override;
  void take(const kube::Object& object);
  void take_shared(const kube::Object& object);
  void take(Report read);
  void drop(std::string_view name);
  void note_own();

  const Settings& settings_;
  const std::string own_;
  const std::string shared_;
  const runtime::Clock& clock_;
  const std::function<void()> changed_;
  std::vector<Report> reports_;
  bool own_is_gone_ = false;
  std::chrono::steady_clock::time_point own_changed_at_;
};

}  // namespace dynamo::certs::managed
