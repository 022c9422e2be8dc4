#include "runtime/reload_state.hpp"

#include <utility>

namespace dynamo::runtime {

ReloadState::ReloadState(std::string_view what, Logger& logger)
    : ReloadState(what,
                  {.with_older = std::string(what) + " refused",
                   .without_older = std::string(what) + " refused"},
                  logger) {}

ReloadState::ReloadState(std::string_view what, RefusalMessages refusals, Logger& logger)
    : what_(what), refusals_(std::move(refusals)), logger_(logger) {}

bool ReloadState::is_loaded(const std::string& digest) {
  if (digest != loaded_) return false;
  refused_.clear();
  problem_.clear();
  return true;
}

void ReloadState::loaded(const std::string& digest) {
  loaded_ = digest;
  refused_.clear();
  problem_.clear();
}

void ReloadState::refused(const std::string& digest, const std::string& reason, bool in_use) {
  problem_ = reason;
  if (digest == refused_) return;
  refused_ = digest;
  errors_.fetch_add(1, std::memory_order_relaxed);
  logger_.log(Level::kError, in_use ? refusals_.with_older : refusals_.without_older,
              {{"reason", reason}, {"older_one_stays_in_use", in_use}});
}

void ReloadState::waiting(const std::string& reason) {
  if (problem_ == reason) return;
  problem_ = reason;
  refused_.clear();
  logger_.log(Level::kWarning, "waiting for the " + what_, {{"reason", reason}});
}

}  // namespace dynamo::runtime
