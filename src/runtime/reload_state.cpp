#include "runtime/reload_state.hpp"

namespace dynamo::runtime {

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
  logger_.log(Level::kError, what_ + " refused",
              {{"reason", reason}, {"older_one_stays_in_use", in_use}});
}

void ReloadState::waiting(const std::string& reason) {
  if (problem_ == reason) return;
  problem_ = reason;
  refused_.clear();
  logger_.log(Level::kWarning, "waiting for the " + what_, {{"reason", reason}});
}

}  // namespace dynamo::runtime
