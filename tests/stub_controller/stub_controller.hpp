// A minimal controller that uses only the store, work queue and event recorder of src/kube. For
// each ConfigMap labelled `stub.example/role: source` it maintains a ConfigMap NAME-out with the
// source's data in capitals. Tests run it against an in-memory API server and against a real one.
#pragma once

#include <boost/asio/io_context.hpp>
#include <cstdint>
#include <optional>
#include <set>
#include <string>

#include "aio/task_group.hpp"
#include "kube/cache/informer.hpp"
#include "kube/cache/store.hpp"
#include "kube/client/client.hpp"
#include "kube/controller/event_recorder.hpp"
#include "kube/controller/work_queue.hpp"
#include "kube/controller/workers.hpp"

namespace dynamo::test {

class StubController {
 public:
  struct Counts {
    std::uint64_t outputs_written = 0;
    std::uint64_t conflicts = 0;
    std::uint64_t concurrent_reconciles = 0;  // concurrent runs for the same key: always 0
  };

  // All arguments must outlive the controller.
  StubController(boost::asio::io_context& loop, kube::Client& client, std::string namespace_name,
                 const runtime::Clock& clock, runtime::Logger& logger,
                 kube::WorkQueueOptions queue = {});

  void start(aio::TaskGroup& tasks);
  const Counts& counts() const { return counts_; }
  const kube::Workers& workers() const { return workers_; }
  const kube::EventRecorder& events() const { return events_; }
  bool is_synced() const { return sources_.is_synced() && outputs_.is_synced(); }

 private:
  // Enqueues the source that a changed object belongs to.
  class Listener final : public kube::StoreHandler {
   public:
    Listener(StubController& owner, bool is_source) : owner_(owner), is_source_(is_source) {}
    void changed(const kube::StoreChange& change) override;
    void ready(const kube::ObjectKey& key) override;

   private:
    StubController& owner_;
    const bool is_source_;
  };
  using Problem = std::optional<kube::ReconcileResult>;  // nullopt: continue

  aio::Task<kube::ReconcileResult> reconcile(kube::ObjectKey key);
  aio::Task<kube::ReconcileResult> reconcile(kube::ObjectKey key, kube::Object source);
  aio::Task<kube::ReconcileResult> clean_up(kube::ObjectKey key, kube::Object source);
  aio::Task<Problem> write_output(kube::ObjectKey key, kube::Object source);
  aio::Task<Problem> write_condition(kube::ObjectKey key, kube::Object source, bool is_ready);
  kube::ReconcileResult failed(const kube::Error& error);
  kube::WorkQueue::Time now() const { return clock_.monotonic(); }

  kube::Client& client_;
  const runtime::Clock& clock_;
  kube::Store sources_;
  kube::Store outputs_;
  const kube::Store::Index& by_owner_;
  kube::WorkQueue queue_;
  kube::EventRecorder events_;
  kube::Workers workers_;
  Listener on_source_{*this, true};
  Listener on_output_{*this, false};
  kube::Informer source_informer_;
  kube::Informer output_informer_;
  std::set<kube::ObjectKey> running_;
  Counts counts_;
};

}  // namespace dynamo::test
