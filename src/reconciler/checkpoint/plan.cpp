#include "reconciler/checkpoint/plan.hpp"

#include <algorithm>
#include <array>
#include <cstddef>
#include <cstdint>
#include <tuple>
#include <utility>

#include "api/kinds/objects.hpp"
#include "desired/action.hpp"
#include "desired/desired_objects_plan.hpp"
#include "desired/object_diff.hpp"
#include "desired/retry_annotation.hpp"
#include "desired/status_write.hpp"
#include "json/writer.hpp"
#include "kube/object/conditions.hpp"
#include "kube/object/object_meta.hpp"
#include "manifests/checkpoint_job.hpp"
#include "manifests/desired_objects.hpp"
#include "render/component/hash.hpp"
#include "render/component/names.hpp"
#include "render/document/well_known.hpp"
#include "text/names.hpp"
#include "text/quoted.hpp"
#include "text/timestamp.hpp"

namespace dynamo::reconciler::checkpoint {
namespace {

constexpr std::string_view kPending = "Pending";
constexpr std::string_view kCreating = "Creating";
constexpr std::string_view kReady = "Ready";
constexpr std::string_view kFailed = "Failed";
constexpr std::string_view kJobCreated = "JobCreated";
constexpr std::string_view kJobCompleted = "JobCompleted";
constexpr std::string_view kTarAvailable = "TarAvailable";
constexpr std::string_view kValid = "Valid";
constexpr std::string_view kJobKind = "Job";
// A Job gives its name to its pods as a label.
constexpr std::size_t kMaxJobName = 63;
constexpr std::size_t kMaxQuoted = 128;
constexpr std::chrono::seconds kLookAgain{60};

// The status is written by clients with the right to do so, and the hash becomes part of paths and
// of a script.
std::string_view hash_in_status(const kube::Object& checkpoint) {
  const std::string_view hash = checkpoint.root()["status"]["identityHash"].string_or_empty();
  return text::is_label_value(hash) ? hash : std::string_view{};
}

std::string_view phase_of(const kube::Object& checkpoint) {
  return checkpoint.root()["status"]["phase"].string_or_empty();
}

// The smallest rank keeps a hash that several identities have.
auto rank_of(const kube::Object& checkpoint) {
  const std::string_view phase = phase_of(checkpoint);
  const bool has_started = phase == kCreating || phase == kReady;
  const std::string_view made =
      checkpoint.root()["metadata"]["creationTimestamp"].string_or_empty();
  return std::tuple(!has_started, made, checkpoint.name());
}

bool has_succeeded(const kube::Object& job) {
  return job.root()["status"]["succeeded"].integer().value_or(0) > 0;
}

bool has_had_pod(const kube::Object& job) {
  const json::Value status = job.root()["status"];
  return status["active"].integer().value_or(0) > 0 || status["failed"].integer().value_or(0) > 0;
}

// The condition of a Job that has failed for good; null otherwise.
const kube::Condition* failure_in(const kube::Conditions& conditions) {
  return conditions.is_true("Failed") ? conditions.find("Failed") : nullptr;
}

// Takes precedence over `checkpoint`: both claim one hash, and have different identities.
bool is_rival(const kube::Object& other, const kube::Object& checkpoint) {
  return other.namespace_name() == checkpoint.namespace_name() &&
         other.name() != checkpoint.name() && !kube::is_terminating(other) &&
         hash_of(other) == hash_of(checkpoint) &&
         render::checkpoint_identity_text(other.root()["spec"]["identity"]) !=
             render::checkpoint_identity_text(checkpoint.root()["spec"]["identity"]) &&
         rank_of(other) < rank_of(checkpoint);
}

class Planner {
 public:
  explicit Planner(const ObservedState& observed)
      : observed_(observed),
        root_(observed.object.root()),
        owner_{.resource = kCheckpoints,
               .namespace_name = observed.object.namespace_name(),
               .name = observed.object.name(),
               .uid = observed.object.uid()},
        generation_(kube::generation_of(observed.object)),
        hash_(hash_of(observed.object)),
        before_(kube::Conditions::read(root_["status"]["conditions"])),
        now_(before_) {
    const json::Value status = root_["status"];
    phase_ = status["phase"].string_or_empty();
    job_name_ = status["jobName"].string_or_empty();
    message_ = status["message"].string_or_empty();
    created_at_ = status["createdAt"].string_or_empty();
    stored_.location = status["location"].string_or_empty();
    storage_type_ = status["storageType"].string_or_empty();
  }

