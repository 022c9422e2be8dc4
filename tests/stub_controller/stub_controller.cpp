#include "tests/stub_controller/stub_controller.hpp"

#include <algorithm>
#include <map>
#include <utility>

#include "aio/backoff.hpp"
#include "json/writer.hpp"
#include "kube/client/writes.hpp"
#include "kube/object/conditions.hpp"
#include "kube/object/object_meta.hpp"

namespace dynamo::test {
namespace {

using kube::kConfigMaps;
using kube::Object;
using kube::ObjectKey;
using kube::ReconcileResult;

constexpr std::string_view kFinalizer = "stub.example/clean-up";
constexpr std::string_view kConditions = "stub.example/conditions";  // ConfigMaps have no status

constexpr const char* kManager = "stub-controller";
constexpr std::chrono::seconds kWatermark{60};

kube::StoreOptions store_options() {
  kube::StoreOptions options;
  options.owner_index = true;
  return options;
}

kube::InformerOptions informer_options(const std::string& namespace_name, const char* role) {
  kube::InformerOptions options;
  options.namespace_name = namespace_name;
  options.label_selector = std::string("stub.example/role=") + role;
  options.first_pause = std::chrono::milliseconds(50);
  options.longest_pause = std::chrono::seconds(2);
  return options;
}

kube::EventRecorderOptions event_options() {
  kube::EventRecorderOptions options;
  options.controller = kManager;
  options.instance = "stub";
  options.first_pause = std::chrono::milliseconds(50);
  options.tick = std::chrono::milliseconds(200);
  return options;
}

kube::WriteOptions write_options() {
  kube::WriteOptions options;
  options.field_manager = kManager;
  options.force = true;
  return options;
}

ObjectKey output_of(const ObjectKey& source) {
  return {.namespace_name = source.namespace_name, .name = source.name + "-out"};
}

std::string capitals(std::string_view text) {
  std::string all(text);
  for (char& each : all) {
    if (each >= 'a' && each <= 'z') each = static_cast<char>(each - 'a' + 'A');
  }
  return all;
}

std::string wanted_data(const Object& source) {
  std::string text;
  json::Writer writer(text);
  writer.start_object();
  for (const json::Member each : source.root()["data"].members()) {
    writer.member(each.name, capitals(each.value.string_or_empty()));
  }
  writer.end_object();
  return text;
}

std::string wanted_output(const Object& source, std::string_view uid) {
  std::string text;
  json::Writer writer(text);
  writer.start_object();
  kube::write_apply_header(writer, kConfigMaps,
                           {.key = output_of(kube::key_of(source)),
                            .uid = std::string(uid),
                            .labels = {{"stub.example/role", "output"}},
                            .owners = {kube::controller_reference(kConfigMaps, source)}});
  writer.key("data").raw(wanted_data(source)).end_object();
  return text;
}

}  // namespace

StubController::StubController(boost::asio::io_context& loop, kube::Client& client,
                               std::string namespace_name, const runtime::Clock& clock,
                               runtime::Logger& logger, kube::WorkQueueOptions queue)
    : client_(client),
      clock_(clock),
      sources_(kConfigMaps, store_options(), logger),
      outputs_(kConfigMaps, store_options(), logger),
      by_owner_(outputs_.index_by_owner()),
      queue_(queue, aio::random_seed()),
      events_(loop.get_executor(), client, clock, logger, event_options()),
      workers_(
          loop.get_executor(), queue_, [this](ObjectKey key) { return reconcile(std::move(key)); },
          [this] { return sources_.keys(); }, clock, logger),
      source_informer_(client, kConfigMaps, informer_options(namespace_name, "source"), sources_,
                       logger),
      output_informer_(client, kConfigMaps, informer_options(namespace_name, "output"), outputs_,
                       logger) {
  sources_.subscribe(on_source_);
  outputs_.subscribe(on_output_);
}

void StubController::start(aio::TaskGroup& tasks) {
  tasks.spawn("informer of sources", [this] { return source_informer_.run(); });
  tasks.spawn("informer of outputs", [this] { return output_informer_.run(); });
  events_.start(tasks);
  workers_.start(tasks);
}

void StubController::Listener::changed(const kube::StoreChange& change) {
  const auto priority = owner_.is_synced() ? kube::Priority::kChange : kube::Priority::kResync;
  if (is_source_) {
    owner_.workers_.add(change.key, priority);
    return;
  }
  for (const Object* const each : {change.before, change.now}) {
    if (each == nullptr) continue;
    const auto owner = kube::controller_of(*each);
    if (!owner) continue;
    owner_.workers_.add({.namespace_name = change.key.namespace_name, .name = owner->name},
                        priority);
  }
}

void StubController::Listener::ready(const ObjectKey& key) {
  owner_.workers_.add(key, kube::Priority::kChange);
}

ReconcileResult StubController::failed(const kube::Error& error) {
  const bool was_old = error.is("Conflict") || error.is("NotFound") || error.is("Invalid");
  if (was_old) {
    ++counts_.conflicts;
    return ReconcileResult::requeue_after(std::chrono::milliseconds(0));
  }
  return ReconcileResult::retry(error.text, error.retry_after.value_or(std::chrono::seconds(0)));
}

aio::Task<ReconcileResult> StubController::reconcile(ObjectKey key) {
  if (!running_.insert(key).second) ++counts_.concurrent_reconciles;
  ReconcileResult result = ReconcileResult::requeue_after(std::chrono::seconds(1));
  if (is_synced()) {
    const kube::Readiness of_source = sources_.readiness(key, now());
    const kube::Readiness of_output = outputs_.readiness(key, now());
    const kube::Readiness worst = std::max(of_source, of_output);
    std::optional<Object> source;
    bool is_unknown = false;
    if (worst == kube::Readiness::kReady) source = sources_.find(key);
    if (worst == kube::Readiness::kOverdue) {
      auto asked = co_await client_.get(kConfigMaps, key.namespace_name, key.name);
      is_unknown = !asked && !asked.error().is("NotFound");
      if (!is_unknown) sources_.settle(key);
      if (!is_unknown) outputs_.settle(key);
      if (asked) source = *std::move(asked);
    }
    if (worst == kube::Readiness::kBehind) {
      result = ReconcileResult::requeue_after(kWatermark);
    } else if (is_unknown) {
      result = ReconcileResult::retry("the server was not to be asked");
    } else if (!source) {
      result = ReconcileResult::done();
    } else {
      result = co_await reconcile(key, *source);
    }
  }
  running_.erase(key);
  co_return result;
}

aio::Task<ReconcileResult> StubController::reconcile(ObjectKey key, Object source) {
  if (kube::is_terminating(source)) {
    co_return co_await clean_up(std::move(key), std::move(source));
  }
  if (!kube::has_finalizer(source, kFinalizer)) {
    const auto written =
        co_await client_.patch(kConfigMaps, key.namespace_name, key.name, kube::PatchType::kJson,
                               kube::add_finalizer_patch(source, kFinalizer), write_options());
    if (!written) co_return failed(written.error());
    sources_.record_write(key, written->resource_version(), now());
    source = *written;
  }
  const Problem problem = co_await write_output(key, source);
  if (problem) co_return *problem;
  const Problem last = co_await write_condition(key, source, true);
  if (last) co_return *last;
  co_return ReconcileResult::done();
}

aio::Task<StubController::Problem> StubController::write_output(ObjectKey key, Object source) {
  const ObjectKey wanted = output_of(key);
  const auto there = outputs_.find(wanted);
  if (there && !kube::is_owned_by(*there, source.uid())) {
    // Belongs to a deleted source of the same name; the garbage collector deletes it.
    co_return ReconcileResult::requeue_after(std::chrono::seconds(1));
  }
  if (there && json::to_text(there->root()["data"]) == wanted_data(source)) co_return std::nullopt;
  // Outside the co_await: g++ 12 evaluates both branches of a conditional inside one.
  const std::string uid(there ? there->uid() : std::string_view());
  std::string body = wanted_output(source, uid);
  const auto written =
      co_await client_.patch(kConfigMaps, wanted.namespace_name, wanted.name,
                             kube::PatchType::kApply, std::move(body), write_options());
  if (!written) co_return failed(written.error());
  ++counts_.outputs_written;
  outputs_.record_write(key, written->resource_version(), now());
  kube::Event event;
  event.regarding = kube::reference_to(kConfigMaps, source);
  event.reason = there ? "OutputChanged" : "OutputMade";
  event.action = "Reconcile";
  event.note = wanted.name + " was written";
  events_.record(event);
  co_return std::nullopt;
}

aio::Task<StubController::Problem> StubController::write_condition(ObjectKey key, Object source,
                                                                   bool is_ready) {
  const json::Value annotations = source.root()["metadata"]["annotations"];
  const auto before = Object::parse(R"({"list":)" +
                                    std::string(annotations[kConditions].exists()
                                                    ? annotations[kConditions].string_or_empty()
                                                    : "[]") +
                                    "}");
  kube::Conditions conditions =
      before ? kube::Conditions::read(before->root()["list"]) : kube::Conditions();
  const auto status = is_ready ? kube::ConditionStatus::kTrue : kube::ConditionStatus::kFalse;
  kube::Condition condition;
  condition.type = "Ready";
  condition.status = status;
  condition.reason = "OutputWritten";
  condition.message = output_of(key).name + " has the data of this object";
  if (!conditions.set(std::move(condition), clock_.wall())) co_return std::nullopt;
  std::string list;
  json::Writer list_writer(list);
  conditions.write(list_writer);
  std::string body;
  json::Writer writer(body);
  writer.start_object().key("metadata").start_object();
  writer.member("uid", source.uid()).member("resourceVersion", source.resource_version());
  writer.key("annotations").start_object().member(kConditions, list).end_object();
  writer.end_object().end_object();
  const auto written =
      co_await client_.patch(kConfigMaps, key.namespace_name, key.name, kube::PatchType::kMerge,
                             std::move(body), write_options());
  if (!written) co_return failed(written.error());
  sources_.record_write(key, written->resource_version(), now());
  co_return std::nullopt;
}

aio::Task<ReconcileResult> StubController::clean_up(ObjectKey key, Object source) {
  if (!kube::has_finalizer(source, kFinalizer)) co_return ReconcileResult::done();
  std::map<ObjectKey, std::string> owned;
  for (const ObjectKey& each : outputs_.keys(by_owner_, source.uid())) {
    owned.emplace(each, outputs_.uid_of(each));
  }
  // A newly started store may not yet contain what the previous process created.
  const ObjectKey usual = output_of(key);
  const auto there = co_await client_.get(kConfigMaps, usual.namespace_name, usual.name);
  if (!there && !there.error().is("NotFound")) co_return failed(there.error());
  if (there && kube::is_owned_by(*there, source.uid())) owned.emplace(usual, there->uid());
  for (const auto& [each, uid] : owned) {
    kube::DeleteOptions options;
    options.preconditions.uid = uid;
    options.propagation = kube::Propagation::kBackground;
    const auto gone = co_await client_.remove(kConfigMaps, each.namespace_name, each.name, options);
    if (!gone && !gone.error().is("NotFound")) co_return failed(gone.error());
    outputs_.record_delete(key, each, uid, now());
  }
  const auto written =
      co_await client_.patch(kConfigMaps, key.namespace_name, key.name, kube::PatchType::kJson,
                             kube::remove_finalizer_patch(source, kFinalizer), write_options());
  if (!written && !written.error().is("NotFound")) co_return failed(written.error());
  co_return ReconcileResult::done();
}

}  // namespace dynamo::test
