#include "certs/client_ca.hpp"

#include <algorithm>
#include <filesystem>
#include <optional>
#include <span>
#include <string_view>
#include <utility>

#include "certs/content_digest.hpp"
#include "certs/file_io.hpp"
#include "text/timestamp.hpp"

namespace dynamo::certs {

ClientCa::ClientCa(std::string file, std::vector<std::string> allowed_names,
                   const runtime::Clock& clock, runtime::Logger& logger)
    : file_(std::move(file)),
      allowed_names_(std::move(allowed_names)),
      clock_(clock),
      logger_(logger),
      state_("client CA", logger) {}

bool ClientCa::poll() {
  auto content = read_file(file_, kMaxBytes);
  if (!content) {
    state_.refused(content.error().text, content.error().text, current_ != nullptr);
    return false;
  }
  if (!*content) {
    const std::string reason = file_ + ": is missing";
    if (current_) {
      state_.refused(reason, reason, true);
    } else {
      state_.waiting(reason +
                     "; write the bundle to the file of --client-ca-file, which needs no restart");
    }
    return false;
  }
  const std::string digest = ContentDigest().add(**content).finish();
  if (state_.is_loaded(digest)) return false;
  auto checked = check(std::move(**content));
  if (!checked) {
    state_.refused(digest, checked.error().text, current_ != nullptr);
    return false;
  }
  current_ = std::make_shared<const ClientVerification>(std::move(*checked));
  state_.loaded(digest);
  return true;
}

std::string ClientCa::directory() const {
  const std::string parent = std::filesystem::path(file_).parent_path().string();
  return parent.empty() ? "." : parent;
}

Result<ClientVerification> ClientCa::check(std::string pem) const {
  auto certificates = read_bundle(pem, file_);
  if (!certificates) return certificates.error();
  const auto last =
      std::max_element(certificates->begin(), certificates->end(),
                       [](const auto& a, const auto& b) { return a.not_after < b.not_after; });
  // A rotation leaves expired certificates next to valid ones.
  if (clock_.wall() > last->not_after) {
    return Error{file_ + ": every certificate has expired, the last one at " +
                 text::format_timestamp(last->not_after)};
  }
  // One line regardless of the bundle's length; the first few subjects identify the bundle.
  constexpr std::size_t kNamedSubjects = 8;
  std::vector<std::string_view> subjects;
  for (std::size_t i = 0; i < std::min(kNamedSubjects, certificates->size()); ++i) {
    subjects.push_back((*certificates)[i].subject);
  }
  logger_.log(runtime::Level::kInfo, "client CA in use",
              {{"file", file_},
               {"certificates", certificates->size()},
               {"subjects", std::span<const std::string_view>(subjects)},
               {"not_after", text::format_timestamp(last->not_after)}});
  return ClientVerification{std::move(pem), allowed_names_, last->not_after};
}

}  // namespace dynamo::certs
