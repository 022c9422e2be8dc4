// The language server: converts client messages to responses and notifications. Does no I/O.
#pragma once

#include <cstddef>
#include <functional>
#include <map>
#include <memory>
#include <optional>
#include <set>
#include <string>
#include <string_view>
#include <utility>
#include <variant>
#include <vector>

#include "cli/check/finding_filter.hpp"
#include "cli/check/validator.hpp"
#include "cli/fix/text_fixer.hpp"
#include "json/document.hpp"
#include "json/parser.hpp"

namespace dynamo::cli {

// Limits; the server refuses documents beyond them with a message.
inline constexpr std::size_t kMaxOpenDocuments = 256;
inline constexpr std::size_t kMaxSkipped = 4096;
inline constexpr std::size_t kLongestOpenDocument = kLongestFixedText;

// Evaluates and fixes documents. Not thread-safe.
class DocumentValidator {
 public:
  DocumentValidator(EvaluationOptions evaluation_options, FindingFilter filter)
      : evaluation_options_(std::move(evaluation_options)),
        filter_(std::move(filter)),
        validator_(evaluation_options_, nullptr),
        fixer_(evaluation_options_, filter_) {}
  // Not copyable: members refer to each other.
  DocumentValidator(const DocumentValidator&) = delete;
  DocumentValidator& operator=(const DocumentValidator&) = delete;

  ManifestValidator& validator() { return validator_; }
  const FindingFilter& filter() const { return filter_; }
  TextFixer& fixer() { return fixer_; }

 private:
  const EvaluationOptions evaluation_options_;
  const FindingFilter filter_;
  ManifestValidator validator_;
  TextFixer fixer_;
};

// Returns the evaluator of a document by its URI, or why there is none, which is reported in place
// of diagnostics. Documents may share one.
using FoundValidator = std::variant<std::shared_ptr<DocumentValidator>, std::string>;
using ValidatorFinder = std::function<FoundValidator(std::string_view uri)>;

// Holds the open documents. Not thread-safe.
class LanguageServer {
 public:
  // Calls `find_validator` whenever a document is opened.
  explicit LanguageServer(ValidatorFinder find_validator)
      : find_validator_(std::move(find_validator)) {}

  // Handles any message; returns the messages to send, in order. Throws only std::bad_alloc.
  std::vector<std::string> take(std::string_view message);

  // Set after the client sends `exit`: 0 after `shutdown`, else 1.
  std::optional<int> exit_code() const { return exit_code_; }

 private:
  class Call;
  struct Row;
  struct OpenDocument {
    std::string text;
    FoundValidator validator;
  };

  ValidatorFinder find_validator_;
  json::Parser parser_;
  std::map<std::string, OpenDocument, std::less<>> documents_;  // by URI
  std::set<std::string, std::less<>> skipped_;  // URIs of open documents beyond the limits
  bool initialized_ = false;
  bool shut_down_ = false;
  std::optional<int> exit_code_;
};

}  // namespace dynamo::cli
