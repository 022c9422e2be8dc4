// The operator of a case: its flags, and the objects that it reads from the namespace.
#pragma once

#include <memory>
#include <string_view>
#include <vector>

#include "json/parser.hpp"
#include "manifests/environment.hpp"
#include "tests/controller_cases/store.hpp"

namespace dynamo::cases {

// An environment together with the documents that it points into.
struct Operator {
  render::RenderEnvironment environment;
  std::vector<std::unique_ptr<json::ParsedText>> documents;
};

// Whether Grove is available and the graph does not opt out.
bool runs_by_grove(const Value& flags, const Value& graph);
// The pathway of objects that do not use Grove.
render::Pathway component_pathway(const Value& flags);

// `flags`: input.operator, or null.
Operator operator_of(const Value& flags, const Store& store, std::string_view space);

}  // namespace dynamo::cases
