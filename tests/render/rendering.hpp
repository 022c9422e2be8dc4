// Manifests written as YAML snippets, and what is rendered of them as JSON text, for the tests of
// src/render.
#pragma once

#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "json/document.hpp"
#include "render/rendered_component.hpp"
#include "render/write.hpp"

namespace dynamo::test {

// A document from YAML; throws std::runtime_error when it cannot be read.
class Yaml {
 public:
  explicit Yaml(std::string_view text);
  json::Value root() const { return document_.root(); }

 private:
  json::Document document_;
};

// The operator as its chart installs it: Kubernetes discovery, nothing else configured.
render::Profile plain_profile(render::Pathway pathway = render::Pathway::kComponent);

// An object in namespace "ml" with all that rendering needs around it. Not copyable: components
// point into it.
class Manifest {
 public:
  // `yaml`: `metadata` (or nothing, then the name is "llama") and `spec`.
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

// The only service "Worker" of a graph "llama", from the YAML of its spec; its type and image are
// given when the text does not.
class OneService : public Manifest {
 public:
  explicit OneService(std::string_view service, render::Profile profile = plain_profile(),
                      std::string_view spec = "");
  render::Component component() const { return service("Worker"); }
  render::Pod pod(render::Role role = render::Role::kMain) const {
    return render::render_pod(component(), role, arena());
  }
};

// "NAME=value" of every variable, in order; "NAME=<field>" of the downward API, "NAME=<>" of the
// user's valueFrom, and a "?" behind what is not certain.
std::vector<std::string> text_of(std::span<const render::Variable> variables);
// Only those whose name begins so.
std::vector<std::string> text_of(std::span<const render::Variable> variables,
                                 std::string_view prefix);
// "name limit/request".
std::vector<std::string> text_of(const render::Resources& resources);
// "volume at path", " ro" behind it when it is read-only, "?" when it is not certain.
std::vector<std::string> text_of(std::span<const render::Mount> mounts);
// "key=value", and a "?" behind what is not certain.
std::vector<std::string> text_of(std::span<const render::Label> labels);
std::vector<std::string> text_of(std::span<const std::string_view> texts);
// Compact JSON; "" for what is not there.
std::string text_of(const render::Overlay& overlay);
std::string text_of(json::Value value);

// The volumes as a PodSpec lists them.
std::vector<std::string> volumes_of(const render::Component& component, const render::Pod& pod,
                                    render::Arena& arena);

// The path of a service's origin, as an error shows it.
std::string path_of(const render::Origin& origin);

}  // namespace dynamo::test
