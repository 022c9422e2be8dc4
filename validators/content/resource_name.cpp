#include "validators/content/resource_name.hpp"

#include <algorithm>
#include <array>
#include <span>

#include "text/names.hpp"
#include "validators/content/amount.hpp"

namespace dynamo::validators {
namespace {

constexpr std::string_view kHugePages = "hugepages-";
constexpr std::string_view kKubernetesDomain = "kubernetes.io/";
// Quotas add this prefix, and the result must still be a valid name.
constexpr std::string_view kQuotaPrefix = "requests.";
constexpr std::size_t kLongestDomain = 253;

constexpr char lower(char letter) {
  return letter >= 'A' && letter <= 'Z' ? static_cast<char>(letter | 0x20) : letter;
}

bool has_any(std::string_view name, std::span<const std::string_view> parts) {
  const auto same = [](char letter, char wanted) { return lower(letter) == wanted; };
  return std::ranges::any_of(parts, [&](std::string_view part) {
    return std::search(name.begin(), name.end(), part.begin(), part.end(), same) != name.end();
  });
}

bool is_extended(std::string_view name) {
  return name.find('/') != std::string_view::npos &&
         name.find(kKubernetesDomain) == std::string_view::npos;
}

}  // namespace

ResourceKind resource_kind(std::string_view name) {
  if (name == "cpu" || name == "memory" || name == "ephemeral-storage") {
    return ResourceKind::kNative;
  }
  if (!text::is_qualified_name(name)) return ResourceKind::kNone;
  const std::size_t slash = name.find('/');
  if (slash == std::string_view::npos) {
    return name.starts_with(kHugePages) ? ResourceKind::kHugePages : ResourceKind::kNone;
  }
  if (!is_extended(name)) return ResourceKind::kNative;
  const bool fits = slash + kQuotaPrefix.size() <= kLongestDomain;
  return fits && !name.starts_with(kQuotaPrefix) ? ResourceKind::kExtended : ResourceKind::kNone;
}

std::optional<std::uint64_t> page_size(std::string_view name) {
  if (!name.starts_with(kHugePages)) return std::nullopt;
  const std::optional<Amount> size = parse_amount(name.substr(kHugePages.size()));
  if (!size || size->negative || size->is_zero() || !size->is_whole()) return std::nullopt;
  return size->whole;
}

bool is_gpu(std::string_view name) {
  constexpr std::array<std::string_view, 3> kParts{"gpu", "gaudi", "nvidia.com/mig-"};
  return is_extended(name) && has_any(name, kParts);
}

bool can_be_gpu(std::string_view name) {
  constexpr std::array<std::string_view, 12> kParts{"rdma",  "/ib",  "infiniband", "/roce",
                                                    "sriov", "/efa", "/nic",       "nics",
                                                    "hca",   "fuse", "/kvm",       "vhost"};
  return is_extended(name) && (is_gpu(name) || !has_any(name, kParts));
}

}  // namespace dynamo::validators
