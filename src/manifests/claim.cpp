#include "manifests/builders.hpp"

#include "json/writer.hpp"
#include "render/document/origin.hpp"
#include "schema/quantity.hpp"

namespace dynamo::render {

std::optional<RenderRefusal> refusal_of(const Claim& claim) {
  const api::FieldPath spec("spec");
  const json::Value size = claim.size();
  if (!size.number() && !schema::is_quantity(size.string_or_empty())) {
    const OriginPath path(spec, claim.origin.child("size"));
    return RenderRefusal{path.path().render(), "must be a quantity, such as \"100Gi\""};
  }
  if (claim.access_mode().empty()) {
    const OriginPath path(spec, claim.origin.child("volumeAccessMode"));
    return RenderRefusal{path.path().render(), "must be set for a claim that the operator creates"};
  }
  return std::nullopt;
}

DesiredObject build_claim(const Claim& claim, std::string_view namespace_name,
                          const OwnerMetadata& owner) {
  std::string spec = "\"spec\":";
  json::Writer out(spec);
  out.start_object().key("accessModes").start_array().string(claim.access_mode()).end_array();
  out.key("resources").start_object().key("requests").start_object();
  out.key("storage").value(claim.size()).end_object().end_object();
  // Written even if it is empty, which means no class rather than the cluster's default.
  out.member("storageClassName", claim.storage_class()).end_object();
  return make_desired_object({.api_version = "v1",
                              .kind = "PersistentVolumeClaim",
                              .name = claim.name,
                              .namespace_name = namespace_name,
                              .owner = owner,
                              .tracked = false},
                             spec);
}

}  // namespace dynamo::render
