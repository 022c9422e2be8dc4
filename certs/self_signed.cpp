#include "certs/self_signed.hpp"

#include <unistd.h>

#include <algorithm>
#include <array>
#include <utility>

#include "certs/file_io.hpp"
#include "certs/files_source.hpp"

namespace dynamo::certs {
namespace {

constexpr int kCaLifetimes = 40;
constexpr const char* kCaFile = "ca.crt";

std::vector<std::string> server_names(const std::vector<std::string>& extra) {
  std::vector<std::string> names = {"localhost", "127.0.0.1", "::1"};
  const auto add = [&names](const std::string& name) {
    if (!name.empty() && std::find(names.begin(), names.end(), name) == names.end()) {
      names.push_back(name);
    }
  };
  std::array<char, 256> host{};
  if (::gethostname(host.data(), host.size() - 1) == 0) add(host.data());
  for (const std::string& name : extra) add(name);
  return names;
}

}  // namespace

SelfSignedSource::SelfSignedSource(SelfSignedOptions options, const runtime::Clock& clock,
                                   runtime::Logger& logger)
    : options_(std::move(options)),
      clock_(clock),
      logger_(logger),
      state_("self-signed certificate", logger) {}

bool SelfSignedSource::poll() {
  bool changed = false;
  if (!is_fresh()) {
    auto made = make(clock_.wall());
    if (made) {
      current_ = std::make_shared<const CheckedPair>(std::move(*made));
      state_.loaded(current_->leaf.fingerprint);
      log_certificate(logger_, current_->leaf, "self-signed");
      changed = true;
    } else {
      state_.refused(made.error().text, made.error().text, current_ != nullptr);
    }
  }
  if (!options_.ca_directory.empty() && written_ca_ != ca_.certificate_pem) write_ca();
  return changed;
}

// Also false if the clock was set back to before the leaf's start.
bool SelfSignedSource::is_fresh() const {
  if (!current_) return false;
  const TimePoint now = clock_.wall();
  return now < renew_at_ && now >= current_->leaf.not_before;
}

Result<void> SelfSignedSource::renew_ca(TimePoint now) {
  const TimePoint not_after = now + kCaLifetimes * options_.lifetime;
  auto ca = make_ca("dynamo-webhook self-signed CA", now - kBackDate, not_after);
  if (!ca) return ca.error();
  ca_ = std::move(*ca);
  ca_not_after_ = not_after;
  return {};
}

Result<CheckedPair> SelfSignedSource::make(TimePoint now) {
  const bool clock_went_back = current_ && now < current_->leaf.not_before;
  if (ca_.key_pem.empty() || clock_went_back || now + options_.lifetime > ca_not_after_) {
    if (auto renewed = renew_ca(now); !renewed) return renewed.error();
  }
  LeafRequest request;
  request.names = server_names(options_.names);
  request.not_before = now - kBackDate;
  request.not_after = now + options_.lifetime;
  auto issued = issue(ca_, request);
  if (!issued) return issued.error();
  auto checked = check_pair(std::move(issued->pair), {});
  if (checked) renew_at_ = now + options_.lifetime * 2 / 3;
  return checked;
}

void SelfSignedSource::write_ca() {
  const auto written = write_file_atomically(options_.ca_directory, kCaFile, ca_.certificate_pem);
  if (written) {
    written_ca_ = ca_.certificate_pem;
    write_problem_.clear();
  } else if (write_problem_ != written.error().text) {
    write_problem_ = written.error().text;
    write_errors_.fetch_add(1);
    logger_.log(runtime::Level::kError, "certificate of the self-signed CA not written",
                {{"reason", write_problem_}});
  }
}

}  // namespace dynamo::certs
