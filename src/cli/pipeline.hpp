// Judges the objects of many inputs on several threads, and hands the results over in the order of
// the inputs. What is under way at one time is bounded, however much there is to read.
#pragma once

#include <cstddef>
#include <functional>
#include <iosfwd>
#include <memory>
#include <optional>
#include <string>
#include <variant>
#include <vector>

#include "cli/formats/report.hpp"
#include "cli/input/inputs.hpp"
#include "cli/input/inputs_read.hpp"
#include "cli/input/manifests_cut.hpp"
#include "cli/judge.hpp"

namespace dynamo::cli {

// One thing to do: a slice to judge, or a fault to pass on.
struct WorkItem {
  std::string file;
  std::shared_ptr<const Slice> slice;  // null: nothing to judge
  std::optional<InputFault> fault;
  bool begins_input = false;   // the first of an input that could be opened
  bool nothing_piped = false;  // the last of standard input, which was nothing but white space
  bool is_found = false;       // as Input has it
  bool is_foreign = false;     // the fault is about what was not meant to be a manifest
};

// Where work comes from. Called by one thread at a time, not always the same.
class WorkSource {
 public:
  virtual ~WorkSource() = default;
  // Nothing: there is no more, now and later.
  virtual std::optional<WorkItem> next() = 0;
};

// Opens the input of that index; called once each at most, in their order.
using InputOpener =
    std::function<std::variant<std::unique_ptr<ByteSource>, ReadFault>(std::size_t index)>;

// Reads the inputs, one after the other, piece by piece.
std::unique_ptr<WorkSource> input_source(std::vector<Input> inputs, InputOpener open);

// The same for files and standard input, which must outlive it.
std::unique_ptr<WorkSource> input_source(const std::vector<Input>& inputs,
                                         std::istream& standard_input);

struct JudgedObject {
  ObjectReport report;
  std::string stored;  // as it would be stored; empty when that was not asked for
};

// What became of one work item, in the order of its text.
struct Batch {
  std::vector<std::variant<JudgedObject, InputFault>> entries;
  std::size_t ignored = 0;
  std::vector<std::string> other_versions;  // the apiVersion of each object that is of another one
  std::size_t no_manifests = 0;
  std::size_t templates = 0;
  std::size_t encrypted = 0;
  std::size_t bytes = 0;
  bool begins_input = false;
};

// Takes the results, on the thread that called run_pipeline().
class BatchSink {
 public:
  virtual ~BatchSink() = default;
  // False ends the run: nobody wants the rest.
  virtual bool take(Batch batch) = 0;
  // Called every now and then while there is nothing to take.
  virtual void idle() {}
};

// How stored objects are rendered, if at all.
enum class StoredForm : unsigned char { kNone, kJson, kYaml };

struct PipelineOptions {
  unsigned jobs = 0;  // threads that judge; 0: as many as the CPU quota allows
  StoredForm stored = StoredForm::kNone;
  bool strict_versions = false;  // objects of API versions that are not judged are faults
};

// Returns when all work is done or the sink wants no more; all threads have ended then. Blocks as
// long as its source and its sink do. An exception in any of them ends the run and is thrown on.
void run_pipeline(WorkSource& source, const Circumstances& circumstances,
                  const OldObjects* old_objects, const PipelineOptions& options, BatchSink& sink);

}  // namespace dynamo::cli
