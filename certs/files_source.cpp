#include "certs/files_source.hpp"

#include <openssl/crypto.h>

#include <optional>
#include <string_view>
#include <utility>
#include <vector>

#include "certs/content_digest.hpp"
#include "certs/file_io.hpp"
#include "text/timestamp.hpp"

namespace dynamo::certs {
namespace {

constexpr const char* kCertificateFile = "tls.crt";
constexpr const char* kKeyFile = "tls.key";
constexpr std::string_view kAdvice =
    "; write tls.crt and tls.key to the directory of --cert-dir, which needs no restart, or "
    "restart with --cert-mode self-signed or managed";

// A part of the digest: the content, or why it could not be read.
void add_part(ContentDigest& digest, const Result<std::optional<std::string>>& file) {
  if (!file) {
    digest.add("unreadable").add(file.error().text);
  } else if (!*file) {
    digest.add("missing").add("");
  } else {
    digest.add("content").add(**file);
  }
}

bool is_missing(const Result<std::optional<std::string>>& file) {
  return file && !*file;
}

}  // namespace

// The result of reading both files. Wipes the key if it was not moved out.
struct FilesSource::Content {
  Result<std::optional<std::string>> certificate;
  Result<std::optional<std::string>> key;
  std::string digest;

  Content(Result<std::optional<std::string>> certificate_file,
          Result<std::optional<std::string>> key_file)
      : certificate(std::move(certificate_file)), key(std::move(key_file)) {
    ContentDigest parts;
    add_part(parts, certificate);
    add_part(parts, key);
    digest = parts.finish();
  }
  Content(Content&&) = default;
  Content& operator=(Content&&) = delete;
  ~Content() {
    if (key && *key) OPENSSL_cleanse((*key)->data(), (*key)->size());
  }
};

FilesSource::FilesSource(std::string directory, const runtime::Clock& clock,
                         runtime::Logger& logger)
    : directory_(std::move(directory)),
      certificate_path_(join_path(directory_, kCertificateFile)),
      key_path_(join_path(directory_, kKeyFile)),
      clock_(clock),
      logger_(logger),
      state_("certificate", logger) {}

bool FilesSource::poll() {
  Content content = read_settled();
  const std::string digest = content.digest;
  if (state_.is_loaded(digest)) return false;
  if (!current_ && (is_missing(content.certificate) || is_missing(content.key))) {
    const char* missing = is_missing(content.certificate) ? kCertificateFile : kKeyFile;
    state_.waiting(std::string(missing) + " is missing in " + directory_ + std::string(kAdvice));
    return false;
  }
  auto checked = check(std::move(content));
  if (!checked) {
    state_.refused(digest, checked.error().text, current_ != nullptr);
    return false;
  }
  current_ = std::make_shared<const CheckedPair>(std::move(*checked));
  state_.loaded(digest);
  log_certificate(logger_, current_->leaf, directory_);
  return true;
}

FilesSource::Content FilesSource::read() const {
  return Content(read_file(certificate_path_, kMaxCertificateBytes),
                 read_file(key_path_, kMaxKeyBytes));
}

// The directory may be swapped between the two reads, which would look like a mismatch. Two
// consecutive equal reads are accepted. If the files keep changing, the next poll tries again.
FilesSource::Content FilesSource::read_settled() const {
  constexpr int kMoreReads = 3;
  std::optional<Content> content(read());
  for (int i = 0; i < kMoreReads; ++i) {
    const std::string before = content->digest;
    content.emplace(read());
    if (content->digest == before) break;
  }
  return std::move(*content);
}

Result<CheckedPair> FilesSource::check(Content content) const {
  if (!content.certificate) return content.certificate.error();
  if (!content.key) return content.key.error();
  if (!*content.certificate) return Error{certificate_path_ + ": is missing"};
  if (!*content.key) return Error{key_path_ + ": is missing"};
  auto checked = check_pair(KeyPair(std::move(**content.certificate), std::move(**content.key)),
                            {certificate_path_, key_path_});
  if (!checked) return checked;
  const std::string problem = validity_problem(checked->leaf, clock_.wall());
  if (!problem.empty()) return Error{certificate_path_ + ": " + problem};
  return checked;
}

void log_certificate(runtime::Logger& logger, const CertificateFacts& leaf,
                     std::string_view origin) {
  const std::vector<std::string_view> names(leaf.names.begin(), leaf.names.end());
  logger.log(runtime::Level::kInfo, "certificate in use",
             {{"origin", origin},
              {"subject", leaf.subject},
              {"names", std::span<const std::string_view>(names)},
              {"not_after", text::format_timestamp(leaf.not_after)},
              {"fingerprint", leaf.fingerprint}});
}

}  // namespace dynamo::certs
