#include "cli/check/applied.hpp"

#include <array>
#include <memory>
#include <string_view>
#include <vector>

#include "api/kinds/objects.hpp"
#include "json/parser.hpp"
#include "json/patch.hpp"
#include "json/pointer.hpp"
#include "json/writer.hpp"

namespace dynamo::cli {
namespace {

using api::kProviderAnnotation;

constexpr std::string_view kLastApplied = "kubectl.kubernetes.io/last-applied-configuration";

using FieldSets = std::vector<json::Value>;  // in FieldsV1: {"f:spec":{"f:replicas":{}}}

bool is_applier(json::Value entry) {
  const std::string_view manager = entry["manager"].string_or_empty();
  // Helm 3 removes fields that a chart no longer has, and writes with updates.
  const bool is_helm = manager == "helm" || manager == "Helm";
  return entry["subresource"].string_or_empty().empty() &&
         (entry["operation"].string_or_empty() == "Apply" || is_helm);
}

FieldSets children_of(const FieldSets& sets, std::string_view name) {
  const std::string key = "f:" + std::string(name);
  FieldSets found;
  for (const json::Value& set : sets) {
    if (const json::Value child = set[key]; child.exists()) found.push_back(child);
  }
  return found;
}

// Fields below one path that earlier applies set, and fields that other managers own.
struct AppliedFields {
  json::Value last;   // from the annotation; absent if it has none here
  FieldSets applied;  // if there is no annotation
  FieldSets others;

  AppliedFields at(std::string_view name) const {
    return {.last = last[name],
            .applied = children_of(applied, name),
            .others = children_of(others, name)};
  }
};

class Merge {
 public:
  explicit Merge(std::string& out) : out_(out) {}

  void object(json::Value manifest, json::Value live, const AppliedFields& earlier) {
    out_.start_object();
    for (const json::Member member : manifest.members()) {
      // As in a merge patch, null removes a field.
      if (member.value.is_nothing() && live[member.name].exists()) continue;
      field(member, live[member.name], earlier);
    }
    for (const json::Member member : live.members()) {
      if (manifest[member.name].exists()) continue;
      rest(member, earlier.at(member.name));
    }
    out_.end_object();
  }

  void root(json::Value manifest, json::Value live, const AppliedFields& earlier) {
    out_.start_object();
    for (const json::Member member : manifest.members()) {
      if (member.name == "metadata") {
        out_.key(member.name);
        metadata(member.value, live["metadata"], earlier.at(member.name));
      } else if (member.name != "status") {
        field(member, live[member.name], earlier);
      }
    }
    for (const json::Member member : live.members()) {
      if (member.name == "status" || manifest[member.name].exists()) continue;
      rest(member, earlier.at(member.name));
    }
    out_.end_object();
  }

 private:
  void field(const json::Member& member, json::Value live, const AppliedFields& earlier) {
    out_.key(member.name);
    if (member.value.is_object() && live.is_object()) {
      object(member.value, live, earlier.at(member.name));
    } else {
      out_.value(member.value);
    }
  }

  void metadata(json::Value manifest, json::Value live, const AppliedFields& earlier) {
    constexpr auto kKept = std::to_array<std::string_view>(
        {"name", "namespace", "uid", "labels", "annotations", "finalizers", "ownerReferences"});
    out_.start_object();
    for (const json::Member member : manifest.members()) {
      if (member.name != "uid") field(member, live[member.name], earlier);
    }
    for (const std::string_view name : kKept) {
      const json::Value value = live[name];
      const bool is_given = manifest[name].exists() && name != "uid";
      if (!value.exists() || is_given) continue;
      if (name == "annotations") {
        // kubectl always applies an annotation of its own, so it removes annotations one by one,
        // never the whole map.
        out_.key(name);
        object({}, value, earlier.at(name));
      } else {
        rest({name, value}, earlier.at(name));
      }
    }
    out_.end_object();
  }

  // A field that is not in the manifest.
  void rest(const json::Member& member, const AppliedFields& earlier) {
    if (earlier.last.exists()) return;
    if (earlier.applied.empty()) {
      out_.key(member.name).value(member.value);
      return;
    }
    if (earlier.others.empty() && !has_more(member.value, earlier)) return;
    if (!member.value.is_object()) {
      if (!earlier.others.empty()) out_.key(member.name).value(member.value);
      return;
    }
    out_.key(member.name).start_object();
    for (const json::Member each : member.value.members()) rest(each, earlier.at(each.name));
    out_.end_object();
  }

  // Whether a map has members that no applying manager has set.
  static bool has_more(json::Value value, const AppliedFields& earlier) {
    if (!value.is_object()) return false;
    for (const json::Member each : value.members()) {
      const AppliedFields below = earlier.at(each.name);
      if (below.applied.empty() || !below.others.empty() || has_more(each.value, below)) {
        return true;
      }
    }
    return false;
  }

  json::Writer out_;
};

}  // namespace

bool is_stored_object(json::Value object) {
  return !object["metadata"]["uid"].string_or_empty().empty();
}

std::string applied_to(json::Value manifest, json::Value live) {
  AppliedFields earlier;
  const json::Value metadata = live["metadata"];
  const std::string_view text = metadata["annotations"][kLastApplied].string_or_empty();
  const auto last = json::parse_copy(text);
  if (!text.empty() && !last->error && last->root().is_object()) {
    earlier.last = last->root();
  } else {
    for (const json::Value entry : metadata["managedFields"].elements()) {
      (is_applier(entry) ? earlier.applied : earlier.others).push_back(entry["fieldsV1"]);
    }
  }
  std::string out;
  Merge(out).root(manifest, live, earlier);
  return out;
}

std::string provider_kept_by_apply(json::Value manifest, json::Value live) {
  const json::Value annotations = manifest["metadata"]["annotations"];
  const bool is_kept = live["metadata"]["annotations"][kProviderAnnotation].is_string() &&
                       !annotations[kProviderAnnotation].exists();
  if (!is_kept || !manifest["metadata"].is_object()) return {};
  const auto applied = json::parse_copy(applied_to(manifest, live));
  const json::Value kept = applied->root()["metadata"]["annotations"][kProviderAnnotation];
  if (!kept.is_string()) return {};
  json::PatchWriter patch;
  if (annotations.is_object()) {
    std::string pointer = "/metadata/annotations";
    json::append_pointer_token(pointer, kProviderAnnotation);
    patch.add(pointer, [kept](json::Writer& value) { value.value(kept); });
  } else {
    patch.add("/metadata/annotations", [kept](json::Writer& value) {
      value.start_object().key(kProviderAnnotation).value(kept).end_object();
    });
  }
  return std::string(patch.text());
}

}  // namespace dynamo::cli
