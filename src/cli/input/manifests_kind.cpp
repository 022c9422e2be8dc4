#include "cli/input/manifests_kind.hpp"

#include <algorithm>
#include <array>
#include <vector>

#include "api/context.hpp"
#include "api/kind.hpp"
#include "schema/suggest.hpp"
#include "text/quoted.hpp"

namespace dynamo::cli {
namespace {

using Action = KindCheck::Action;

char lower(char c) {
  return c >= 'A' && c <= 'Z' ? static_cast<char>(c - 'A' + 'a') : c;
}

bool starts_with_ignoring_case(std::string_view text, std::string_view prefix) {
  return text.size() >= prefix.size() &&
         std::ranges::equal(text.substr(0, prefix.size()), prefix, {}, lower, lower);
}

std::string_view group_of(std::string_view api_version) {
  const std::size_t slash = api_version.find('/');
  return slash == std::string_view::npos ? std::string_view{} : api_version.substr(0, slash);
}

std::string quoted(std::string_view text) {
  constexpr std::size_t kLongestShown = 80;
  return text::quoted(text, kLongestShown);
}

// A kind is unquoted in messages; an impossible one is quoted and cut.
std::string quoted_kind(std::string_view kind) {
  constexpr std::size_t kLongestKind = 63;
  return kind.size() <= kLongestKind ? std::string(kind) : quoted(kind);
}

std::string_view nearest_kind(std::string_view kind) {
  std::vector<std::string_view> kinds;
  for (const schema::Resource& resource : schema::resources()) kinds.push_back(resource.kind);
  return schema::nearest_word(kinds, kind);
}

bool looks_like_our_group(std::string_view group) {
  constexpr std::string_view kVendor = "nvidia";
  for (std::size_t at = 0; at + kVendor.size() <= group.size(); ++at) {
    if (starts_with_ignoring_case(group.substr(at), kVendor)) return true;
  }
  return !schema::nearest_word(std::array{api::kGroup}, group).empty();
}

// A member whose name is close to the missing `name`: "Kind", "apiVerson".
std::string_view misspelt_member(json::Value document, std::string_view name) {
  for (const json::Member member : document.members()) {
    if (member.name != name && !schema::nearest_word(std::array{name}, member.name).empty()) {
      return member.name;
    }
  }
  return {};
}

KindCheck refuse(std::string reason, std::string_view field) {
  return {Action::kRefuse, nullptr, std::move(reason), field};
}

bool is_number(std::string_view text) {
  constexpr std::size_t kMaxDigits = 3;
  return !text.empty() && text.size() <= kMaxDigits && text.front() != '0' &&
         std::ranges::all_of(text, [](char c) { return c >= '0' && c <= '9'; });
}

// The form of Kubernetes versions: v1, v1beta1, v2alpha3.
bool is_version(std::string_view text) {
  if (!text.starts_with('v')) return false;
  text.remove_prefix(1);
  for (const std::string_view stage : {"alpha", "beta"}) {
    const std::size_t at = text.find(stage);
    if (at != std::string_view::npos) {
      return is_number(text.substr(0, at)) && is_number(text.substr(at + stage.size()));
    }
  }
  return is_number(text);
}

// The resource of that kind and API version. Where both generations of operators have the version,
// the first one's.
const schema::Resource* find_validated(std::string_view kind, std::string_view api_version) {
  return schema::find_resource(kind, api_version, api::OperatorGeneration::kUnknown);
}

// "nvidia.com/v1alpha1 and nvidia.com/v1beta1".
std::string validated_versions(std::string_view kind) {
  constexpr std::string_view kBeta = "nvidia.com/v1beta1";
  std::string versions(api::kApiVersion);
  if (find_validated(kind, kBeta) != nullptr) versions += " and " + std::string(kBeta);
  return versions;
}

// An object of our group in another version than the validated one. An unknown kind may belong to a
// later version.
bool is_of_another_version(std::string_view api_version, std::string_view kind) {
  const std::size_t slash = api_version.find('/');
  if (slash == std::string_view::npos || api_version.substr(0, slash) != api::kGroup) return false;
  const std::string_view version = api_version.substr(slash + 1);
  return version != api::kVersion && is_version(version) && kind.starts_with("Dynamo");
}

KindCheck no_manifest(Action what, std::string reason) {
  return {what, nullptr, std::move(reason)};
}

}  // namespace

KindCheck check_kind(std::string_view api_version, std::string_view kind) {
  const schema::Resource* const resource = schema::find_resource(kind);
  const bool ours = group_of(api_version) == api::kGroup;
  const std::string_view items = ours ? kind_of_items(kind) : std::string_view{};
  if (ours && resource != nullptr) {
    const schema::Resource* const validated = find_validated(kind, api_version);
    if (validated != nullptr) return {Action::kValidate, validated};
  }
  if (!items.empty() && find_validated(items, api_version) != nullptr) return {Action::kSplitList};
  if (is_of_another_version(api_version, kind)) {
    return {Action::kOtherVersion, nullptr,
            quoted_kind(kind) + " of " + quoted(api_version) +
                " is of an API version that this release does not validate; it validates " +
                validated_versions(items.empty() ? kind : items),
            "apiVersion"};
  }
  if (kind == "List" && (api_version == "v1" || api_version.empty())) return {Action::kSplitList};
  if (!items.empty()) return {Action::kSplitList};
  const std::string expected = quoted(api::kApiVersion);
  // the core group has no such kind
  const bool in_core = api_version.find('/') == std::string_view::npos;
  if (resource != nullptr && (ours || in_core)) {
    return refuse("apiVersion of a " + std::string(kind) + " must be " + expected +
                      (api_version.empty() ? "; there is none" : "; it is " + quoted(api_version)),
                  api_version.empty() ? "kind" : "apiVersion");
  }
  if (resource != nullptr && looks_like_our_group(group_of(api_version))) {
    return refuse("there is no " + std::string(kind) + " in " + quoted(api_version) +
                      "; did you mean " + expected + "?",
                  "apiVersion");
  }
  if (ours && kind.empty()) {
    return refuse("an object of " + quoted(api_version) + " must have a kind; there is none",
                  "apiVersion");
  }
  const std::string_view nearest =
      ours && resource == nullptr ? nearest_kind(kind) : std::string_view{};
  // Also one whose first letter only looks like a D.
  if (ours && resource == nullptr &&
      (starts_with_ignoring_case(kind, "dynamo") || !nearest.empty())) {
    return refuse("there is no kind " + quoted(kind) + " in " + std::string(api::kApiVersion) +
                      (nearest.empty() ? std::string{} : "; did you mean " + quoted(nearest) + "?"),
                  "kind");
  }
  return {Action::kIgnore};
}

KindCheck check_kind(json::Value document) {
  if (!document.is_object()) {
    return no_manifest(Action::kNoManifest, "a manifest must be an object; found " +
                                                std::string(json::type_name(document.type())));
  }
  const std::string_view api_version = document["apiVersion"].string_or_empty();
  const std::string_view kind = document["kind"].string_or_empty();
  if (document["apiVersion"].is_nothing() && document["kind"].is_nothing()) {
    const std::string_view written = misspelt_member(document, "apiVersion");
    if (group_of(document[written].string_or_empty()) == api::kGroup) {
      return {Action::kRefuse, nullptr,
              "an object of " + quoted(document[written].string_or_empty()) +
                  " must have a kind; there is none; " + quoted(written) +
                  " must be written \"apiVersion\"",
              written, true};
    }
    return no_manifest(Action::kForeign, "there is neither apiVersion nor kind: no manifest");
  }
  KindCheck verdict = check_kind(api_version, kind);
  // Kubernetes names are case-sensitive; the name may be the only mistake.
  const std::string_view missing = kind.empty() ? "kind" : "apiVersion";
  if (verdict.what != Action::kRefuse || !document[missing].is_nothing()) return verdict;
  if (const std::string_view written = misspelt_member(document, missing); !written.empty()) {
    verdict.reason += "; " + quoted(written) + " must be written " + quoted(missing);
    verdict.field = written;
    verdict.is_misspelt = true;
  } else if (missing == "apiVersion" && document["metadata"].is_nothing()) {
    // Files other than manifests may name a kind.
    verdict.what = Action::kNoManifest;
  }
  return verdict;
}

std::string_view kind_of_items(std::string_view list_kind) {
  for (const schema::Resource& resource : schema::resources()) {
    if (resource.list_kind == list_kind) return resource.kind;
  }
  return {};
}

}  // namespace dynamo::cli
