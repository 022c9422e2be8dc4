// Keeps a picture of the objects of one resource: list, then watch, and again from the start when
// the server has forgotten where we were.
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
#include "kube/client.hpp"
#include "kube/resource.hpp"
#include "runtime/clock.hpp"
#include "runtime/log.hpp"

namespace dynamo::kube {

// What an informer tells its owner, on the loop's thread. Nothing of it is kept by the informer
// except the version: who needs the objects stores what it needs of them. They may be nested as
// deep as the API server stores them (kDeepestAnswer), so that one of them does not keep all others
// from being told: whoever walks through their values nests no calls, or sees to their depth first.
// An exception is logged, and the informer goes on as if the handler had returned.
class InformerHandler {
 public:
  virtual ~InformerHandler() = default;
  // All objects there are, after each (re)list: what is not among them is gone.
  virtual void replace(std::span<const Object> objects) = 0;
  // Asked before each list: whether it is told as page() and listed() instead of replace(), so that
  // no more than one page is in memory at a time. It asks for the newest then, never for what the
  // server has in memory: that comes in one page.
  virtual bool takes_pages() const { return false; }
  // Some of the objects there are. `is_first`: a list begins. The one before may have broken off,
  // and then says nothing of what it did not tell.
  virtual void page(std::span<const Object> objects, bool is_first) {
    static_cast<void>(objects);
    static_cast<void>(is_first);
  }
  // All pages since the first one have been told: what was not on them is gone.
  virtual void listed() {}
  virtual void upsert(const Object& object) = 0;  // added or modified
  virtual void remove(const Object& object) = 0;  // its last state
  // All changes up to this version have been told: after each of the above but page(), and after a
  // bookmark.
  virtual void reached(std::string_view resource_version) { static_cast<void>(resource_version); }
};

struct InformerOptions {
  std::string namespace_name = {};  // empty: all
  std::string label_selector = {};
  std::string field_selector = {};
  bool metadata_only = false;
  // Of lists only what names each object: ListOptions::names_only. Implies metadata_only.
  bool names_only = false;
  // After a failure: the first pause, doubled up to the last, each with up to half of it off by
  // chance.
  std::chrono::milliseconds first_pause{500};
  std::chrono::milliseconds longest_pause{30'000};
  // The server ends a watch after so long (up to half less, so that not all end at once), and we
  // open the next one from there. A connection that died without a word is found out after
  // `longest_silence`; zero: 15 seconds more than the server was asked for. Short, because until
  // then the picture stands still: choose less where minutes matter, it costs a request each time.
  std::chrono::seconds server_timeout{60};
  std::chrono::milliseconds longest_silence{0};
  // By whose monotonic time heard_at() and listed_from() are; outlives the informer. Null: the
  // machine's.
  const runtime::Clock* clock = nullptr;
};

class Informer {
 public:
  // Everything given must outlive it; `handler` is called on the loop's thread only.
  Informer(Client& client, const Resource& resource, InformerOptions options,
           InformerHandler& handler, runtime::Logger& logger);

  // Runs until it is cancelled: spawn it into a TaskGroup, once. Logs the first failure of a row
  // and the recovery, one line each.
  aio::Task<> run();

  // On the loop's thread.
  bool synced() const { return synced_; }      // listed once
  bool watching() const { return watching_; }  // a watch is open now
  // The open watch is not believed: it is given up, and what there is comes as a list of the newest
  // state. Without one nothing happens: a list or a watch is asked for already.
  void list_anew() { interrupt_.ring(); }
  // When the last list that came was asked for. Nothing: none came yet.
  std::optional<std::chrono::steady_clock::time_point> listed_from() const { return listed_from_; }
  // How often it had to begin anew: after a failure, because the server had forgotten where we
  // were, or as list_anew() said. The ordinary end of a watch does not count.
  std::uint64_t restarts() const { return restarts_; }
  const std::string& last_error() const { return last_error_; }  // empty while all is well
  // When the server last told something of the resource: a list, a change, a bookmark, or the end
  // of a watch at its time. Until then: when it began to run; nothing: it does not yet. That a
  // watch could be opened says nothing: it may be dead from its first line.
  std::optional<std::chrono::steady_clock::time_point> heard_at() const { return heard_at_; }

 private:
  // What to do after a list or a watch.
  struct Step {
    bool is_cancelled = false;
    std::chrono::milliseconds pause{0};
  };

  aio::Task<Step> list();
  aio::Task<Step> watch();
  aio::Task<> watch_into(Step& step);
  Step after_watch(const Error& error, bool heard_something, std::chrono::milliseconds lived);
  void apply(const WatchEvent& event);
  template <class Do>
  void guarded(Do action);
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
  aio::Interrupt interrupt_;  // of a watch

  std::string version_;  // where the next watch begins; empty: list first
  bool synced_ = false;
  bool watching_ = false;
  bool was_expired_ = false;     // and nothing was heard since
  bool broke_watching_ = false;  // the last failure came out of an open watch
  std::uint64_t restarts_ = 0;
  std::string last_error_;
  std::optional<std::chrono::steady_clock::time_point> heard_at_;
  std::optional<std::chrono::steady_clock::time_point> listed_from_;
};

}  // namespace dynamo::kube
