#include "desired/namespace_environment.hpp"

#include <utility>

#include "json/parser.hpp"
#include "manifests/image_host.hpp"
#include "render/document/well_known.hpp"
#include "text/base64.hpp"

namespace dynamo::reconciler {
namespace {

void add_registries(const kube::Object& secret, std::vector<render::PullSecret>& out) {
  if (secret.root()["type"].string_or_empty() != kRegistrySecret) return;
  const json::Value data = secret.root()["data"];
  const auto config = text::decode_base64(data[".dockerconfigjson"].string_or_empty());
  if (!config) return;
  const auto parsed = json::parse_copy(*config);
  const json::Value registries = parsed->root()["auths"];
  for (const json::Member& registry : registries.members()) {
    const auto host = render::image_host(registry.name);
    if (host) out.push_back({std::string(*host), std::string(secret.name())});
  }
}

void add_checkpoint(kube::Object checkpoint, NamespaceEnvironment& found) {
  const json::Value root = checkpoint.root();
  const json::Value labels = root["metadata"]["labels"];
  const std::string_view id = labels[render::label::kSnapshot].string_or_empty();
  found.environment.checkpoints.push_back(
      {.name = std::string(checkpoint.name()),
       .identity_hash = std::string(root["status"]["identityHash"].string_or_empty()),
       .labelled_hash = std::string(labels[render::label::kCheckpointHash].string_or_empty()),
       .identity = root["spec"]["identity"],
       .is_ready = root["status"]["phase"].string_or_empty() == "Ready",
       .id = std::string(id.empty() ? root["status"]["checkpointID"].string_or_empty() : id),
       .artifact_version =
           std::string(root["metadata"]["annotations"][render::annotation::kArtifactVersion]
                           .string_or_empty())});
  found.documents.push_back(std::move(checkpoint));
}

}  // namespace

NamespaceEnvironment namespace_environment(const render::RenderEnvironment& settings,
                                           NamespaceObjects listed) {
  NamespaceEnvironment found{.environment = settings};
  if (!listed.fallback_account.empty()) {
    found.environment.fallback_account = std::move(listed.fallback_account);
  }
  for (const kube::Object& secret : listed.secrets) {
    add_registries(secret, found.environment.pull_secrets);
  }
  for (kube::Object& checkpoint : listed.checkpoints) add_checkpoint(std::move(checkpoint), found);
  return found;
}

}  // namespace dynamo::reconciler
