#include "validators/rendered/multinode/launch.hpp"

#include <algorithm>

#include "validators/rendered/command_words.hpp"

namespace dynamo::validators::multinode {

bool runs_python(const render::Container& main) {
  return !main.command.empty() && render::is_python_interpreter(main.command.items.front());
}

bool takes_flags(const RenderedPod& pod) {
  const render::Container& main = pod.pod->main();
  if (runs_python(main)) return true;
  return std::ranges::any_of(main.args.items, [&](std::string_view text) {
    return render::find_python_command(text, pod.pod->backend.framework, 0).found;
  });
}

bool connects_nodes_itself(const render::Container& main) {
  if (mentions(main, {"--nnodes", "--node-rank", "--node_rank", "--dist-init-addr",
                      "--dist_init_addr", "--nccl-init-addr", "--data-parallel-address",
                      "--data-parallel-rank", "--data-parallel-start-rank", "--headless",
                      "torchrun", "mpirun", "GROVE_", "LWS_"})) {
    return true;
  }
  bool found = false;
  for_each_word(main, [&](std::string_view word) {
    found = found || word == "ray" || word == "-dpa" || word == "-dpr" || word == "-dpn";
  });
  return found || std::ranges::any_of(main.variables, [](const render::Variable& variable) {
           return variable.name == "RAY_ADDRESS" || variable.name == "MASTER_ADDR";
         });
}

render::Origin command_line(const render::Container& main) {
  if (!main.args.origin.is_generated()) return main.args.origin;
  if (!main.command.origin.is_generated()) return main.command.origin;
  return {.block = render::Block::kMainContainer};
}

}  // namespace dynamo::validators::multinode
