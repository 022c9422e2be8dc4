#include "cli/check/pipeline.hpp"

#include <algorithm>
#include <chrono>
#include <condition_variable>
#include <exception>
#include <mutex>
#include <thread>
#include <utility>

#include "api/kind.hpp"
#include "cli/input/manifests.hpp"
#include "cli/input/templates.hpp"
#include "cli/report/wording.hpp"
#include "json/writer.hpp"
#include "json/yaml_writer.hpp"
#include "runtime/cpu_quota.hpp"
#include "schema/check_ids.hpp"

namespace dynamo::cli {
namespace {

class InputSource final : public WorkSource {
 public:
  InputSource(std::vector<Input> inputs, InputOpener open)
      : inputs_(std::move(inputs)), open_(std::move(open)) {}

  std::optional<WorkItem> next() override {
    while (cutter_ || index_ < inputs_.size()) {
      if (!cutter_) {
        if (auto refused = open(inputs_[index_])) return refused;
      }
      if (auto item = cut()) return item;
    }
    return std::nullopt;
  }

 private:
  std::optional<WorkItem> open(const Input& input) {
    std::string reason = input.fault;
    if (reason.empty()) {
      auto opened = open_(index_);
      if (auto* const source = std::get_if<std::unique_ptr<ByteSource>>(&opened)) {
        cutter_.emplace(std::move(*source), input.name.ends_with(".json"));
        is_first_ = true;
        is_blank_ = true;
        return std::nullopt;
      }
      reason = std::get<ReadFault>(opened).reason;
    }
    ++index_;
    WorkItem item;
    item.fault = InputFault{input.name, 0, 0, std::move(reason)};
    return item;
  }

  // The next piece of the open input; nullopt at its end.
  std::optional<WorkItem> cut() {
    WorkItem item;
    item.file = inputs_[index_].name;
    item.is_found = inputs_[index_].is_found;
    item.begins_input = std::exchange(is_first_, false);
    auto piece = cutter_->next();
    if (auto* const slice = std::get_if<Slice>(&piece)) {
      is_blank_ = is_blank_ && slice->text.find_first_not_of(" \t\r\n") == std::string::npos;
      item.slice = std::make_shared<const Slice>(std::move(*slice));
    } else if (auto* const fault = std::get_if<InputFault>(&piece)) {
      fault->file = item.file;
      item.fault = std::move(*fault);
      item.is_foreign = !cutter_->is_long_document_manifest();
      is_blank_ = false;
    } else {
      cutter_.reset();
      ++index_;
      if (is_blank_ && item.file == kStandardInput) {
        item.nothing_piped = true;
      } else if (!item.begins_input) {
        return std::nullopt;
      }
    }
    return item;
  }

  std::vector<Input> inputs_;
  InputOpener open_;
  std::size_t index_ = 0;
  std::optional<ManifestCutter> cutter_;
  bool is_first_ = false;
  bool is_blank_ = false;  // only white space so far
};

Finding dropped_document(const ObjectReport& report) {
  return {Level::kWarning,
          schema::ids::kDroppedDocument,
          {},
          {},
          "kubectl drops this document, which follows \"...\" without a separator; write --- in "
          "front of it",
          report.place};
}

// The state of one thread.
class Worker final : private ManifestVisitor {
 public:
  Worker(const EvaluationOptions& evaluation_options, const OldObjects* old_objects,
         const PipelineOptions& options)
      : validator_(evaluation_options, old_objects),
        stored_(options.stored),
        strict_versions_(options.strict_versions),
        only_v1alpha1_(!validator_.serves_v1beta1()) {}

  Batch work(WorkItem& item) {
    batch_ = Batch{};
    batch_.begins_input = item.begins_input;
    batch_.file = item.file;
    file_ = item.file;
    is_found_ = item.is_found;
    if (item.fault && item.is_foreign) {
      other({OtherContent::kNoManifest, *std::move(item.fault)});
    } else if (item.fault) {
      batch_.entries.emplace_back(*std::move(item.fault));
    }
    if (item.nothing_piped) fault({{}, 0, 0, "there is nothing on standard input"});
    if (item.slice) {
      batch_.bytes = item.slice->text.size();
      reader_.read(*item.slice, *this);
    }
    return std::move(batch_);
  }

