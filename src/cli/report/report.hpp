// The checker's results as data, and the interface that prints them: formats/ has one
// implementation per output format.
#pragma once

#include <chrono>
#include <cstddef>
#include <cstdint>
#include <functional>
#include <iosfwd>
#include <map>
#include <memory>
#include <set>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

namespace dynamo::cli {

enum class Level : unsigned char { kError, kWarning };

// A place in an input; lines and columns count from 1, columns count bytes. 0 means unknown.
struct Place {
  std::uint32_t line = 0;
  std::uint32_t column = 0;
  std::uint32_t length = 0;  // bytes of the marked text; 0: unknown
  std::string text;          // the whole line, without its line break; cut to a bounded length
  // Column and length in characters, as shown in all formats; 0: computed from `text`.
  std::uint32_t character = 0;
  std::uint32_t characters = 0;
};

struct Finding {
  Level level = Level::kError;
  std::string_view rule;  // id, of static lifetime
  std::string field;      // "spec.services[Decode].replicas"
  std::string type;       // "Required value", "Invalid value", …; empty for a warning
  std::string detail;     // what must hold; what was found; what to do
  Place place;
  // Rule and field of another error that explains the same mistake better; empty: none.
  std::string_view reported_by = {};
  std::string reported_at = {};
};

// Removes findings that another error of the list explains better. Keeps the order.
void drop_reported_better(std::vector<Finding>& findings);

// The findings that an object's annotations ask to suppress.
struct IgnoreRequest {
  std::vector<std::string> rules;  // ids or globs
  std::string reason;              // empty: missing, so nothing is excused
  Place place = {};                // of the annotation with the rules
};

// One object of a validated kind.
struct ObjectReport {
  std::string file;  // as the user named it; "-" for standard input
  Place place;       // the beginning of the object
  std::string kind;
  std::string namespace_name;  // empty: not given
  std::string name;
  std::string_view operation;  // "CREATE", or "UPDATE" when there was an old object
  std::string_view exemption;  // why it was not validated; empty: it was
  std::vector<Finding> findings;
  std::size_t omitted_findings = 0;  // above the limit of one object
  // errors among them: their details are unknown, so they always count
  std::size_t omitted_errors = 0;
  IgnoreRequest ignore = {};
  std::vector<Finding> excused = {};  // findings that `ignore` has removed
  bool warnings_fail = false;         // its warnings count as errors

  bool is_valid() const;
  // Sorted by line, column and field; findings without a place use the object's. Refers to
  // `findings`.
  std::vector<const Finding*> findings_by_place() const;
};

// An input, or a part of one, that could not be read. It does not stop the run.
struct InputFault {
  std::string file;
  std::uint32_t line = 0;  // 0: the file as a whole
  std::uint32_t column = 0;
  std::string reason;
  // As in Place.
  std::uint32_t length = 0;
  std::string text = {};
  std::uint32_t character = 0;
  std::uint32_t characters = 0;

  Place place() const { return {line, column, length, text, character, characters}; }
  static InputFault at(const Place& place, std::string reason, std::string file = {}) {
    return {std::move(file), place.line, place.column,    std::move(reason),
            place.length,    place.text, place.character, place.characters};
  }
};

// Why a file's objects of ours were not validated.
enum class SkipReason : unsigned char {
  kPatch,          // a kustomization names the file as its patch
  kChartTemplate,  // the file is below templates/ of a chart
  kTemplate,       // it must be rendered first
  kEncrypted,      // it must be decrypted first
};

struct Summary {
  std::size_t files = 0;
  std::size_t objects = 0;  // validated or exempt
  std::size_t invalid = 0;  // objects with an error
  std::size_t errors = 0;
  std::size_t warnings = 0;
  std::size_t failing_warnings = 0;  // those that count as errors
  std::size_t ignored = 0;           // objects of other kinds
  std::size_t faults = 0;
  std::size_t repeated = 0;  // objects that occur more than once
  std::size_t omitted = 0;   // findings above the limits of their objects
  // Findings that do not count, by reason.
  std::size_t unselected = 0;  // not selected by the options
  std::size_t excused = 0;     // excused by annotations
  std::size_t known = 0;       // known from a baseline
  // Content that is not validated and is not a fault.
  std::size_t other_versions = 0;  // objects of ours with an API version that is not validated
  std::set<std::string, std::less<>> other_version_names = {};  // the first few of them
  std::size_t unserved = 0;         // those of v1beta1 for an operator of the first generation
  std::size_t no_manifests = 0;     // documents that are not manifests
  std::size_t templates = 0;        // documents that must be rendered first
  std::size_t encrypted = 0;        // documents that must be decrypted first
  std::size_t patches = 0;          // files that kustomizations name as their patches
  std::size_t chart_templates = 0;  // files below templates/ of charts
  // The files above that hold objects of ours, each once for its reason.
  std::map<SkipReason, std::vector<std::string>> unchecked = {};
  std::chrono::milliseconds elapsed{0};
};

// Called from one thread, in input order: begin, then object and fault as they occur, then end.
// Reporters write incrementally, so that output appears early and memory stays constant; formats
// that begin with totals, such as JUnit, may buffer.
class Reporter {
 public:
  virtual ~Reporter() = default;
  virtual void begin() {}
  virtual void object(const ObjectReport& report) = 0;
  virtual void fault(const InputFault& fault) = 0;
  virtual void end(const Summary& summary) = 0;
};

enum class Format : unsigned char { kText, kJson, kJunit, kSarif, kTap, kGithub };

class SourcePaths;

struct ReporterOptions {
  bool colours = false;
  // Applies to every object: formats that show severity then show warnings as errors.
  bool warnings_as_errors = false;
  bool quiet = false;  // text: findings and faults only, no summary
  // How github and sarif name files; outlives the reporter. Null: unchanged names.
  SourcePaths* source_paths = nullptr;
  // Settings of configurations that may leave findings out: "FILE:LINE: NAME: VALUE", printable.
  std::vector<std::string> silenced_by = {};
};

}  // namespace dynamo::cli
