// How every program of ours writes what people say of a cluster: --operator-generation and
// --discovery-backend. `Choice` is a word and its value: the flag engine's, which the core does not
// see.
#pragma once

#include <array>

#include "api/context.hpp"

namespace dynamo::api {

template <template <class> class Choice>
inline constexpr std::array<Choice<OperatorGeneration>, 3> kGenerations{
    {{"unknown", OperatorGeneration::kUnknown},
     {"first", OperatorGeneration::kFirst},
     {"later", OperatorGeneration::kLater}}};

// Of ClusterFacts::kubernetes_discovery.
template <template <class> class Choice>
inline constexpr std::array<Choice<Fact>, 3> kBackends{
    {{"unknown", Fact::kUnknown}, {"kubernetes", Fact::kYes}, {"etcd", Fact::kNo}}};

}  // namespace dynamo::api
