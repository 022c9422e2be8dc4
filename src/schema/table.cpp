#include "schema/table.hpp"

namespace dynamo::schema {

const Resource* find_resource(std::string_view kind) {
  for (const Resource& resource : resources()) {
    if (resource.kind == kind) return &resource;
  }
  return nullptr;
}

}  // namespace dynamo::schema