  Plan run() {
    // Garbage collection by owner references deletes the Job.
    if (kube::is_terminating(observed_.object)) return std::move(plan_);
    const bool is_new = hash_in_status(observed_.object).empty();
    const bool is_attempt = !is_new && phase_ == kPending;
    mark(is_attempt);
    if (is_new) {
      phase_ = kPending;
    } else if (phase_ == kReady) {
      report_ignored_edit();
      return std::move(plan_);
    } else if (phase_ == kCreating) {
      follow_job();
    } else if (phase_ == kFailed) {
      follow_failure();
    } else if (phase_ == kPending) {
      start();
    } else {
      phase_ = kPending;
    }
    write();
    if (phase_ == kCreating || phase_ == kReady) report_ignored_edit();
    return std::move(plan_);
  }

  Plan run_after_failure(const std::string& why) {
    constexpr std::string_view kLost = "already exists";
    // The Job may be our own, if the answer to its creation was lost: the next reconcile shows it.
    if (why.find(kLost) == std::string::npos) {
      obstruct("JobCreationFailed", "the Job could not be created: " + why, PlanOutcome::kRetry);
      write();
    }
    plan_.outcome = PlanOutcome::kRetry;
    plan_.why = why;
    return std::move(plan_);
  }

 private:
  Target self() const {
    return target_of(kCheckpoints, owner_.namespace_name, owner_.name, &observed_.object);
  }
  static const kube::Resource& jobs() { return find_managed_kind(kJobKind)->resource; }

  void set(std::string_view type, bool is_true, std::string_view reason, std::string message,
           std::int64_t generation) {
    now_.set({.type = std::string(type),
              .status = is_true ? kube::ConditionStatus::kTrue : kube::ConditionStatus::kFalse,
              .reason = std::string(reason),
              .message = std::move(message),
              .observed_generation = generation,
              .transition = {}},
             observed_.now);
  }

  // Emitted after the status that reports the same.
  void report(bool is_warning, std::string_view reason, std::string_view message) {
    EmitEvent made = event(self(), is_warning, reason, note_of(message));
    made.of_write = true;
    events_.emplace_back(std::move(made));
  }

  void end(PlanOutcome outcome, std::string why) {
    plan_.outcome = outcome;
    if (outcome == PlanOutcome::kWait) plan_.pause = kLookAgain;
    plan_.why = std::move(why);
  }

  // --- The metadata.
  // Adds the label by which graphs find the checkpoint, and with the attempt the value of the
  // annotation that requested it. A checkpoint without its hash gets no label: graphs would restore
  // another identity.
  void mark(bool is_attempt) {
    const json::Value labels = root_["metadata"]["labels"];
    const bool is_labelled = labels[render::label::kCheckpointHash].string_or_empty() == hash_;
    const bool needs_label = !is_labelled && rival() == nullptr;
    const std::string_view requested = retry_of(observed_.object);
    const bool notes_retry = is_attempt && observed_retry_of(observed_.object) != requested;
    if (!needs_label && !notes_retry) return;
    std::string text;
    json::Writer out(text);
    out.start_object().key("metadata").start_object();
    out.member("uid", owner_.uid).member("resourceVersion", observed_.object.resource_version());
    if (needs_label) {
      out.key("labels").start_object().member(render::label::kCheckpointHash, hash_).end_object();
    }
    if (notes_retry) {
      out.key("annotations").start_object().key(kObservedRetryAnnotation);
      if (requested.empty()) {
        out.null();
      } else {
        out.string(requested);
      }
      out.end_object();
    }
    out.end_object().end_object();
    Target target = self();
    target.resource_version = observed_.object.resource_version();
    plan_.actions.emplace_back(merge_patch(target, std::move(text)));
  }

