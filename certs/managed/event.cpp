#include "certs/managed/event.hpp"

#include "json/writer.hpp"

namespace dynamo::certs::managed {
namespace {

// The API's limit for a note.
constexpr std::size_t kMaxNote = 1024;

}  // namespace

std::string event_body(const Settings& settings, std::string_view uid, bool is_warning,
                       std::string_view reason, std::string_view note, TimePoint now) {
  const std::string time = format_time(now);
  std::string text;
  json::Writer writer(text);
  writer.start_object().member("apiVersion", "v1").member("kind", "Event");
  writer.key("metadata").start_object();
  writer.member("generateName", settings.secret + ".").member("namespace", settings.namespace_name);
  writer.end_object();
  writer.key("involvedObject").start_object();
  writer.member("apiVersion", "v1").member("kind", "Secret");
  writer.member("namespace", settings.namespace_name).member("name", settings.secret);
  if (!uid.empty()) writer.member("uid", uid);
  writer.end_object();
  writer.member("reason", reason).member("message", note.substr(0, kMaxNote));
  writer.member("type", is_warning ? "Warning" : "Normal");
  writer.member("firstTimestamp", time).member("lastTimestamp", time);
  writer.key("count").integer(1);
  writer.key("source").start_object().member("component", "dynamo-webhook").end_object();
  writer.member("reportingComponent", "dynamo-webhook");
  writer.member("reportingInstance", settings.identity.substr(0, 128));
  writer.end_object();
  return text;
}

}  // namespace dynamo::certs::managed
