#include "certs/managed/targets.hpp"

#include <algorithm>
#include <optional>
#include <utility>

#include "json/writer.hpp"
#include "text/base64.hpp"

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
  if (auto pem = text::decode_base64(client_config["caBundle"].string_or_empty())) {
    read.bundle_pem = std::move(*pem);
    read.bundle = split_bundle(read.bundle_pem);
  }
  return read;
}

void add_operation(json::Writer& writer, std::string_view operation, std::string_view path,
                   std::string_view value) {
  writer.start_object().member("op", operation).member("path", path).member("value", value);
  writer.end_object();
}

kube::StoreOptions store_options() {
  kube::StoreOptions options;
  // spec.versions has the schemas, which are most of a CRD.
  options.left_out = {"status", "spec.versions"};
  options.most_bytes = TargetStore::kMaxBytes;
  return options;
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
  std::size_t index = 0;
  for (const json::Value webhook : object["webhooks"].elements()) {
    const std::size_t at = index++;
    const json::Value config = webhook["clientConfig"];
    if (!calls_us(config, settings)) continue;
    entries.push_back(entry(webhook["name"].string_or_empty(), config));
    entries.back().index = at;
  }
  return entries;
}

std::string patch_body(const InjectionTarget& target, std::string_view bundle_pem,
                       const Settings& settings) {
  const std::string encoded = text::encode_base64(bundle_pem);
  std::string text;
  json::Writer writer(text);
  writer.start_array();
  // This replica may no longer be the leader: do not overwrite unseen changes.
  add_operation(writer, "replace", "/metadata/uid", target.uid);
  add_operation(writer, "replace", "/metadata/resourceVersion", target.resource_version);
  if (is_crd(target.resource)) {
    const std::string config = "/spec/conversion/webhook/clientConfig";
    add_operation(writer, "test", "/spec/conversion/strategy", "Webhook");
    add_operation(writer, "test", config + "/service/namespace", settings.namespace_name);
    add_operation(writer, "test", config + "/service/name", settings.service);
    add_operation(writer, "add", config + "/caBundle", encoded);
  } else {
    for (const TargetEntry& webhook : target.entries) {
      const std::string path = "/webhooks/" + std::to_string(webhook.index);
      add_operation(writer, "test", path + "/name", webhook.webhook);
      add_operation(writer, "add", path + "/clientConfig/caBundle", encoded);
    }
  }
  writer.end_array();
  return text;
}

std::string target_name(const InjectionTarget& target) {
  return std::string(target.resource.plural) + "/" + target.name;
}

TargetStore::TargetStore(const kube::Resource& resource, const Settings& settings,
                         runtime::Logger& logger, std::function<void()> changed)
    : StoreFollower(resource, store_options(), logger),
      settings_(settings),
      logger_(logger),
      changed_(std::move(changed)) {}

void TargetStore::changed(const kube::StoreChange& change) {
  std::erase_if(targets_,
                [&](const InjectionTarget& target) { return target.name == change.key.name; });
  if (change.now != nullptr) take(*change.now);
}

void TargetStore::applied(Batch) {
  if (is_full_ && targets_.size() < kMaxTargets) fill_up();
  changed_();
}

void TargetStore::fill_up() {
  is_full_ = false;
  for (const kube::ObjectKey& key : store().keys()) {
    const auto object = knows(key.name) ? std::nullopt : store().find(key);
    if (object) take(*object);
  }
  was_reported_ = is_full_;
}

bool TargetStore::knows(std::string_view name) const {
  return std::any_of(targets_.begin(), targets_.end(),
                     [name](const InjectionTarget& target) { return target.name == name; });
}

void TargetStore::take(const kube::Object& object) {
  std::vector<TargetEntry> entries = read_entries(resource(), object.root(), settings_);
  if (entries.empty()) return;
  if (targets_.size() >= kMaxTargets) {
    is_full_ = true;
    if (std::exchange(was_reported_, true)) return;
    logger_.log(runtime::Level::kError, "too many labelled objects; the others get no caBundle",
                {{"resource", resource().plural}, {"limit", kMaxTargets}});
    return;
  }
  targets_.push_back({resource(), std::string(object.name()), std::string(object.uid()),
                      std::string(object.resource_version()), std::move(entries)});
}

}  // namespace dynamo::certs::managed
