#include "defaulters/catalog.hpp"

#include <algorithm>
#include <array>
#include <variant>

#include "defaulters/graph_deployment.hpp"

namespace dynamo::defaulters {
namespace {

using api::Kind;

// clang-format off
constexpr std::array kCatalog = std::to_array<Default>({
    {"dgd.default.origin-version", Kind::kGraphDeployment, true, false, &graph_deployment::origin_version,
     "metadata.annotations[nvidia.com/dynamo-operator-origin-version]", "the operator version under which a graph was created is noted on it"},
    {"dgd.default.replicas", Kind::kGraphDeployment, true, true, &graph_deployment::replicas,
     "spec.services[NAME].replicas", "a service that does not set its number of replicas gets one, or keeps the number that its scaling adapter set"},
});
// clang-format on
static_assert(std::ranges::all_of(kCatalog,
                                  [](const Default& row) {
                                    return reads_kind(row.function, row.kind);
                                  }),
              "a default must see the kind that it is for");

bool applies(const Default& row, const api::Context& context) {
  if (row.kind != context.kind) return false;
  return (row.on_create && context.operation == api::Operation::kCreate) ||
         (row.on_update && context.operation == api::Operation::kUpdate);
}

}  // namespace

std::span<const Default> catalog() {
  return kCatalog;
}

void apply_defaults(std::span<const Default> table, const api::Context& context, json::Value object,
                    json::Value old, json::PatchWriter& patch) {
  for (const Default& row : table) {
    if (!applies(row, context)) continue;
    std::visit([&]<typename View>(
                   DefaultOn<View> function) { function(context, View{object}, View{old}, patch); },
               row.function);
  }
}

void apply_defaults(const api::Context& context, json::Value object, json::Value old,
                    json::PatchWriter& patch) {
  apply_defaults(kCatalog, context, object, old, patch);
}

}  // namespace dynamo::defaulters
