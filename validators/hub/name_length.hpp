// The lengths of the names of Grove's objects, which together must stay within 45 characters.
#pragma once

#include <cstddef>
#include <string>
#include <string_view>

#include "json/document.hpp"

namespace dynamo::validators::hub {

// The most characters of the names of a PodCliqueSet, a scaling group and a clique together.
inline constexpr std::size_t kLongestGroveName = 45;

// The characters that a component needs in addition to the name of its PodCliqueSet: its own name,
// and the longest name of a clique if it is a scaling group.
std::size_t name_budget(json::Value component);

// The PodCliqueSet of a graph: the graph's name, shortened by a hash if a component would not fit.
std::string pod_clique_set_name(std::string_view graph, json::Value components);

}  // namespace dynamo::validators::hub
