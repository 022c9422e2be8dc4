// kubectl dynamo lsp
#include <filesystem>
#include <istream>
#include <map>
#include <memory>
#include <ostream>
#include <string>
#include <system_error>
#include <utility>
#include <variant>

#include "cli/check/finding_filter.hpp"
#include "cli/check/validator.hpp"
#include "cli/commands/commands.hpp"
#include "cli/editor/framing.hpp"
#include "cli/editor/language_server.hpp"
#include "cli/formats/uri.hpp"
#include "cli/input/kustomize.hpp"
#include "cli/options/configuration.hpp"

namespace dynamo::cli {
namespace {

FoundValidator make_validator(const Options& options) {
  auto filter = FindingFilter::of(options);
  if (auto* const reason = std::get_if<std::string>(&filter)) return std::move(*reason);
  auto known = read_evaluation_options(options);
  if (auto* const fault = std::get_if<EvaluationOptionsFault>(&known))
    return std::move(fault->reason);
  return std::make_shared<DocumentValidator>(std::get<EvaluationOptions>(std::move(known)),
                                             std::get<FindingFilter>(std::move(filter)));
}

// Finds the configuration nearest to a document, as `validate` does for its file. A document that
// is not a file uses the folder in which the editor started the server.
class NearestValidators {
 public:
  explicit NearestValidators(const Options& options) : options_(options) {}

  FoundValidator of(std::string_view uri) {
    Options here = options_;
    const std::string file = file_of(uri);
    if (!file.empty() && is_patch(file)) {
      return "a kustomization names it as its patch: it is a part of an object";
    }
    here.filenames = {file.empty() ? std::string(kStandardInput) : file};
    auto resolved = with_configuration(here);
    if (auto* const reason = std::get_if<std::string>(&resolved)) return std::move(*reason);
    const auto& found = std::get<ResolvedOptions>(resolved);
    std::string key = key_of(found);
    if (const auto known = validators_.find(key); known != validators_.end()) return known->second;
    FoundValidator validator = make_validator(found.options);
    const auto* const created = std::get_if<std::shared_ptr<DocumentValidator>>(&validator);
    if (created == nullptr) return validator;
    // Documents share ownership, so clearing the cache is safe.
    constexpr std::size_t kMax = 16;
    if (validators_.size() == kMax) validators_.clear();
    validators_.emplace(std::move(key), *created);
    return validator;
  }

 private:
  // Everything that a verdict depends on: settings, and the current content of the files that they
  // name.
  static std::string key_of(const ResolvedOptions& resolved) {
    std::string key = resolved.file + '\n';
    for (const EffectiveSetting& setting : resolved.settings) {
      key += std::string(setting.name) + '=' + setting.value + '\n';
    }
    for (const std::string& file : {resolved.options.policy_file, resolved.options.baseline_file}) {
      std::error_code missing;
      const auto when = std::filesystem::last_write_time(file, missing);
      if (!missing) key += std::to_string(when.time_since_epoch().count()) + '\n';
    }
    return key;
  }

  const Options& options_;
  std::map<std::string, std::shared_ptr<DocumentValidator>> validators_;
};

int serve(LanguageServer& server, Streams& streams) {
  for (;;) {
    const auto read = read_message(streams.in);
    if (const auto* const fault = std::get_if<FramingFault>(&read)) {
      return refuse(streams, fault->reason);
    }
    // The client closed the stream without `exit`.
    if (std::holds_alternative<EndOfMessages>(read)) return kExitInvalid;
    for (const std::string& message : server.take(std::get<std::string>(read))) {
      write_message(streams.out, message);
    }
    if (server.exit_code()) return *server.exit_code();
    if (!streams.out.good()) return kExitUnusable;
  }
}

}  // namespace

int run_lsp(const Options& options, Streams& streams) {
  // An error on the command line is reported immediately, one in a document's configuration with
  // that document.
  NearestValidators nearest(options);
  const bool names_its_file = !options.config_file.empty() && options.config_file != "none";
  const FoundValidator first = names_its_file ? nearest.of({}) : make_validator(options);
  if (const auto* const reason = std::get_if<std::string>(&first)) {
    return refuse(streams, *reason);
  }
  LanguageServer server([&nearest](std::string_view uri) { return nearest.of(uri); });
  return serve(server, streams);
}

}  // namespace dynamo::cli
