#include "runtime/build_info.hpp"

namespace dynamo::runtime {

std::string_view program_version() {
  return DYNAMO_VERSION;
}

}  // namespace dynamo::runtime
