#include "certs/reload_state.hpp"

#include <array>
#include <cassert>

#include "tls/openssl.hpp"

namespace dynamo::certs {
namespace {

std::string sha256(std::string_view bytes) {
  std::array<unsigned char, EVP_MAX_MD_SIZE> digest{};
  unsigned size = 0;
  const int done =
      EVP_Digest(bytes.data(), bytes.size(), digest.data(), &size, EVP_sha256(), nullptr);
  assert(done == 1);
  static_cast<void>(done);
  return std::string(reinterpret_cast<const char*>(digest.data()), size);
}

}  // namespace

ContentDigest& ContentDigest::add(std::string_view part) {
  joined_ += sha256(part);
  return *this;
}

std::string ContentDigest::finish() const {
  return sha256(joined_);
}

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
  logger_.log(runtime::Level::kError, what_ + " refused",
              {{"reason", reason}, {"older_one_stays_in_use", in_use}});
}

void ReloadState::waiting(const std::string& reason) {
  if (problem_ == reason) return;
  problem_ = reason;
  refused_.clear();
  logger_.log(runtime::Level::kWarning, "waiting for the " + what_, {{"reason", reason}});
}

}  // namespace dynamo::certs
