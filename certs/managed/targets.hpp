// The objects whose caBundle is ours to keep: labelled webhook configurations and CRDs, and in them
// the entries that call our Service.
#pragma once

#include <cstddef>
#include <cstdint>
#include <functional>
#include <string>
#include <string_view>
#include <vector>

#include "certs/managed/bundle.hpp"
#include "certs/managed/settings.hpp"
#include "json/document.hpp"
#include "kube/resource.hpp"
#include "kube/store_follower.hpp"

namespace dynamo::certs::managed {

struct TargetEntry {
  std::string webhook;  // its name; empty: the conversion of a CRD
  std::vector<CaCertificate> bundle;
  std::string bundle_pem;  // as it stands there; empty when it is none or no base64
  std::size_t index = 0;   // among all webhooks of the object
};

struct Target {
  kube::Resource resource;
  std::string name;
  std::string uid;
  std::string resource_version;
  std::vector<TargetEntry> entries;  // never empty
};

// The entries of `object` that call the Service of the settings. None for those that call a URL or
// another Service, and for a CRD whose conversion is no webhook's.
std::vector<TargetEntry> read_entries(const kube::Resource& resource, json::Value object,
                                      const Settings& settings);

// The JSON patch by which every entry has this bundle and nothing else changes. The API server
// refuses it, with 409 or 422, when the object is no longer what it was.
std::string patch_body(const Target& target, std::string_view bundle_pem);

// "validatingwebhookconfigurations/NAME".
std::string target_name(const Target& target);

// What is known of one resource's targets. On the loop's thread.
class TargetStore final : public kube::StoreFollower {
 public:
  // Of one resource; what is beyond it is not looked after, and said so.
  static constexpr std::size_t kMaxTargets = 256;

  // Of the labelled objects as they are kept, whether or not they call us.
  static constexpr std::size_t kMostBytes = std::size_t{32} << 20U;

  // `changed` is called after each list and each event.
  TargetStore(const kube::Resource& resource, const Settings& settings, runtime::Logger& logger,
              std::function<void()> changed);

  const std::vector<Target>& targets() const { return targets_; }

 private:
  void changed(const kube::StoreChange& change) override;
  void told(Told what) override;
  void take(const kube::Object& object);
  bool knows(std::string_view name) const;
  // Takes what was left out, where there is room again.
  void fill_up();

  const Settings& settings_;
  runtime::Logger& logger_;
  const std::function<void()> changed_;
  std::vector<Target> targets_;
  bool is_full_ = false;   // more there is than is taken
  bool was_told_ = false;  // of that
};

}  // namespace dynamo::certs::managed
