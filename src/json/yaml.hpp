// Reads YAML manifests into the same documents as JSON, with the line and column of every value.
// Only its implementation uses yaml-cpp.
#pragma once

#include <cstddef>
#include <cstdint>
#include <memory>
#include <string>
#include <string_view>

#include "json/document.hpp"

namespace dynamo::json {

// Limits for each document of a text. Values above the kHighest* constants are capped to them.
struct YamlOptions {
  static constexpr std::size_t kHighestBytes = std::size_t{64} << 20U;
  static constexpr std::size_t kHighestDepth = 256;  // yaml-cpp recurses; it fails at 500
  static constexpr std::size_t kHighestNodes = std::size_t{1} << 26U;

  std::size_t max_bytes = std::size_t{8} << 20U;
  std::size_t max_depth = 128;  // nested containers; the outermost one counts
  // Values and keys, counted after aliases and merge keys are expanded; each also counts one for
  // every 64 bytes of its text.
  std::size_t max_nodes = 1'000'000;
  // Keeps a key that occurs twice in one mapping as two members, in their order, instead of an
  // error: for callers that report it with its path.
  bool keep_duplicate_keys = false;
  // The number of lines before `text`, if it is part of a longer text. Reasons count them;
  // locations and line() do not.
  std::uint32_t lines_in_front = 0;
};

struct YamlError {
  Location where;      // in the whole text; columns count bytes
  std::string reason;  // one line, without the location
  // The error is about size or character set; another reader may accept the text.
  bool is_limit = false;

  // "line 3, column 7: reason"
  std::string message() const;
};

// Reads a text of one or more documents in sequence, as kubectl does: scalars have kubectl's types
// and keys become strings (`on: push` has the key "true"). Directives (%YAML), text after a
// separator and a last line without a colon are errors. Stricter than kubectl, a key that occurs
// twice in one mapping is an error unless the options keep it, and so is text after the end of a
// document, which kubectl would drop. A document that is JSON but not YAML is read as JSON; only
// its values have no location. Not thread-safe.
class YamlReader {
 public:
  enum class ReadResult { kDocument, kError, kEnd };

  // `text` must outlive the reader; the documents read from it keep their own copies.
  explicit YamlReader(std::string_view text, const YamlOptions& options = {});
  ~YamlReader();
  YamlReader(YamlReader&&) noexcept;
  YamlReader& operator=(YamlReader&&) noexcept;

  // Reads the next document that is neither empty nor null into `document`, which is left empty
  // unless the result is kDocument. After kError, which error() explains, the next call skips the
  // faulty document, so a loop until kEnd yields every document and every fault once. Never throws
  // for any text; time is linear in the text and in max_nodes.
  ReadResult next(Document& document);

  const YamlError& error() const { return error_; }

  // The line where the last document that next() read begins, from 1.
  std::uint32_t line() const { return line_; }

 private:
  class Impl;

  std::unique_ptr<Impl> impl_;
  YamlError error_;
  std::uint32_t line_ = 1;
};

}  // namespace dynamo::json
