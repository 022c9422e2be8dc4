#include "certs/managed/reports.hpp"

#include <algorithm>
#include <utility>

#include "certs/reload_state.hpp"
#include "json/writer.hpp"
#include "text/micro_time.hpp"

namespace dynamo::certs::managed {
namespace {

std::string hexadecimal(std::string_view bytes) {
  static constexpr std::string_view kDigits = "0123456789abcdef";
  std::string text;
  for (const char c : bytes) {
    const auto byte = static_cast<unsigned char>(c);
    text += kDigits[byte >> 4U];
    text += kDigits[byte & 0x0fU];
  }
  return text;
}

Report read_report(const kube::Object& object) {
  const json::Value annotations = object.root()["metadata"]["annotations"];
  return {std::string(object.name()), std::string(object.resource_version()),
          Served{std::string(annotations[kServedLeafAnnotation].string_or_empty()),
                 std::string(annotations[kServedCaAnnotation].string_or_empty())},
          std::chrono::nanoseconds(0)};
}

kube::StoreOptions store_options() {
  kube::StoreOptions options;
  options.most_bytes = ReportStore::kMostBytes;
  return options;
}

}  // namespace

std::string report_name(const Settings& settings) {
  constexpr std::size_t kBytes = 8;
  const std::string digest = ContentDigest().add(settings.identity).finish();
  return settings.service + "-replica-" + hexadecimal(std::string_view(digest).substr(0, kBytes));
}

std::string report_body(const Settings& settings, const Served& served, TimePoint now,
                        std::string_view resource_version) {
  std::string text;
  json::Writer writer(text);
  writer.start_object();
  writer.member("apiVersion", kube::kLeases.api_version()).member("kind", kube::kLeases.kind);
  writer.key("metadata").start_object();
  writer.member("name", report_name(settings)).member("namespace", settings.namespace_name);
  if (!resource_version.empty()) writer.member("resourceVersion", resource_version);
  writer.key("labels").start_object();
  writer.member("app.kubernetes.io/managed-by", "dynamo-webhook");
  writer.member(kReplicaLabel, settings.service).end_object();
  writer.key("annotations").start_object();
  writer.member(kServedLeafAnnotation, served.leaf).member(kServedCaAnnotation, served.ca);
  writer.end_object().end_object();
  writer.key("spec").start_object();
  writer.member("holderIdentity", settings.identity);
  writer.key("leaseDurationSeconds").integer(settings.report_lifetime.count());
  writer.member("renewTime", text::format_micro_time(now));
  writer.end_object().end_object();
  return text;
}

ReportStore::ReportStore(const Settings& settings, const runtime::Clock& clock,
                         runtime::Logger& logger, std::function<void()> changed)
    : StoreFollower(kube::kLeases, store_options(), logger),
      settings_(settings),
      own_(report_name(settings)),
      clock_(clock),
      changed_(std::move(changed)),
      own_changed_at_(clock.monotonic()) {}

void ReportStore::changed(const kube::StoreChange& change) {
  if (change.now != nullptr) {
    take(*change.now);
  } else {
    drop(change.key.name);
  }
}

void ReportStore::told(Told) {
  changed_();
}

void ReportStore::drop(std::string_view name) {
  const auto gone =
      std::erase_if(reports_, [name](const Report& each) { return each.name == name; });
  if (gone > 0 && name == own_) own_is_gone_ = true;
}

// An hour without the API server is not an hour of silence: it counts as one interval and a half.
void ReportStore::note_own() {
  const auto now = clock_.monotonic();
  const std::chrono::nanoseconds passed =
      std::min<std::chrono::nanoseconds>(now - own_changed_at_, report_interval(settings_) * 3 / 2);
  own_changed_at_ = now;
  for (Report& report : reports_) {
    if (report.name != own_) report.silent += passed;
  }
}

Report* ReportStore::find(std::string_view name) {
  const auto found = std::find_if(reports_.begin(), reports_.end(),
                                  [name](const Report& report) { return report.name == name; });
  return found == reports_.end() ? nullptr : &*found;
}

// The store tells nothing of what is listed once more unchanged, which is no sign of life.
void ReportStore::take(const kube::Object& object) {
  Report read = read_report(object);
  const bool is_own = read.name == own_;
  if (is_own) own_is_gone_ = false;
  Report* const known = find(read.name);
  if (known != nullptr) {
    *known = std::move(read);
    if (is_own) note_own();
  } else {
    if (is_own) own_changed_at_ = clock_.monotonic();
    reports_.push_back(std::move(read));
  }
}

}  // namespace dynamo::certs::managed