  const kube::Object* rival() const {
    const auto found = std::ranges::find_if(observed_.same_hash, [this](const kube::Object& other) {
      return is_rival(other, observed_.object);
    });
    return found == observed_.same_hash.end() ? nullptr : &*found;
  }

  // --- The Job.
  const kube::Object* live_job() const {
    return observed_.objects.find(kJobKind, job_name_of(observed_.object));
  }

  // The Job of this attempt. The status also identifies a Job whose owner was removed.
  const kube::Object* job() const {
    const kube::Object* const live = live_job();
    if (live == nullptr || is_ours(*live, owner_)) return live;
    const bool is_named = !kube::controller_of(*live) && job_name_ == live->name();
    return is_named ? live : nullptr;
  }

  // Nothing is created until the obstacle is removed.
  void obstruct(std::string_view reason, const std::string& message, PlanOutcome outcome) {
    set(kJobCreated, false, reason, message, generation_);
    message_ = message;
    if (is_news(before_, now_, kJobCreated)) report(true, reason, message);
    end(outcome, message);
  }

  void refuse() {
    std::string message;
    for (const std::string& error : observed_.errors) {
      message += message.empty() ? error : "; " + error;
    }
    set(kValid, false, kValidationFailed, message, generation_);
    message_ = message;
    if (!is_refusal_reported(before_, kValid, observed_.object)) {
      EmitEvent failed = event(self(), true, kValidationFailed, note_of(message));
      failed.occasion = occasion_of_generation("checkpoint", generation_);
      failed.of_write = true;
      events_.emplace_back(std::move(failed));
    }
    end(PlanOutcome::kRefused, message);
  }

  void start() {
    if (!observed_.errors.empty()) return refuse();
    if (is_refused(before_, kValid)) {
      set(kValid, true, kValidationPassed, "The operator's rules found no error", generation_);
      report(false, kValidationPassed, "every rule holds again");
    }
    const std::string name = job_name_of(observed_.object);
    if (name.size() > kMaxJobName) {
      constexpr std::size_t kPrefix = std::string_view("checkpoint-").size();
      return obstruct("NameTooLong",
                      "metadata.name: must have at most " + std::to_string(kMaxJobName - kPrefix) +
                          " characters, because the Job is named \"checkpoint-NAME\"; found " +
                          std::to_string(name.size() - kPrefix) +
                          "; create the checkpoint under a shorter name",
                      PlanOutcome::kRefused);
    }
    if (const kube::Object* const other = rival()) {
      return obstruct("HashCollision",
                      "spec.identity: must have a hash of its own; found " + hash_ +
                          ", which DynamoCheckpoint " + text::quoted(other->name(), kMaxQuoted) +
                          " has for another identity; delete one of them, or change an extra "
                          "parameter of the identity",
                      PlanOutcome::kWait);
    }
    const kube::Object* const live = live_job();
    if (live != nullptr && is_ours(*live, owner_)) {
      // A previous reconcile ended before it wrote the status. A Job cannot change, so it is kept
      // as it is. The watch reports the end of a deletion.
      if (!kube::is_terminating(*live)) attach(name);
      return;
    }
    create_job(name);
  }

  void create_job(const std::string& name) {
    const render::DesiredObjects objects = render::desired_objects_of(
        api::Checkpoint{root_}, owner_.namespace_name, observed_.environment);
    if (objects.refused || objects.items.empty()) {
      const std::string why = objects.refused
                                  ? objects.refused->path + ": " + objects.refused->reason
                                  : std::string("spec.job: must describe a Job");
      return obstruct("JobRefused", why, PlanOutcome::kRefused);
    }
    const ObjectDiff step = diff_object(objects.items.front(), owner_, observed_.objects);
    if (step.step != Step::kCreate) {
      const bool is_taken = step.step == Step::kTaken;
      return obstruct(is_taken ? "NameTaken" : "WaitingForDeletion",
                      "Job " + name + " " + obstacle_of(step), PlanOutcome::kWait);
    }
    const Target target = target_of(jobs(), owner_.namespace_name, name, nullptr);
    plan_.actions.emplace_back(create(target, step.body));
    plan_.actions.emplace_back(event_of_write(target, "CreateJob", note_of("Created Job " + name)));
    attach(name);
  }

