#include <array>

#include "validators/catalog.hpp"
#include "validators/rendered/storage/storage.hpp"
#include "validators/rule_groups.hpp"

namespace dynamo::validators {
namespace {

using api::Kind;
using api::Operation;

constexpr SetOf<Operation> kAlways{Operation::kCreate, Operation::kUpdate};
constexpr SetOf<Operation> kOnUpdate{Operation::kUpdate};
constexpr SetOf<Kind> kGraph{Kind::kGraphDeployment};
constexpr SetOf<Kind> kServices{Kind::kGraphDeployment, Kind::kComponentDeployment};
constexpr SetOf<Kind> kPods{Kind::kGraphDeployment, Kind::kComponentDeployment, Kind::kCheckpoint};
constexpr Severity kDeny = Severity::kDeny;
constexpr Severity kWarn = Severity::kWarn;
constexpr Ratchet kStricter = Ratchet::kYes;

// clang-format off
constexpr std::array kRules = std::to_array<Rule>({
    {"storage.mount.duplicate-volume", kServices, kAlways, kDeny, kStricter, &storage::duplicate_volume,
     "P.volumeMounts[i].name"},
    {"storage.mount.path", kPods, kAlways, kDeny, kStricter, &storage::mount_path,
     "volumeMounts[i]"},
    {"storage.mount.unknown-volume", kPods, kAlways, kDeny, kStricter, &storage::unknown_volume,
     "volumeMounts[i].name"},
    {"storage.pvc.access-mode", kGraph, kAlways, kWarn, kStricter, &storage::access_mode,
     "spec.pvcs[i].volumeAccessMode"},
    {"storage.pvc.spec", kServices, kAlways, kDeny, kStricter, &storage::claim_spec,
     "spec.pvcs[i]"},
    {"storage.cache.backend", kServices, kAlways, kDeny, kStricter, &storage::cache_backend,
     "P.volumeMounts[i].useAsCompilationCache"},
    {"storage.shm.size", kServices, kAlways, kDeny, kStricter, &storage::shared_memory,
     "P.sharedMemory.size"},
    {"update.ignored-fields", kGraph, kOnUpdate, kWarn, kStricter, &storage::ignored_fields,
     "spec"},
});
// clang-format on

}  // namespace

std::span<const Rule> storage_rules() {
  return kRules;
}

}  // namespace dynamo::validators
