#include "certs/managed/targets.hpp"

#include <utility>

#include "json/writer.hpp"
#include "kube/base64.hpp"

namespace dynamo::certs::managed {
namespace {

bool is_crd(const kube::Resource& resource) {
  return resource.plural == kube::kCustomResourceDefinitions.plural;
}

bool calls_us(json::Value client_config, const Settings& settings) {
  const json::Value service = client_config["service"];
  return service["name"].string_or_empty() == settings.service &&
         service["namespace"].string_or_empty() == settings.namespace_name;
}

TargetEntry entry(std::string_view webhook, json::Value client_config) {
  TargetEntry read;
  read.webhook = webhook;
  if (auto pem = kube::decode_base64(client_config["caBundle"].string_or_empty())) {
    read.bundle_pem = std::move(*pem);
    read.bundle = split_bundle(read.bundle_pem);
  }
  return read;
}

}  // namespace

std::vector<TargetEntry> read_entries(const kube::Resource& resource, json::Value object,
                                      const Settings& settings) {
  std::vector<TargetEntry> entries;
  if (is_crd(resource)) {
    const json::Value conversion = object["spec"]["conversion"];
    const json::Value config = conversion["webhook"]["clientConfig"];
    if (conversion["strategy"].string_or_empty() == "Webhook" && calls_us(config, settings)) {
      entries.push_back(entry({}, config));
    }
    return entries;
  }
  for (const json::Value webhook : object["webhooks"].elements()) {
    const json::Value config = webhook["clientConfig"];
    if (!calls_us(config, settings)) continue;
    entries.push_back(entry(webhook["name"].string_or_empty(), config));
  }
  return entries;
}

std::string apply_body(const Target& target, std::string_view bundle_pem) {
  std::string encoded;
  json::append_base64(encoded, bundle_pem);
  std::string text;
  json::Writer writer(text);
  writer.start_object();
  writer.member("apiVersion", target.resource.api_version());
  writer.member("kind", target.resource.kind);
  // The uid keeps the apply from making an object that has just been deleted, the version from
  // overwriting what this replica has not seen: it may lead no longer.
  writer.key("metadata").start_object();
  writer.member("name", target.name).member("uid", target.uid);
  writer.member("resourceVersion", target.resource_version).end_object();
  if (is_crd(target.resource)) {
    writer.key("spec").start_object().key("conversion").start_object();
    writer.key("webhook").start_object().key("clientConfig").start_object();
    writer.member("caBundle", encoded);
    writer.end_object().end_object().end_object().end_object();
  } else {
    writer.key("webhooks").start_array();
    for (const TargetEntry& webhook : target.entries) {
      writer.start_object().member("name", webhook.webhook);
      writer.key("clientConfig").start_object().member("caBundle", encoded).end_object();
      writer.end_object();
    }
    writer.end_array();
  }
  writer.end_object();
  return text;
}

std::string target_name(const Target& target) {
  return std::string(target.resource.plural) + "/" + target.name;
}

TargetStore::TargetStore(const kube::Resource& resource, const Settings& settings,
                         runtime::Logger& logger, std::function<void()> changed)
    : resource_(resource), settings_(settings), logger_(logger), changed_(std::move(changed)) {}

void TargetStore::replace(std::span<const kube::Object> objects) {
  targets_.clear();
  is_full_ = false;
  for (const kube::Object& object : objects) take(object);
  synced_ = true;
  changed_();
}

void TargetStore::upsert(const kube::Object& object) {
  drop(object.name());
  take(object);
  changed_();
}

void TargetStore::remove(const kube::Object& object) {
  drop(object.name());
  changed_();
}

void TargetStore::take(const kube::Object& object) {
  std::vector<TargetEntry> entries = read_entries(resource_, object.root(), settings_);
  if (entries.empty()) return;
  if (targets_.size() >= kMaxTargets) {
    if (!std::exchange(is_full_, true)) {
      logger_.log(runtime::Level::kError, "too many labelled objects; the rest gets no caBundle",
                  {{"resource", resource_.plural}, {"limit", kMaxTargets}});
    }
    return;
  }
  targets_.push_back({resource_, std::string(object.name()), std::string(object.uid()),
                      std::string(object.resource_version()), std::move(entries)});
}

void TargetStore::drop(std::string_view name) {
  std::erase_if(targets_, [name](const Target& target) { return target.name == name; });
}

}  // namespace dynamo::certs::managed