  void attach(const std::string& name) {
    phase_ = kCreating;
    job_name_ = name;
    message_.clear();
    set(kJobCreated, true, "JobCreated", "Job " + name + " takes the checkpoint", generation_);
  }

  void follow_job() {
    const kube::Object* const found = job();
    if (found == nullptr) {
      phase_ = kPending;
      const std::string name = std::exchange(job_name_, {});
      set(kJobCreated, false, "JobDeleted",
          "Job " + name + " was deleted before it ended; it is created again", generation_);
      return;
    }
    if (has_succeeded(*found)) return finish();
    const auto conditions = kube::Conditions::read(found->root()["status"]["conditions"]);
    if (const kube::Condition* const failure = failure_in(conditions)) return fail(*failure);
    note_missing_pod(*found);
  }

  // Kubernetes reports only by events of the Job that it cannot create the pod, such as without its
  // service account.
  void note_missing_pod(const kube::Object& job) {
    const auto created =
        text::parse_timestamp(job.root()["metadata"]["creationTimestamp"].string_or_empty());
    if (!created || has_had_pod(job)) return message_.clear();
    if (observed_.now - *created < kLookAgain) {
      return end(PlanOutcome::kWait, "the Job has no pod yet");
    }
    const std::string message =
        "Job " + job_name_ + " must get a pod within a minute; found none: `kubectl describe job " +
        job_name_ + "` shows why";
    if (message_ != message) report(true, "JobWithoutPod", message);
    message_ = message;
    end(PlanOutcome::kWait, message);
  }

  void finish() {
    phase_ = kReady;
    created_at_ = text::format_timestamp(observed_.now);
    stored_ = render::checkpoint_location(hash_, observed_.environment.profile);
    storage_type_ = stored_.storage_type;
    message_.clear();
    set(kJobCompleted, true, "JobSucceeded", "Job " + job_name_ + " succeeded", generation_);
    const std::string message = "The checkpoint is stored at " + stored_.location;
    set(kTarAvailable, true, "TarCreated", message, generation_);
    report(false, "CheckpointReady", message);
  }

  // The generation of the spec that the failed Job was created from: the spec may have changed
  // since.
  std::int64_t attempted_generation() const {
    const kube::Condition* const made = now_.find(kJobCreated);
    return made == nullptr || made->observed_generation == 0 ? generation_
                                                             : made->observed_generation;
  }

  void fail(const kube::Condition& failure) {
    phase_ = kFailed;
    message_ = "Job " + job_name_ + " failed";
    for (const std::string& part : {failure.reason, failure.message}) {
      if (!part.empty()) message_ += ": " + part;
    }
    message_ +=
        "; change spec.job or the annotation " + std::string(kRetryAnnotation) + " to try again";
    set(kJobCompleted, false, "JobFailed", message_, attempted_generation());
    report(true, "CheckpointFailed", message_);
  }

  // Once per generation: the Job has the spec of its attempt.
  void report_ignored_edit() {
    const kube::Condition* const made = now_.find(kJobCreated);
    if (made == nullptr || made->status != kube::ConditionStatus::kTrue) return;
    const std::int64_t used = attempted_generation();
    if (used == generation_ || generation_ == observed_.reported_generation) return;
    EmitEvent ignored =
        event(self(), true, kSpecChangeIgnored,
              "spec must not change after the Job was created, which cannot change; found "
              "generation " +
                  std::to_string(generation_) + " in phase " + phase_ + ", and generation " +
                  std::to_string(used) +
                  " is in use: delete the checkpoint and create it again to use the new spec");
    ignored.occasion = occasion_of_generation("checkpoint", generation_);
    plan_.actions.emplace_back(std::move(ignored));
  }

  // --- A failed checkpoint.
  bool should_retry() const {
    if (has_new_retry(observed_.object)) return true;
    const kube::Condition* const failed = now_.find(kJobCompleted);
    return failed != nullptr && failed->observed_generation != 0 && generation_ != 0 &&
           failed->observed_generation != generation_;
  }