 private:
  void object(const Manifest& manifest) override {
    if (only_v1alpha1_ && manifest.resource.api_version != api::kApiVersion) {
      if (!validator_.serves_v1beta1()) return unserved(manifest);
      std::string reason(manifest.resource.kind);
      reason.append(" of \"").append(manifest.resource.api_version);
      reason += "\" is of an API version that is not validated here";
      other({OtherContent::kVersion,
             InputFault::at(manifest.locator.of(manifest.written, "apiVersion", false),
                            std::move(reason)),
             manifest.resource.api_version});
      return;
    }
    ValidatedObject validated{validator_.validate(manifest, file_), {}};
    if (const auto [finding, advice] = find_expression_in(validated.report); finding != nullptr) {
      other(
          {OtherContent::kTemplate, InputFault::at(finding->place, std::string(advice)), {}, true});
      return;
    }
    if (manifest.is_dropped)
      validated.report.findings.push_back(dropped_document(validated.report));
    const json::Value stored = validator_.stored();
    if (stored.exists() && stored_ == StoredForm::kJson) validated.stored = json::to_text(stored);
    if (stored.exists() && stored_ == StoredForm::kYaml)
      json::append_yaml(validated.stored, stored);
    std::optional<InputFault> uncertainty;
    if (!validator_.uncertainty().empty()) {
      uncertainty = InputFault::at(
          validated.report.place,
          object_title(validated.report) + " could not be compared: " + validator_.uncertainty(),
          file_);
    }
    batch_.entries.emplace_back(std::move(validated));
    if (uncertainty) batch_.entries.emplace_back(*std::move(uncertainty));
  }
  // An object of v1beta1 while the options name an operator of the first generation.
  void unserved(const Manifest& manifest) {
    if (!strict_versions_) {
      ++batch_.unserved;
      return;
    }
    std::string reason(manifest.resource.kind);
    reason.append(" of \"").append(manifest.resource.api_version);
    reason.append("\" is not served by operators of the first generation: ")
        .append(kUnservedAdvice);
    fault(InputFault::at(manifest.locator.of(manifest.written, "apiVersion", false),
                         std::move(reason)));
  }
  // A file may contain anything, especially one found in a directory; piped text is meant as
  // manifests.
  void other(OtherDocument document) override {
    switch (document.what) {
      case OtherContent::kKind:
        ++batch_.ignored;
        return;
      case OtherContent::kVersion:
        if (strict_versions_) break;
        batch_.other_versions.emplace_back(document.api_version);
        return;
      case OtherContent::kForeign:
        if (file_ == kStandardInput) break;
        ++batch_.no_manifests;
        return;
      case OtherContent::kNoManifest:
        if (!is_found_) break;
        ++batch_.no_manifests;
        return;
      case OtherContent::kTemplate:
        if (!is_found_) break;
        ++batch_.templates;
        if (document.is_ours) batch_.unchecked.push_back(SkipReason::kTemplate);
        return;
      case OtherContent::kEncrypted:
        if (!is_found_) break;
        ++batch_.encrypted;
        if (document.is_ours) batch_.unchecked.push_back(SkipReason::kEncrypted);
        return;
    }
    fault(std::move(document.fault));
  }
  void fault(InputFault fault) override {
    fault.file = file_;
    batch_.entries.emplace_back(std::move(fault));
  }

  ManifestValidator validator_;
  StoredForm stored_;
  bool strict_versions_;
  bool only_v1alpha1_;
  ManifestReader reader_;
  Batch batch_;
  std::string file_;
  bool is_found_ = false;
};

class Pipeline {
 public:
  Pipeline(WorkSource& source, BatchSink& sink, std::size_t window)
      : source_(source), sink_(sink), slots_(window) {}

  template <typename MakeWorker>
  void run(unsigned jobs, const MakeWorker& make_worker) {
    {
      Threads threads(*this);
      for (unsigned i = 0; i < jobs; ++i) {
        threads.start([this, &make_worker] { guard([&] { work(make_worker()); }); });
      }
      hand_over();
    }
    if (error_) std::rethrow_exception(error_);
  }

