// Reads the objects in a slice of an input: parses documents, splits lists, and skips objects of
// other kinds.
#pragma once

#include <cstddef>
#include <cstdint>
#include <string>
#include <string_view>

#include "cli/input/locate.hpp"
#include "cli/input/manifests_cut.hpp"
#include "cli/report/report.hpp"
#include "json/document.hpp"
#include "json/parser.hpp"
#include "schema/table.hpp"

namespace dynamo::cli {

// One object of a validated kind. Valid during the call that passes it.
struct Manifest {
  const schema::Resource& resource;
  json::Value object;   // to validate: an item of a typed list has the list's apiVersion and kind
  Locator& locator;     // of the document that contains the object
  json::Value written;  // the object as in the document, for the locator
  bool is_dropped = false;  // kubectl drops it: it follows "..." without a separator
};

// Content of an input that is not validated.
enum class OtherContent : unsigned char {
  kKind,        // an object of another kind
  kVersion,     // an object of ours with an API version that is not validated
  kForeign,     // an object without apiVersion and kind, such as a chart's values
  kNoManifest,  // no object at all, or unparsable text without apiVersion
  kTemplate,    // must be rendered before it is a manifest
  kEncrypted,   // must be decrypted before it is a manifest
};

struct OtherDocument {
  OtherContent what = OtherContent::kKind;
  InputFault fault = {};  // why it is not validated, if that must be reported; its file is empty
  std::string_view api_version = {};  // kVersion
  bool is_ours = false;               // kTemplate, kEncrypted: an object of a validated kind
};

class ManifestVisitor {
 public:
  virtual ~ManifestVisitor() = default;
  virtual void object(const Manifest& manifest) = 0;
  virtual void other(OtherDocument document) = 0;
  // An unreadable document that is, or may be, an object of ours. `fault.file` is empty.
  virtual void fault(InputFault fault) = 0;
};

// Reads slices and reuses its memory. Not thread-safe: one per thread.
class ManifestReader {
 public:
  // Calls the visitor for each object and fault of the slice, in text order.
  void read(const Slice& slice, ManifestVisitor& visitor);

 private:
  class Run;

  json::Parser parser_;
  json::Document document_;
  std::string text_;
  json::Document item_document_;  // item of a typed list, completed
  std::string item_text_;
};

// True if the document is certainly an object of another kind, and not a list: decided by its lines
// alone, many times faster than by parsing. `document` is one YAML document.
bool is_surely_of_another_kind(std::string_view document);

}  // namespace dynamo::cli
