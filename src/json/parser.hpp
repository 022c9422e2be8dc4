// The bounded in-place JSON parser.
#pragma once

#include <cstddef>
#include <memory>
#include <optional>
#include <span>
#include <string>

#include "json/document.hpp"

namespace dynamo::json {

// The number of zero bytes that must follow the text, so that it can be scanned 16 bytes at a time.
inline constexpr std::size_t kParsePadding = 64;

struct ParseOptions {
  std::size_t max_depth = 128;  // nested containers; the outermost one counts
  // Skips `metadata.managedFields` if `metadata` is at this depth below the root (1: the text is an
  // object; 3: an AdmissionReview, with objects at request.object). About half of a real update is
  // managedFields, and no rule reads it. 0 keeps everything.
  std::size_t skip_managed_fields_at = 0;
  // For the objects of an AdmissionReview, with skip_managed_fields_at: also skips the annotation
  // kubectl.kubernetes.io/last-applied-configuration, which no rule reads.
  bool is_admission_review = false;
  // Copies from the tape what request.oldObject of an AdmissionReview repeats of request.object,
  // see are_copies(). It saves nothing for small texts.
  bool copy_repeated = false;
  bool refuse_duplicate_keys = false;
};

enum class ParseFailure {
  kEmpty,
  kSyntax,
  kTruncated,
  kTrailing,
  kEncoding,
  kTooDeep,
  kDuplicateKey,
  kTooLarge,
};

struct ParseError {
  ParseFailure failure;
  std::size_t offset;  // byte where the parser noticed it, from 0
  std::string reason;  // one line, without the offset

  // "byte 17: reason"
  std::string message() const;
};

// A parser with its scratch memory, reused across texts. Not thread-safe.
class Parser {
 public:
  Parser();
  ~Parser();
  Parser(Parser&&) noexcept;
  Parser& operator=(Parser&&) noexcept;

  // Parses `text` in place: strings are unescaped in the buffer and the document points into it.
  // The text must therefore outlive the document and is no longer JSON afterwards. At least
  // kParsePadding zero bytes must follow the text. On an error the document is left empty. Never
  // throws for any content of `text`; time is linear in its size; the call stack does not grow with
  // its depth.
  std::optional<ParseError> parse(std::span<char> text, const ParseOptions& options,
                                  Document& document);

 private:
  struct Scratch;
  std::unique_ptr<Scratch> scratch_;
};

// For tests, tools and small texts: parses a copy that the returned object owns.
struct ParsedText {
  std::string text;
  Document document;
  std::optional<ParseError> error;
  Value root() const { return document.root(); }
};
std::unique_ptr<ParsedText> parse_copy(std::string_view text, const ParseOptions& options = {});

}  // namespace dynamo::json
