// Reads YAML manifests into the same documents as JSON, with the line and column of every value.
// The only place that knows yaml-cpp is its implementation.
#pragma once

#include <cstddef>
#include <cstdint>
#include <memory>
#include <string>
#include <string_view>

#include "json/document.hpp"

namespace dynamo::json {

// Limits for each document of a text. Above the highest ones the highest ones count.
struct YamlOptions {
  static constexpr std::size_t kHighestBytes = std::size_t{64} << 20U;
  static constexpr std::size_t kHighestDepth = 256;  // yaml-cpp nests calls; it gives up at 500
  static constexpr std::size_t kHighestNodes = std::size_t{1} << 26U;

  std::size_t max_bytes = std::size_t{8} << 20U;
  std::size_t max_depth = 128;  // nested containers; the outermost one counts
  // Values and keys, counted after aliases and merge keys are expanded; each also counts one for
  // every 64 bytes of its text.
  std::size_t max_nodes = 1'000'000;
  // A key that occurs twice in one mapping becomes two members, in their order, instead of an
  // error: for callers that report it with its path.
  bool keep_duplicate_keys = false;
  // Of a part of a longer text: the lines in front of it. Reasons count them; places and line() do
  // not.
  std::uint32_t lines_in_front = 0;
};

struct YamlError {
  Location where;      // in the whole text; columns count bytes
  std::string reason;  // one line, without the place
  // It is about how much there is, or of which characters: another reader may have borne it.
  bool is_limit = false;

  // "line 3, column 7: reason"
  std::string message() const;
};

// Reads a text of one or more documents, one after the other, as kubectl does: scalars mean what it
// takes them for, keys become strings (`on: push` has the key "true"), directives (%YAML), text
// behind a separator and a last line without a colon are refused. Beyond kubectl, a key that occurs
// twice in one mapping is an error unless the options keep it, and so is text behind the end of a
// document, which kubectl would drop. A document that is JSON but not YAML is read as JSON; only
// its values have no location. Not thread-safe.
class YamlReader {
 public:
  enum class Read { kDocument, kError, kEnd };

  // `text` must outlive the reader; the documents read from it keep their own copies.
  explicit YamlReader(std::string_view text, const YamlOptions& options = {});
  ~YamlReader();
  YamlReader(YamlReader&&) noexcept;
  YamlReader& operator=(YamlReader&&) noexcept;

  // Reads the next document that is not empty (nor null) into `document`, which is left empty
  // unless the answer is kDocument. After kError, which error() explains, the faulty document is
  // passed over and the next call goes on behind it, so a loop until kEnd sees every document and
  // every fault once. Never throws for any text; time is linear in the text and in max_nodes.
  Read next(Document& document);

  const YamlError& error() const { return error_; }

  // The line where the document that next() looked at last begins, from 1.
  std::uint32_t line() const { return line_; }

 private:
  class Impl;

  std::unique_ptr<Impl> impl_;
  YamlError error_;
  std::uint32_t line_ = 1;
};

}  // namespace dynamo::json
