// A CA and a leaf created in memory, for development: keys are never written to disk. The leaf is
// renewed automatically.
#pragma once

#include <atomic>
#include <chrono>
#include <cstdint>
#include <string>
#include <vector>

#include "certs/issue.hpp"
#include "certs/source.hpp"
#include "runtime/clock.hpp"
#include "runtime/log.hpp"
#include "runtime/reload_state.hpp"

namespace dynamo::certs {

struct SelfSignedOptions {
  // Lifetime of a leaf, which is renewed after two thirds of it. The CA lives 40 times as long.
  std::chrono::seconds lifetime = std::chrono::hours(24 * 90);
  // In addition to localhost, 127.0.0.1, ::1 and the host name.
  std::vector<std::string> names;
  // Directory for ca.crt, the public certificate that clients trust; empty: it is not written. Must
  // exist, see make_writable_directory().
  std::string ca_directory;
};

class SelfSignedSource final : public Source {
 public:
  // Both start this long before now, for clients whose clocks are behind.
  static constexpr std::chrono::minutes kBackDate{5};

  // Creates nothing before the first poll. `clock` and `logger` must outlive this.
  SelfSignedSource(SelfSignedOptions options, const runtime::Clock& clock, runtime::Logger& logger);

  bool poll() override;
  std::shared_ptr<const CheckedPair> current() const override { return current_; }
  std::string problem() const override { return state_.problem(); }
  std::string directory() const override { return {}; }
  std::uint64_t errors() const override { return state_.errors() + write_errors_.load(); }

  // The CA's certificate as PEM; empty before the first poll. Control loop only.
  const std::string& ca_pem() const { return ca_.certificate_pem; }

 private:
  bool is_fresh() const;
  Result<void> renew_ca(TimePoint now);
  Result<CheckedPair> make(TimePoint now);
  void write_ca();

  const SelfSignedOptions options_;
  const runtime::Clock& clock_;
  runtime::Logger& logger_;
  runtime::ReloadState state_;
  KeyPair ca_;
  TimePoint ca_not_after_{};
  std::string written_ca_;
  std::string write_problem_;  // already logged
  std::atomic<std::uint64_t> write_errors_{0};
  TimePoint renew_at_{};
  std::shared_ptr<const CheckedPair> current_;
};

}  // namespace dynamo::certs
