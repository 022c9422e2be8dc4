// kubectl-dynamo, which kubectl runs as `kubectl dynamo`.
#include <cstddef>
#include <span>

#include "main/cli_process.hpp"
#include "main/static_libraries.hpp"

int main(int argc, char** argv) {
  if constexpr (DYNAMO_STATIC != 0) configure_static_libraries();
  return run_cli_process(
      std::span<const char* const>(argv + 1, static_cast<std::size_t>(argc > 0 ? argc - 1 : 0)));
}
