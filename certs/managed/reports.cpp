#include "certs/managed/reports.hpp"

#include <algorithm>
#include <utility>

#include "certs/content_digest.hpp"
#include "json/parser.hpp"
#include "json/writer.hpp"
#include "text/micro_time.hpp"

namespace dynamo::certs::managed {
namespace {

constexpr std::string_view kKeeperRole = "keeper";

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

ReplicaReport read_report(const kube::Object& object) {
  const json::Value annotations = object.root()["metadata"]["annotations"];
  return {std::string(object.name()),
          std::string(object.resource_version()),
          ServedCertificates{std::string(annotations[kServedLeafAnnotation].string_or_empty()),
                             std::string(annotations[kServedCaAnnotation].string_or_empty())},
          {},
          false,
          std::chrono::nanoseconds(0)};
}

// A report that does not parse belongs to a replica in an unknown state, which blocks a rotation.
ReplicaReport read_shared_report(const kube::Object& object, const json::Member& annotation) {
  const std::string_view value = annotation.value.string_or_empty();
  ReplicaReport report{std::string(annotation.name),
                       std::string(object.resource_version()),
                       ServedCertificates{},
                       std::string(value),
                       false,
                       std::chrono::nanoseconds(0)};
  const auto parsed = json::parse_copy(value);
  if (!parsed) return report;
  const json::Value root = parsed->root();
  report.served = {std::string(root["certificate"].string_or_empty()),
                   std::string(root["ca"].string_or_empty())};
  report.is_of_keeper = root["role"].string_or_empty() == kKeeperRole;
  return report;
}

// An empty `value` removes the annotation. The label, by which keepers find the Lease, is restored.
std::string annotation_patch(const Settings& settings, std::string_view value) {
  std::string text;
  json::Writer writer(text);
  writer.start_object().key("metadata").start_object();
  writer.key("labels").start_object();
  writer.member(kReplicaLabel, settings.service).end_object();
  writer.key("annotations").start_object();
  writer.key(report_name(settings));
  if (value.empty()) {
    writer.null();
  } else {
    writer.string(value);
  }
  writer.end_object().end_object().end_object();
  return text;
}

kube::StoreOptions store_options() {
  kube::StoreOptions options;
  options.most_bytes = ReportStore::kMaxBytes;
  return options;
}

}  // namespace

std::string report_name(const Settings& settings) {
  constexpr std::size_t kBytes = 8;
  const std::string digest = ContentDigest().add(settings.identity).finish();
  const std::string prefix = shares_report(settings) ? std::string(kReportAnnotationPrefix)
                                                     : settings.service + "-replica-";
  return prefix + hexadecimal(std::string_view(digest).substr(0, kBytes));
}

std::string shared_lease_name(const Settings& settings) {
  return settings.service + "-replicas";
}

std::string shared_lease_body(const Settings& settings) {
  std::string text;
  json::Writer writer(text);
  writer.start_object();
  writer.member("apiVersion", kube::kLeases.api_version()).member("kind", kube::kLeases.kind);
  writer.key("metadata").start_object();
  writer.member("name", shared_lease_name(settings));
  writer.member("namespace", settings.namespace_name);
  writer.key("labels").start_object();
  writer.member("app.kubernetes.io/managed-by", "dynamo-webhook");
  writer.member(kReplicaLabel, settings.service).end_object().end_object();
  writer.key("spec").start_object().end_object().end_object();
  return text;
}

std::string shared_report_patch(const Settings& settings, const ServedCertificates& served,
                                TimePoint now) {
  std::string value;
  json::Writer writer(value);
  writer.start_object().member("holder", settings.identity);
  if (settings.role == Role::kKeeper) {
    writer.member("role", kKeeperRole);
  } else {
    writer.member("certificate", served.leaf).member("ca", served.ca);
  }
  writer.member("renewed", text::format_micro_time(now)).end_object();
  return annotation_patch(settings, value);
}

std::string shared_report_removal(const Settings& settings) {
  return annotation_patch(settings, {});
}

std::string shared_report_removal(const ReplicaReport& report) {
  std::string path = "/metadata/annotations/";
  for (const char c : report.name) {
    if (c == '/') {
      path += "~1";
    } else {
      path += c;
    }
  }
  std::string text;
  json::Writer writer(text);
  writer.start_array();
  writer.start_object().member("op", "test").member("path", path);
  writer.member("value", report.shared_value).end_object();
  writer.start_object().member("op", "remove").member("path", path).end_object();
  writer.end_array();
  return text;
}

std::string report_body(const Settings& settings, const ServedCertificates& served, TimePoint now,
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
      shared_(shared_lease_name(settings)),
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

void ReportStore::applied(Batch) {
  changed_();
}

void ReportStore::drop(std::string_view name) {
  if (name == shared_) {
    std::vector<std::string> all;
    for (const ReplicaReport& report : reports_) {
      if (!report.shared_value.empty()) all.push_back(report.name);
    }
    for (const std::string& each : all) drop(each);
    return;
  }
  const auto gone =
      std::erase_if(reports_, [name](const ReplicaReport& each) { return each.name == name; });
  if (gone > 0 && name == own_) own_was_deleted_ = true;
}

// An hour without the API server does not count as an hour of silence, but as one and a half
// intervals.
void ReportStore::note_own() {
  const auto now = clock_.monotonic();
  const std::chrono::nanoseconds passed =
      std::min<std::chrono::nanoseconds>(now - own_changed_at_, report_interval(settings_) * 3 / 2);
  own_changed_at_ = now;
  for (ReplicaReport& report : reports_) {
    if (report.name != own_) report.silent += passed;
  }
}

ReplicaReport* ReportStore::find(std::string_view name) {
  const auto found =
      std::find_if(reports_.begin(), reports_.end(),
                   [name](const ReplicaReport& report) { return report.name == name; });
  return found == reports_.end() ? nullptr : &*found;
}

// The store does not report objects that a relist returns unchanged, since those are no sign of
// life.
void ReportStore::take(const kube::Object& object) {
  if (object.name() == shared_) {
    take_shared(object);
  } else {
    take(read_report(object));
  }
}

// Each changed annotation is a sign of life only of its own replica.
void ReportStore::take_shared(const kube::Object& object) {
  std::vector<ReplicaReport> changed;
  std::vector<std::string> here;
  for (const json::Member& each : object.root()["metadata"]["annotations"].members()) {
    if (!each.name.starts_with(kReportAnnotationPrefix)) continue;
    if (each.value.string_or_empty().empty()) continue;
    here.emplace_back(each.name);
    ReplicaReport read = read_shared_report(object, each);
    const ReplicaReport* const known = find(read.name);
    if (known == nullptr || known->shared_value != read.shared_value) {
      changed.push_back(std::move(read));
    }
  }
  std::vector<std::string> gone;
  for (const ReplicaReport& report : reports_) {
    const bool is_here = std::ranges::find(here, report.name) != here.end();
    if (!report.shared_value.empty() && !is_here) gone.push_back(report.name);
  }
  for (const std::string& each : gone) drop(each);
  for (ReplicaReport& each : changed) take(std::move(each));
}

void ReportStore::take(ReplicaReport read) {
  const bool is_own = read.name == own_;
  if (is_own) own_was_deleted_ = false;
  ReplicaReport* const known = find(read.name);
  if (known != nullptr) {
    *known = std::move(read);
    if (is_own) note_own();
  } else {
    if (is_own) own_changed_at_ = clock_.monotonic();
    reports_.push_back(std::move(read));
  }
}

}  // namespace dynamo::certs::managed
