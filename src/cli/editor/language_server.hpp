// The language server: what a client says becomes answers and notifications. Reads and writes
// nothing itself.
#pragma once

#include <cstddef>
#include <map>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "cli/choice.hpp"
#include "cli/fix/mend.hpp"
#include "cli/judge.hpp"
#include "json/document.hpp"
#include "json/parser.hpp"

namespace dynamo::cli {

// Bounds; what is beyond them is refused and told.
inline constexpr std::size_t kMostOpenDocuments = 256;
inline constexpr std::size_t kLongestOpenDocument = kLongestMended;

// Holds the documents that are open. Not thread-safe.
class LanguageServer {
 public:
  // `circumstances` must outlive it.
  LanguageServer(const Circumstances& circumstances, Choice choice);

  // Takes one message, whatever it is; answers those to send, in their order. Never throws for any
  // text but std::bad_alloc.
  std::vector<std::string> take(std::string_view message);

  // Once the client has said `exit`: 0 after `shutdown`, else 1.
  std::optional<int> exit_code() const { return exit_code_; }

 private:
  class Call;
  struct Row;

  Judge judge_;
  Choice choice_;
  Mender mender_;
  json::Parser parser_;
  std::map<std::string, std::string, std::less<>> documents_;  // by URI
  bool initialized_ = false;
  bool shut_down_ = false;
  std::optional<int> exit_code_;
};

}  // namespace dynamo::cli
