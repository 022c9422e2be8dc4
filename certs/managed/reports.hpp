// What each replica serves, told by a Lease of its own, so that the leader knows when nobody needs
// an old CA any more.
#pragma once

#include <chrono>
#include <functional>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "certs/managed/settings.hpp"
#include "json/document.hpp"
#include "kube/informer.hpp"
#include "runtime/clock.hpp"

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

// What one replica serves, as fingerprints.
struct Served {
  std::string leaf;
  std::string ca;

  bool operator==(const Served&) const = default;
};

// "SERVICE-replica-" and 16 hexadecimal digits that stand for the identity.
std::string report_name(const Settings& settings);

// The Lease; `resource_version` is empty for one that is yet to be created.
std::string report_body(const Settings& settings, const Served& served, TimePoint now,
                        std::string_view resource_version);

struct Report {
  std::string name;
  std::string resource_version;
  Served served;
  // How long it did not change while we saw our own change: neither clocks of others count, nor the
  // time in which nothing reached us.
  std::chrono::nanoseconds silent{0};
};

// The reports of all replicas, our own among them. On the loop's thread.
class ReportStore final : public kube::InformerHandler {
 public:
  // `settings` and `clock` must outlive it.
  ReportStore(const Settings& settings, const runtime::Clock& clock, std::function<void()> changed);

  void replace(std::span<const kube::Object> objects) override;
  void upsert(const kube::Object& object) override;
  void remove(const kube::Object& object) override;

  bool synced() const { return synced_; }
  const std::vector<Report>& reports() const { return reports_; }
  // Whether our own was there and is gone; true once each time.
  bool take_loss() { return std::exchange(own_is_gone_, false); }
  // False for a replica that has been silent for so long that it counts as gone.
  bool is_live(const Report& report) const { return report.silent <= settings_.silence_until_gone; }

 private:
  Report* find(std::string_view name);
  void take(const kube::Object& object);
  template <class Condition>
  void drop(Condition is_gone);
  void note_own();

  const Settings& settings_;
  const std::string own_;
  const runtime::Clock& clock_;
  const std::function<void()> changed_;
  std::vector<Report> reports_;
  bool synced_ = false;
  bool own_is_gone_ = false;
  std::chrono::steady_clock::time_point own_changed_at_;
};

}  // namespace dynamo::certs::managed
