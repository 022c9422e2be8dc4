// How later operators start vLLM with elastic expert parallelism: with a Ray cluster of its own.
#pragma once

#include <span>
#include <string>
#include <string_view>

namespace dynamo::render {

// Whether the words of a command line enable it.
bool is_elastic(std::span<const std::string_view> words);

// Whether they let Ray run the replicas of data parallelism.
bool has_ray_backend(std::span<const std::string_view> words);

// Scripts of a shell. `engine` is the engine's command line, quoted for the shell; `leader` is the
// host of the leader.
std::string elastic_leader_script(std::string_view engine);
std::string elastic_worker_script(std::string_view leader);
std::string lone_ray_script(std::string_view engine);

}  // namespace dynamo::render
