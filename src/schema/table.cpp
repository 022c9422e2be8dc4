#include "schema/table.hpp"

#include <cstddef>

#include "api/context.hpp"
#include "api/kind.hpp"

namespace dynamo::schema {
namespace {

// The six validated kinds and DynamoWorkerMetadata.
constexpr std::size_t kKindsOfFirst = api::kKindCount + 1;

const Resource* find_in(std::span<const Resource> resources, std::string_view kind,
                        std::string_view api_version) {
  for (const Resource& resource : resources) {
    if (resource.kind == kind && resource.api_version == api_version) return &resource;
  }
  return nullptr;
}

}  // namespace

std::span<const Resource> resources() {
  return all_resources().first(kKindsOfFirst);
}

std::span<const Resource> later_resources() {
  return all_resources().subspan(kKindsOfFirst);
}

const Resource* find_resource(std::string_view kind) {
  for (const Resource& resource : resources()) {
    if (resource.kind == kind) return &resource;
  }
  return nullptr;
}

const Resource* find_resource(std::string_view kind, std::string_view api_version,
                              api::OperatorGeneration generation) {
  const bool is_later =
      generation == api::OperatorGeneration::kLater || api_version != api::kApiVersion;
  return find_in(is_later ? later_resources() : resources(), kind, api_version);
}

}  // namespace dynamo::schema
