// The pair in a directory, as in a mounted Secret: tls.crt and tls.key, loaded as one unit. A bad
// pair is refused and the previous one stays in use, so half-written states resolve by themselves.
#pragma once

#include <cstddef>
#include <optional>
#include <string>

#include "certs/source.hpp"
#include "runtime/clock.hpp"
#include "runtime/log.hpp"
#include "runtime/reload_state.hpp"

namespace dynamo::certs {

class FilesSource final : public Source {
 public:
  // Larger files are refused. A Secret holds at most 1 MiB in total.
  static constexpr std::size_t kMaxCertificateBytes = 512 * 1024;
  static constexpr std::size_t kMaxKeyBytes = 64 * 1024;

  // Reads nothing yet. `clock` and `logger` must outlive this.
  FilesSource(std::string directory, const runtime::Clock& clock, runtime::Logger& logger);

  bool poll() override;
  std::shared_ptr<const CheckedPair> current() const override { return current_; }
  std::string problem() const override { return state_.problem(); }
  std::string directory() const override { return directory_; }
  std::uint64_t errors() const override { return state_.errors(); }

 private:
  struct Content;

  Content read() const;
  Content read_settled() const;
  Result<CheckedPair> check(Content content) const;

  const std::string directory_;
  const std::string certificate_path_;
  const std::string key_path_;
  const runtime::Clock& clock_;
  runtime::Logger& logger_;
  runtime::ReloadState state_;
  std::shared_ptr<const CheckedPair> current_;
};

// Logs the certificate that is now in use, one line at info; also used by the other sources.
void log_certificate(runtime::Logger& logger, const CertificateFacts& leaf,
                     std::string_view origin);

}  // namespace dynamo::certs
