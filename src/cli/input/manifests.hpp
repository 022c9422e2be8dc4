// The objects in a slice of an input: documents are read, lists are taken apart, and what is not
// ours is passed over.
#pragma once

#include <cstddef>
#include <cstdint>
#include <string>
#include <string_view>

#include "cli/formats/report.hpp"
#include "cli/input/locate.hpp"
#include "cli/input/manifests_cut.hpp"
#include "json/document.hpp"
#include "json/parser.hpp"
#include "schema/table.hpp"

namespace dynamo::cli {

// One object of a kind that is judged. Valid during the call that hands it over.
struct Manifest {
  const schema::Resource& resource;
  json::Value object;   // to be judged: an item of a typed list with the list's apiVersion and kind
  Locator& locator;     // of the document that holds the object
  json::Value written;  // the object as the document has it, for the locator
  bool is_dropped = false;  // kubectl drops it: it follows "..." without a separator
};

// What stands in an input and is not judged.
enum class Other : unsigned char {
  kKind,        // an object of another kind
  kVersion,     // an object of ours, of an API version that is not judged
  kForeign,     // an object without apiVersion and kind, such as the values of a chart
  kNoManifest,  // no object at all, or a text that is none and names no apiVersion
  kTemplate,    // what has to be rendered before it is a manifest
  kEncrypted,   // what has to be decrypted before it is one
};

struct OtherDocument {
  Other what = Other::kKind;
  InputFault fault = {};  // why it is not judged, where that needs saying; its file is empty
  std::string_view api_version = {};  // kVersion
};

class ManifestVisitor {
 public:
  virtual ~ManifestVisitor() = default;
  virtual void object(const Manifest& manifest) = 0;
  virtual void other(OtherDocument document) = 0;
  // What was meant to be an object of ours, or may have been, and cannot be read. `fault.file` is
  // empty.
  virtual void fault(InputFault fault) = 0;
};

// Reads slices with the same memory. Not thread-safe: one per thread.
class ManifestReader {
 public:
  // Calls the visitor for each object and fault of the slice, in the order of the text.
  void read(const Slice& slice, ManifestVisitor& visitor);

 private:
  class Run;

  json::Parser parser_;
  json::Document document_;
  std::string text_;
  json::Document item_document_;  // of a typed list, completed
  std::string item_text_;
};

// True when the document is surely an object of a kind that is not judged, nor a list: found by its
// lines alone, many times faster than by reading it. `document` is one YAML document.
bool is_surely_of_another_kind(std::string_view document);

}  // namespace dynamo::cli