 private:
  // Stops and joins the threads, also on an exception.
  class Threads {
   public:
    explicit Threads(Pipeline& pipeline) : pipeline_(pipeline) {}
    ~Threads() {
      pipeline_.stop();
      for (std::thread& thread : threads_) thread.join();
    }
    Threads(const Threads&) = delete;
    Threads& operator=(const Threads&) = delete;

    template <typename Function>
    void start(Function function) {
      threads_.emplace_back(std::move(function));
    }

   private:
    Pipeline& pipeline_;
    std::vector<std::thread> threads_;
  };

  void stop() {
    const std::lock_guard lock(mutex_);
    stopped_ = true;
    has_room_.notify_all();
    has_result_.notify_all();
  }

  template <typename Function>
  void guard(const Function& function) {
    try {
      function();
    } catch (...) {
      {
        const std::lock_guard lock(mutex_);
        if (!error_) error_ = std::current_exception();
      }
      stop();
    }
  }

  void work(Worker worker) {
    std::size_t number = 0;
    while (auto item = take_work(number)) {
      Batch batch = worker.work(*item);
      const std::lock_guard lock(mutex_);
      slots_[number % slots_.size()] = std::move(batch);
      has_result_.notify_one();
    }
  }

  // The next item and its number, once there is space for its result. A thread that waits here
  // blocks the others, which would have to wait as well.
  std::optional<WorkItem> take_work(std::size_t& number) {
    const std::lock_guard source_lock(source_mutex_);
    {
      std::unique_lock lock(mutex_);
      has_room_.wait(lock, [this] { return stopped_ || taken_ < handed_over_ + slots_.size(); });
      if (stopped_ || finished_) return std::nullopt;
    }
    auto item = source_.next();
    const std::lock_guard lock(mutex_);
    if (item) {
      number = taken_++;
    } else {
      finished_ = true;
      has_result_.notify_one();
    }
    return item;
  }

  void hand_over() {
    while (auto batch = wait_for_result()) {
      if (!sink_.take(*std::move(batch))) return;
    }
  }

  // The next result in order; nullopt at the end.
  std::optional<Batch> wait_for_result() {
    constexpr std::chrono::milliseconds kIdleAfter{100};
    std::unique_lock lock(mutex_);
    for (;;) {
      std::optional<Batch>& slot = slots_[handed_over_ % slots_.size()];
      if (stopped_ || (finished_ && handed_over_ == taken_)) return std::nullopt;
      if (slot) {
        std::optional<Batch> batch = std::exchange(slot, std::nullopt);
        ++handed_over_;
        has_room_.notify_one();
        return batch;
      }
      if (has_result_.wait_for(lock, kIdleAfter) == std::cv_status::timeout) {
        lock.unlock();
        sink_.idle();
        lock.lock();
      }
    }
  }

  WorkSource& source_;
  BatchSink& sink_;
  std::mutex source_mutex_;  // locked before mutex_

  std::mutex mutex_;  // guards the members below
  std::condition_variable has_room_;
  std::condition_variable has_result_;
  std::vector<std::optional<Batch>> slots_;  // results by number, modulo its size
  std::size_t taken_ = 0;
  std::size_t handed_over_ = 0;
  bool finished_ = false;  // the source has no more work
  bool stopped_ = false;
  std::exception_ptr error_;
};

}  // namespace

std::unique_ptr<WorkSource> input_source(std::vector<Input> inputs, InputOpener open) {
  return std::make_unique<InputSource>(std::move(inputs), std::move(open));
}

std::unique_ptr<WorkSource> input_source(const std::vector<Input>& inputs,
                                         std::istream& standard_input) {
  std::vector<std::string> names;
  names.reserve(inputs.size());
  for (const Input& input : inputs) names.push_back(input.name);
  return input_source(inputs, [names = std::move(names), &standard_input](std::size_t index) {
    return open_input(names[index], standard_input);
  });
}

void run_pipeline(WorkSource& source, const EvaluationOptions& evaluation_options,
                  const OldObjects* old_objects, const PipelineOptions& options, BatchSink& sink) {
  const unsigned jobs = options.jobs == 0 ? runtime::usable_cpus() : options.jobs;
  Pipeline pipeline(source, sink, 2 * std::size_t{jobs} + 2);
  pipeline.run(jobs, [&] { return Worker(evaluation_options, old_objects, options); });
}

}  // namespace dynamo::cli
