// Evaluates the objects of many inputs on several threads, and delivers the results in input order.
// The amount of work in progress is bounded for any input size.
#pragma once

#include <cstddef>
#include <functional>
#include <iosfwd>
#include <memory>
#include <optional>
#include <string>
#include <variant>
#include <vector>

#include "cli/check/validator.hpp"
#include "cli/input/inputs.hpp"
#include "cli/input/inputs_read.hpp"
#include "cli/input/manifests_cut.hpp"
#include "cli/report/report.hpp"

namespace dynamo::cli {

// One unit of work: a slice to evaluate, or a fault to report.
struct WorkItem {
  std::string file;
  std::shared_ptr<const Slice> slice;  // null: nothing to evaluate
  std::optional<InputFault> fault;
  bool begins_input = false;   // the first item of an input that could be opened
  bool nothing_piped = false;  // the last item of a standard input with only white space
  bool is_found = false;       // see Input
  bool is_foreign = false;     // the fault is about a text that is probably not a manifest
};

// A source of work. Called by one thread at a time, not always the same one.
class WorkSource {
 public:
  virtual ~WorkSource() = default;
  // nullopt: no more work, now or later.
  virtual std::optional<WorkItem> next() = 0;
};

// Opens the input with that index; called at most once per index, in order.
using InputOpener =
    std::function<std::variant<std::unique_ptr<ByteSource>, ReadFault>(std::size_t index)>;

// Reads the inputs in sequence, in pieces.
std::unique_ptr<WorkSource> input_source(std::vector<Input> inputs, InputOpener open);

// The same for files and standard input, which must outlive it.
std::unique_ptr<WorkSource> input_source(const std::vector<Input>& inputs,
                                         std::istream& standard_input);

struct ValidatedObject {
  ObjectReport report;
  std::string stored;  // as it would be stored; empty if not requested
};

// The results of one work item, in text order.
struct Batch {
  std::vector<std::variant<ValidatedObject, InputFault>> entries;
  std::size_t ignored = 0;
  std::vector<std::string> other_versions;  // the apiVersion of each object of another version
  std::size_t unserved = 0;  // objects of v1beta1 for an operator of the first generation
  std::size_t no_manifests = 0;
  std::size_t templates = 0;
  std::size_t encrypted = 0;
  std::string file;
  std::vector<SkipReason> unchecked;  // why objects of ours were not validated
  std::size_t bytes = 0;
  bool begins_input = false;
};

// Receives the results, on the thread that called run_pipeline().
class BatchSink {
 public:
  virtual ~BatchSink() = default;
  // Returns false to end the run.
  virtual bool take(Batch batch) = 0;
  // Called regularly while no result is ready.
  virtual void idle() {}
};

// The output format of stored objects, if any.
enum class StoredForm : unsigned char { kNone, kJson, kYaml };

struct PipelineOptions {
  unsigned jobs = 0;  // evaluation threads; 0: as many as the CPU quota allows
  StoredForm stored = StoredForm::kNone;
  bool strict_versions = false;  // objects of API versions that are not validated are faults
};

// Returns when all work is done or the sink returns false; all threads have ended by then. Blocks
// while its source or its sink does. An exception in any of them ends the run and is rethrown.
void run_pipeline(WorkSource& source, const EvaluationOptions& evaluation_options,
                  const OldObjects* old_objects, const PipelineOptions& options, BatchSink& sink);

}  // namespace dynamo::cli
