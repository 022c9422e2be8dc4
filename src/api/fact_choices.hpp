// Flag values for facts about a cluster, shared by all our programs, such as --operator-generation
// and --discovery-backend. `Choice` pairs a word with its value; it belongs to the flag engine,
// which the core does not depend on.
#pragma once

#include <array>
#include <optional>

#include "api/context.hpp"

namespace dynamo::api {

template <template <class> class Choice>
inline constexpr std::array<Choice<OperatorGeneration>, 3> kGenerations{
    {{"unknown", OperatorGeneration::kUnknown},
     {"first", OperatorGeneration::kFirst},
     {"later", OperatorGeneration::kLater}}};

// The same for programs that can detect it in a cluster: nullopt, `auto`.
template <template <class> class Choice>
inline constexpr std::array<Choice<std::optional<OperatorGeneration>>, 4> kDetectableGenerations{
    {{"unknown", OperatorGeneration::kUnknown},
     {"first", OperatorGeneration::kFirst},
     {"later", OperatorGeneration::kLater},
     {"auto", std::nullopt}}};

// Values of ClusterFacts::kubernetes_discovery.
template <template <class> class Choice>
inline constexpr std::array<Choice<Fact>, 3> kBackends{
    {{"unknown", Fact::kUnknown}, {"kubernetes", Fact::kYes}, {"etcd", Fact::kNo}}};

// Values of a fact about a setting of the operator.
template <template <class> class Choice>
inline constexpr std::array<Choice<Fact>, 3> kSettings{
    {{"unknown", Fact::kUnknown}, {"enabled", Fact::kYes}, {"disabled", Fact::kNo}}};

}  // namespace dynamo::api
