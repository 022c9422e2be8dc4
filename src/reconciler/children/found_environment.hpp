// What children depend on in their namespace: made of what was listed there, by whoever listed it.
#pragma once

#include <string>
#include <string_view>
#include <vector>

#include "kube/object.hpp"
#include "render/children/environment.hpp"

namespace dynamo::reconciler {

// The type of Secrets that hold credentials of registries.
inline constexpr std::string_view kRegistrySecret = "kubernetes.io/dockerconfigjson";
// The label, "true", of the account that pods fall back to.
inline constexpr std::string_view kFallbackAccount = "nvidia.com/dynamo-component-pod";

// Of one namespace.
struct ListedEnvironment {
  std::vector<kube::Object> secrets = {};  // those of registries; others do not count
  std::string fallback_account = {};       // the first that is labelled; empty: none
  std::vector<kube::Object> checkpoints = {};
};

// What lies in the namespace, for as long as it is kept: values of the environment point into its
// documents.
struct FoundEnvironment {
  render::ChildEnvironment environment = {};
  std::vector<kube::Object> documents = {};
};

// `settings` with what was listed.
FoundEnvironment environment_of(const render::ChildEnvironment& settings, ListedEnvironment listed);

}  // namespace dynamo::reconciler
