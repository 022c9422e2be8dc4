// The language server: what a client says becomes answers and notifications. Reads and writes
// nothing itself.
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

// Bounds; what is beyond them is refused and told.
inline constexpr std::size_t kMostOpenDocuments = 256;
inline constexpr std::size_t kMostUnjudged = 4096;
inline constexpr std::size_t kLongestOpenDocument = kLongestMended;

// What documents are judged by and mended with. Not thread-safe.
class DocumentJudge {
 public:
  DocumentJudge(Circumstances circumstances, Choice choice)
      : circumstances_(std::move(circumstances)),
        choice_(std::move(choice)),
        judge_(circumstances_, nullptr),
        mender_(circumstances_, choice_) {}
  // Refers to itself.
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

// The judge of a document, by its URI; why there is none otherwise, which is told instead of a
// verdict. Documents may share one.
using FoundJudge = std::variant<std::shared_ptr<DocumentJudge>, std::string>;
using JudgeFinder = std::function<FoundJudge(std::string_view uri)>;

// Holds the documents that are open. Not thread-safe.
class LanguageServer {
 public:
  // Asks for the judge of a document whenever one is opened.
  explicit LanguageServer(JudgeFinder find_judge) : find_judge_(std::move(find_judge)) {}

  // Takes one message, whatever it is; answers those to send, in their order. Never throws for any
  // text but std::bad_alloc.
  std::vector<std::string> take(std::string_view message);

  // Once the client has said `exit`: 0 after `shutdown`, else 1.
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
  std::set<std::string, std::less<>> unjudged_;  // URIs of open ones that there is no room for
  bool initialized_ = false;
  bool shut_down_ = false;
  std::optional<int> exit_code_;
};

}  // namespace dynamo::cli
