// The objects with managed caBundles: labelled webhook configurations and CRDs, and their entries
// that call our Service.
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
#include "kube/cache/store_follower.hpp"
#include "kube/object/resource.hpp"

namespace dynamo::certs::managed {

struct TargetEntry {
  std::string webhook;  // its name; empty: the conversion of a CRD
  std::vector<CaCertificate> bundle;
  std::string bundle_pem;  // the decoded text; empty if absent or not base64
  std::size_t index = 0;   // among all webhooks of the object
};

struct InjectionTarget {
  kube::Resource resource;
  std::string name;
  std::string uid;
  std::string resource_version;
  std::vector<TargetEntry> entries;  // never empty
};

// The entries of `object` that call the Service of the settings. Skips those that call a URL or
// another Service, and CRDs without a conversion webhook.
std::vector<TargetEntry> read_entries(const kube::Resource& resource, json::Value object,
                                      const Settings& settings);

// The JSON patch that sets this bundle in every entry and changes nothing else. The API server
// refuses it with 409 or 422 if the object has changed, or if a CRD does not call the Service of
// the settings.
std::string patch_body(const InjectionTarget& target, std::string_view bundle_pem,
                       const Settings& settings);

// "validatingwebhookconfigurations/NAME".
std::string target_name(const InjectionTarget& target);

// The targets of one resource. On the loop's thread.
class TargetStore final : public kube::StoreFollower {
 public:
  // Limit per resource; further targets are not managed, which is logged.
  static constexpr std::size_t kMaxTargets = 256;

  // Size limit for the labelled objects in the cache, whether or not they call us.
  static constexpr std::size_t kMaxBytes = std::size_t{32} << 20U;

  // `changed` is called after each list and each event.
  TargetStore(const kube::Resource& resource, const Settings& settings, runtime::Logger& logger,
              std::function<void()> changed);

  const std::vector<InjectionTarget>& targets() const { return targets_; }

 private:
  void changed(const kube::StoreChange& change) override;
  void applied(Batch what) override;
  void take(const kube::Object& object);
  bool knows(std::string_view name) const;
  // Adds targets that were beyond the limit once there is room again.
  void fill_up();

  const Settings& settings_;
  runtime::Logger& logger_;
  const std::function<void()> changed_;
  std::vector<InjectionTarget> targets_;
  bool is_full_ = false;       // there are more targets than the limit
  bool was_reported_ = false;  // and that was logged
};

}  // namespace dynamo::certs::managed
