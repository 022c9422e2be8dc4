// Objects in a namespace that rendered objects depend on, built from lists of any source.
#pragma once

#include <string>
#include <string_view>
#include <vector>

#include "kube/object/object.hpp"
#include "manifests/environment.hpp"

namespace dynamo::reconciler {

// Type of Secrets that contain registry credentials.
inline constexpr std::string_view kRegistrySecret = "kubernetes.io/dockerconfigjson";
// The label, with value "true", of the default ServiceAccount of pods.
inline constexpr std::string_view kFallbackAccount = "nvidia.com/dynamo-component-pod";

// The listed objects of one namespace.
struct NamespaceObjects {
  std::vector<kube::Object> secrets = {};  // registry Secrets; others are ignored
  std::string fallback_account = {};       // the first one with the label; empty: none
  std::vector<kube::Object> checkpoints = {};
};

// The render environment and the documents that its values point into.
struct NamespaceEnvironment {
  render::RenderEnvironment environment = {};
  std::vector<kube::Object> documents = {};
};

// Returns `settings` extended by the listed objects.
NamespaceEnvironment namespace_environment(const render::RenderEnvironment& settings,
                                           NamespaceObjects listed);

}  // namespace dynamo::reconciler
