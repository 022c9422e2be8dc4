// Delivers the objects of one resource: list, then watch, and relist when the server no longer has
// the version.
#pragma once

#include <chrono>
#include <cstdint>
#include <functional>
#include <optional>
#include <span>
#include <string>
#include <string_view>

#include "aio/backoff.hpp"
#include "aio/interrupt.hpp"
#include "aio/task.hpp"
#include "kube/client/client.hpp"
#include "kube/object/resource.hpp"
#include "runtime/clock.hpp"
#include "runtime/log.hpp"

namespace dynamo::kube {

// Receives the objects of an informer, on the loop's thread. The informer keeps only the version;
// the handler stores what it needs. Objects may be nested as deep as the API server stores them
// (kDeepestAnswer), so that one deep object does not block all others: a handler must not recurse
// over values without checking their depth. An exception is logged, and the informer continues as
// if the handler had returned.
class InformerHandler {
 public:
  virtual ~InformerHandler() = default;
  // All existing objects, after each (re)list: an object that is not among them was deleted.
  virtual void replace(std::span<const Object> objects) = 0;
  // Called before each list: true to receive it through page() and listed() instead of replace(),
  // so that only one page is in memory at a time. The informer then requests the newest state,
  // never the server's cached one, which comes in one page.
  virtual bool takes_pages() const { return false; }
  // Some of the existing objects. `is_first`: a list starts. The previous one may have been
  // aborted; it then implies nothing about the objects it did not deliver.
  virtual void page(std::span<const Object> objects, bool is_first) {
    static_cast<void>(objects);
    static_cast<void>(is_first);
  }
  // All pages since the first one were delivered: an object that was on none of them was deleted.
  virtual void listed() {}
  virtual void upsert(const Object& object) = 0;  // added or modified
  virtual void remove(const Object& object) = 0;  // its last state
  // All changes up to this version were delivered. Called after each of the above except page(),
  // and after a bookmark.
  virtual void reached(std::string_view resource_version) { static_cast<void>(resource_version); }
};

struct InformerOptions {
  std::string namespace_name = {};  // empty: all
  std::string label_selector = {};
  std::string field_selector = {};
  bool metadata_only = false;
  // Lists request only the names of the objects: ListOptions::names_only. Implies metadata_only.
  bool names_only = false;
  // Back-off after failures: the first pause, doubled up to the longest, each reduced by a random
  // part of up to one half.
  std::chrono::milliseconds first_pause{500};
  std::chrono::milliseconds longest_pause{30'000};
  // The server ends a watch after this time, and the informer continues from there. The time is
  // reduced by a random part of up to one half, so that not all watches end at once. A silently
  // broken connection is detected after `longest_silence`; zero: 15 seconds more than the requested
  // time. Until then the cache is stale, so the default is short. Choose less where that matters;
  // each watch costs a request.
  std::chrono::seconds server_timeout{60};
  std::chrono::milliseconds longest_silence{0};
  // Monotonic clock of last_contact() and listed_from(); outlives the informer. Null: the
  // system's.
  const runtime::Clock* clock = nullptr;
};

class Informer {
 public:
  // Everything given must outlive it. `handler` is called only on the loop's thread.
  Informer(Client& client, const Resource& resource, InformerOptions options,
           InformerHandler& handler, runtime::Logger& logger);

  // Runs until it is cancelled: spawn it into a TaskGroup, once. Logs the first of consecutive
  // failures and the recovery, one line each.
  aio::Task<> run();

  // On the loop's thread.
  bool is_synced() const { return synced_; }      // the first list is complete
  bool is_watching() const { return watching_; }  // a watch is open
  // Closes the open watch and lists the newest state. Without an open watch this does nothing: a
  // list or a watch is being requested already.
  void relist() { interrupt_.ring(); }
  // When the last successful list was requested; nullopt before the first.
  std::optional<std::chrono::steady_clock::time_point> listed_from() const { return listed_from_; }
  // Number of restarts: after a failure, because the server no longer had the version, or because
  // of relist(). The ordinary end of a watch does not count.
  std::uint64_t restarts() const { return restarts_; }
  const std::string& last_error() const { return last_error_; }  // empty without an error
  // When the server last sent anything for the resource: a list, a change, a bookmark, or the
  // regular end of a watch. Before that: when run() started; nullopt before run(). Opening a watch
  // does not count, since it may be dead from its first line.
  std::optional<std::chrono::steady_clock::time_point> last_contact() const {
    return last_contact_;
  }

 private:
  // The next action after a list or a watch.
  struct Step {
    bool is_cancelled = false;
    std::chrono::milliseconds pause{0};
  };

  aio::Task<Step> list();
  aio::Task<Step> watch();
  aio::Task<> watch_into(Step& step);
  Step after_watch(const Error& error, bool received_event, std::chrono::milliseconds lived);
  void apply(const WatchEvent& event);
  template <class Do>
  void call_handler(Do action);
  Step expired();
  Step failed(const Error& error, bool while_watching);
  void recovered();
  std::chrono::steady_clock::time_point now() const;

  Client& client_;
  const Resource resource_;
  const InformerOptions options_;
  InformerHandler& handler_;
  runtime::Logger& logger_;
  aio::Backoff backoff_;
  std::minstd_rand random_;
  aio::Interrupt interrupt_;  // ends a watch

  std::string version_;  // where the next watch starts; empty: list first
  bool synced_ = false;
  bool watching_ = false;
  bool was_expired_ = false;     // and no event since
  bool broke_watching_ = false;  // the last failure ended an open watch
  std::uint64_t restarts_ = 0;
  std::string last_error_;
  std::optional<std::chrono::steady_clock::time_point> last_contact_;
  std::optional<std::chrono::steady_clock::time_point> listed_from_;
};

}  // namespace dynamo::kube
