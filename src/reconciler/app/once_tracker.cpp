#include "reconciler/app/once_tracker.hpp"

namespace dynamo::reconciler {
namespace {

constexpr std::chrono::minutes kLongest{10};

}  // namespace

std::optional<std::string> not_listed(const OnceTracker::Controllers& controllers,
                                      const InformerCache& cache) {
  bool all_begin = true;
  // Call can_begin() on every runner: the call also starts the timer after which it does without a
  // list.
  for (const auto& controller : controllers) {
    if (!controller->can_begin()) all_begin = false;
  }
  if (all_begin) return std::nullopt;
  return "not everything was listed yet: " + cache.incomplete();
}

bool OnceTracker::is_late(std::chrono::steady_clock::time_point now) const {
  return started_at_ && now - *started_at_ > kLongest;
}

std::optional<int> OnceTracker::exit_code(const std::string& refusal) {
  bool is_done = true;
  bool is_well = refusal.empty();
  for (const auto& controller : controllers_) {
    if (controller->reconciler().spec().conflicts_with_operator && !refusal.empty()) continue;
    if (controller->is_paused() || !controller->can_begin()) {
      is_done = false;
      continue;
    }
    await_all_of(*controller);
    if (controller->awaited() > 0) is_done = false;
    if (controller->awaited_failures() + controller->failures() + controller->defects() > 0)
      is_well = false;
  }
  if (!is_done) return std::nullopt;
  return is_well ? 0 : 1;
}

void OnceTracker::await_all_of(Controller& controller) {
  if (!started_.insert(&controller).second) return;
  if (!controller.is_synced()) {
    logger_.log(
        runtime::Level::kWarning, "a controller starts without a resource that cannot be listed",
        {{"controller", controller.reconciler().spec().name}, {"not_listed", cache_.incomplete()}});
  }
  controller.await_all();
}

int OnceTracker::give_up(const std::optional<std::string>& missing) const {
  std::size_t awaited = 0;
  for (const auto& controller : controllers_) awaited += controller->awaited();
  logger_.log(
      runtime::Level::kError, "not every object was reconciled in time",
      {{"limit_minutes", kLongest.count()},
       {"waits_for",
        missing.value_or(not_listed(controllers_, cache_).value_or("reconciles of objects"))},
       {"objects", awaited}});
  return 1;
}

}  // namespace dynamo::reconciler