  void follow_failure() {
    const kube::Object* const found = job();
    if (found != nullptr && has_succeeded(*found)) return finish();
    if (should_retry()) return retry();
    // Another operator may have left none: the next change of the spec must be noticed.
    const kube::Condition* const failed = now_.find(kJobCompleted);
    if (failed == nullptr || failed->observed_generation != 0 || generation_ == 0) return;
    set(kJobCompleted, failed->status == kube::ConditionStatus::kTrue, std::string(failed->reason),
        std::string(failed->message), generation_);
  }

  void retry() {
    const kube::Object* const live = live_job();
    if (live != nullptr && is_ours(*live, owner_) && !kube::is_terminating(*live)) {
      plan_.actions.emplace_back(
          remove(target_of(jobs(), owner_.namespace_name, live->name(), live)));
    }
    phase_ = kPending;
    job_name_.clear();
    message_.clear();
    now_.remove(kJobCompleted);
    const std::string message = "The spec or the annotation " + std::string(kRetryAnnotation) +
                                " has changed since the failure; another Job is created";
    set(kJobCreated, false, "Retrying", message, generation_);
    report(false, "Retrying", message);
  }

  // --- The status.
  void write() {
    static constexpr std::array<std::string_view, 8> kNames = {
        "phase",   "identityHash", "location", "storageType",
        "jobName", "createdAt",    "message",  "conditions"};
    std::string status;
    json::Writer out(status);
    out.start_object().member("phase", phase_).member("identityHash", hash_);
    const auto member = [&out](std::string_view name, std::string_view value) {
      if (!value.empty()) out.member(name, value);
    };
    member("location", stored_.location);
    member("storageType", storage_type_);
    member("jobName", job_name_);
    member("createdAt", created_at_);
    member("message", message_);
    if (!now_.all().empty()) {
      out.key("conditions");
      now_.write(out);
    }
    out.end_object();
    const std::size_t planned = plan_.actions.size();
    write_status(kCheckpoints, observed_.object, status, kNames, plan_.actions);
    if (plan_.actions.size() == planned) return;
    for (Action& each : events_) plan_.actions.push_back(std::move(each));
  }

  const ObservedState& observed_;
  const json::Value root_;
  const Owner owner_;
  const std::int64_t generation_;
  const std::string hash_;
  Plan plan_;
  std::vector<Action> events_;
  const kube::Conditions before_;
  kube::Conditions now_;
  // The status to write.
  std::string phase_;
  std::string job_name_;
  std::string message_;
  std::string created_at_;
  std::string storage_type_;
  render::CheckpointLocation stored_;
};

bool creates_job(const Plan& plan) {
  return std::ranges::any_of(
      plan.actions, [](const Action& each) { return action_kind_of(each) == ActionKind::kCreate; });
}

}  // namespace

Plan plan(const ObservedState& observed) {
  return Planner(observed).run();
}

Plan plan_after_failure(const ObservedState& observed, const std::string& why) {
  if (creates_job(plan(observed))) return Planner(observed).run_after_failure(why);
  Plan failed;
  failed.outcome = PlanOutcome::kRetry;
  failed.why = why;
  return failed;
}

std::string hash_of(const kube::Object& checkpoint) {
  const std::string_view known = hash_in_status(checkpoint);
  if (!known.empty()) return std::string(known);
  return std::string(
      render::checkpoint_identity_hash(checkpoint.root()["spec"]["identity"]).view());
}

std::string job_name_of(const kube::Object& checkpoint) {
  return render::checkpoint_job_name(checkpoint.name()).str();
}

bool should_read_job(const kube::Object& checkpoint, const kube::Object* cached) {
  const std::string_view phase = phase_of(checkpoint);
  if (cached == nullptr) return phase == kCreating;
  if (phase == kPending) return true;
  return phase == kCreating &&
         failure_in(kube::Conditions::read(cached->root()["status"]["conditions"])) != nullptr;
}

bool may_create_job(const kube::Object& checkpoint) {
  return !kube::is_terminating(checkpoint) && phase_of(checkpoint) == kPending;
}

}  // namespace dynamo::reconciler::checkpoint
