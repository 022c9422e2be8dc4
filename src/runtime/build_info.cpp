#include "runtime/build_info.hpp"

namespace dynamo::runtime {

std::string_view program_version() {
  return DYNAMO_VERSION;
}

std::string user_agent(std::string_view program) {
  return std::string(program) + "/" + std::string(program_version());
}

}  // namespace dynamo::runtime
