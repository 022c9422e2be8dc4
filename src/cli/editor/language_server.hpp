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

#include "cli/choice.hpp"
#include "cli/fix/mend.hpp"
#include "cli/judge.hpp"
#include "json/document.hpp"
#include "json/parser.hpp"

namespace dynamo::cli {

// Limits; the server refuses documents beyond them with a message.
inline constexpr std::size_t kMostOpenDocuments = 256;
inline constexpr std::size_t kMostUnjudged = 4096;
inline constexpr std::size_t kLongestOpenDocument = kLongestMended;

// Evaluates and fixes documents. Not thread-safe.
class DocumentJudge {
 public:
  DocumentJudge(Circumstances circumstances, Choice choice)
      : circumstances_(std::move(circumstances)),
        choice_(std::move(choice)),
        judge_(circumstances_, nullptr),
        mender_(circumstances_, choice_) {}
  // Not copyable: members refer to each other.
  DocumentJudge(const DocumentJudge&) = delete;
  DocumentJudge& operator=(const DocumentJudge&) = delete;

  Judge& judge() { return judge_; }
  const Choice& choice() const { return choice_; }
  Mender& mender() { return mender_; }

 private:
  const Circumstances circumstances_;
  const Choice choice_;
  Judge judge_;
  Mender mender_;
};

// Returns the evaluator of a document by its URI, or why there is none, which is reported in place
// of diagnostics. Documents may share one.
using FoundJudge = std::variant<std::shared_ptr<DocumentJudge>, std::string>;
using JudgeFinder = std::function<FoundJudge(std::string_view uri)>;

// Holds the open documents. Not thread-safe.
class LanguageServer {
 public:
  // Calls `find_judge` whenever a document is opened.
  explicit LanguageServer(JudgeFinder find_judge) : find_judge_(std::move(find_judge)) {}

  // Handles any message; returns the messages to send, in order. Throws only std::bad_alloc.
  std::vector<std::string> take(std::string_view message);

  // Set after the client sends `exit`: 0 after `shutdown`, else 1.
  std::optional<int> exit_code() const { return exit_code_; }

 private:
  class Call;
  struct Row;
  struct OpenDocument {
    std::string text;
    FoundJudge judge;
  };

  JudgeFinder find_judge_;
  json::Parser parser_;
  std::map<std::string, OpenDocument, std::less<>> documents_;  // by URI
  std::set<std::string, std::less<>> unjudged_;  // URIs of open documents beyond the limits
  bool initialized_ = false;
  bool shut_down_ = false;
  std::optional<int> exit_code_;
};

}  // namespace dynamo::cli
