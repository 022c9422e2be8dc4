// Manifests from YAML snippets, and rendered items as JSON text, for the tests of src/render.
#pragma once

#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "json/document.hpp"
#include "render/component/component.hpp"
#include "render/component/services.hpp"
#include "render/document/arena.hpp"
#include "render/document/profile.hpp"
#include "render/object/write.hpp"
#include "render/pod/launch.hpp"
#include "render/pod/pod.hpp"

namespace dynamo::test {

// A document from YAML; throws std::runtime_error if it cannot be parsed.
class Yaml {
 public:
  explicit Yaml(std::string_view text);
  json::Value root() const { return document_.root(); }

 private:
  json::Document document_;
};

// The operator as its chart installs it: Kubernetes discovery, nothing else configured.
render::Profile plain_profile(render::Pathway pathway = render::Pathway::kComponent);

// An object in namespace "ml" with all inputs of rendering. Not copyable, because components point
// into it.
class Manifest {
 public:
  // `yaml`: `metadata` (default: the name "llama") and `spec`.
  explicit Manifest(std::string_view yaml, render::Profile profile = plain_profile());
  Manifest(const Manifest&) = delete;
  Manifest& operator=(const Manifest&) = delete;

  api::GraphDeployment graph() const { return api::GraphDeployment{document_.root()}; }
  // A service of a DynamoGraphDeployment.
  render::Component service(std::string_view name) const;
  // The object as a DynamoComponentDeployment.
  render::Component component() const;

  render::Arena& arena() const { return arena_; }
  render::Profile profile;

 private:
  Yaml document_;
  mutable render::Arena arena_;
};

// The only service "Worker" of a graph "llama", from the YAML of its spec; type and image have
// defaults.
class OneService : public Manifest {
 public:
  explicit OneService(std::string_view service, render::Profile profile = plain_profile(),
                      std::string_view spec = "");
  render::Component component() const { return service("Worker"); }
  render::Pod pod(render::PodRole role = render::PodRole::kMain) const {
    return render::render_pod(component(), role, arena());
  }
};

// "NAME=value" for every variable, in order; "NAME=<field>" for the downward API, "NAME=<>" for the
// user's valueFrom, with a "?" after uncertain ones.
std::vector<std::string> text_of(std::span<const render::Variable> variables);
// Only those whose name has that prefix.
std::vector<std::string> text_of(std::span<const render::Variable> variables,
                                 std::string_view prefix);
// "name limit/request".
std::vector<std::string> text_of(const render::Resources& resources);
// "volume at path", followed by " ro" if it is read-only and "?" if it is uncertain.
std::vector<std::string> text_of(std::span<const render::Mount> mounts);
// "key=value", followed by "?" if it is uncertain.
std::vector<std::string> text_of(std::span<const render::Label> labels);
std::vector<std::string> text_of(std::span<const std::string_view> texts);
// Compact JSON; "" for an absent value.
std::string text_of(const render::Overlay& overlay);
std::string text_of(json::Value value);

// The volumes as a PodSpec lists them.
std::vector<std::string> volumes_of(const render::Component& component, const render::Pod& pod,
                                    render::Arena& arena);

// The path of a service's origin as an error shows it.
std::string path_of(const render::Origin& origin);

}  // namespace dynamo::test
