// What the checker found, as data, and the interface of what prints it: one implementation per
// output format in formats/.
#pragma once

#include <chrono>
#include <cstddef>
#include <cstdint>
#include <functional>
#include <iosfwd>
#include <memory>
#include <set>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

namespace dynamo::cli {

enum class Level : unsigned char { kError, kWarning };

// A place in an input; lines and columns count from 1, columns count bytes. 0 means not known.
struct Place {
  std::uint32_t line = 0;
  std::uint32_t column = 0;
  std::uint32_t length = 0;  // bytes of what is pointed at; 0: not known
  std::string text;          // the whole line, without its end; cut to a bounded length
  // Column and length counted in characters, as every format shows them; 0: `text` tells.
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
  // The rule and the field of an error that tells the same mistake better; empty: none does.
  std::string_view told_by = {};
  std::string told_at = {};
};

// Takes out what another error of the list tells better. The order stays.
void drop_told_better(std::vector<Finding>& findings);

// What an object's annotations ask not to be told.
struct IgnoreRequest {
  std::vector<std::string> rules;  // ids or globs
  std::string reason;              // empty: none is given, so nothing is excused
  Place place = {};                // of the annotation that names the rules
};

// One object of a kind that is judged.
struct ObjectReport {
  std::string file;  // as the user named it; "-" for standard input
  Place place;       // where the object begins
  std::string kind;
  std::string namespace_name;  // empty: not given
  std::string name;
  std::string_view operation;  // "CREATE", or "UPDATE" when there was an old object
  std::string_view exemption;  // why it was not judged; empty: it was judged
  std::vector<Finding> findings;
  std::size_t omitted_findings = 0;  // beyond the limit of one object
  std::size_t omitted_errors = 0;    // of them: nothing is known of them, so they always count
  IgnoreRequest ignore = {};
  std::vector<Finding> excused = {};  // findings that `ignore` has taken out
  bool warnings_fail = false;         // its warnings count as errors

  bool valid() const;
  // By line, then by column, then by field; what has no place of its own stands at that of the
  // object. Refers to `findings`.
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

struct Summary {
  std::size_t files = 0;
  std::size_t objects = 0;  // judged or exempt
  std::size_t invalid = 0;  // objects with an error
  std::size_t errors = 0;
  std::size_t warnings = 0;
  std::size_t failing_warnings = 0;  // those that count as errors
  std::size_t ignored = 0;           // objects of other kinds
  std::size_t faults = 0;
  std::size_t repeated = 0;  // objects that stand more than once
  std::size_t omitted = 0;   // findings beyond the limits of their objects
  // Findings that do not count.
  std::size_t unheard = 0;  // the options do not ask for them
  std::size_t excused = 0;  // annotations excuse them
  std::size_t known = 0;    // a baseline has them
  // What was found and cannot be judged, which is no fault.
  std::size_t other_versions = 0;  // objects of ours, of an API version that is not judged
  std::set<std::string, std::less<>> other_version_names = {};  // the first few of them
  std::size_t no_manifests = 0;                                 // documents that are none
  std::size_t templates = 0;  // documents that must be rendered first
  std::size_t encrypted = 0;  // documents that must be decrypted first
  std::chrono::milliseconds elapsed{0};
};

// Called from one thread, in the order of the inputs: begin, then object and fault as they come,
// then end. Writes as it goes, so that a long run shows early and memory stays flat (formats that
// need a total in front, as JUnit does, may keep what they must).
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
  // Of every object: changes how warnings are shown, where a format tells.
  bool warnings_as_errors = false;
  bool quiet = false;  // text: findings and faults only, no summary
  // How github and sarif name files; outlives the reporter. Null: as they were given.
  SourcePaths* source_paths = nullptr;
};

// `out` must outlive the reporter.
std::unique_ptr<Reporter> make_reporter(Format format, std::ostream& out,
                                        const ReporterOptions& options);

}  // namespace dynamo::cli
