// The objects of one resource as the watch shows them: what controllers read instead of asking the
// server.
#pragma once

#include <cstddef>
#include <cstdint>
#include <map>
#include <memory>
#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <unordered_map>
#include <vector>

#include "kube/informer.hpp"
#include "kube/object.hpp"
#include "kube/object_key.hpp"
#include "kube/packed_object.hpp"
#include "kube/resource.hpp"
#include "kube/write_ledger.hpp"
#include "runtime/log.hpp"

namespace dynamo::kube {

// One object has changed in the store, which shows it already. The pointers live as long as the
// call; copies of the objects may be kept, but one of `now` keeps the page or event alive that it
// came in, and need not have apiVersion and kind.
struct StoreChange {
  const ObjectKey& key;
  const Object* before;  // null: it is new
  const Object* now;     // null: it is gone, and `before` was its last state
};

// Called on the loop's thread. It reads the store as it likes, and does not change it.
class StoreHandler {
 public:
  virtual ~StoreHandler() = default;
  // After an exception the change of this key is told again, together with what has become of it
  // meanwhile; other handlers and other keys are told in any case. So it is with the other two.
  virtual void changed(const StoreChange& change) = 0;
  // The store is complete for the first time: after the changes of the first list.
  virtual void synced() {}
  // The store has come to show all that the pass of this key had written; told to keys that asked
  // readiness() in vain.
  virtual void ready(const ObjectKey& key) { static_cast<void>(key); }
};

struct StoreOptions {
  StoreOptions() = default;
  // Labels by whose values objects can be asked for.
  std::vector<std::string> label_indexes = {};
  // Texts by whose values objects can be asked for, by their path: "spec.nodeName".
  std::vector<std::string> field_indexes = {};
  bool namespace_index = false;
  bool owner_index = false;  // by the uid of each owner
  // What of the objects nobody reads: members of the object ("status"), or of one of them
  // ("spec.versions"). managedFields is never kept.
  std::vector<std::string> left_out = {};
  bool metadata_only = false;
  // Of all objects together, as they are kept. What is beyond is left out or left as it was, and
  // said so.
  std::size_t most_bytes = std::size_t{512} << 20U;
};

// Given to an Informer as its handler. Of each object it keeps one compact text, cut free of the
// page or event that it came in; a list is taken over as its difference to what was there, the
// first one page by page. What is nested deeper than kDeepestObject is left out or left as it was,
// and said so. On the loop's thread. Why it is so: docs/adr/0025.
class Store final : public InformerHandler {
 public:
  // A declared index, asked for once, at the start: asking for one that was not declared throws
  // std::logic_error.
  class Index;

  // `logger` outlives it.
  Store(const Resource& resource, StoreOptions options, runtime::Logger& logger);
  ~Store() override;
  Store(const Store&) = delete;
  Store& operator=(const Store&) = delete;

  // Handlers are told in the order they came, from the objects on that there are; each outlives the
  // store.
  void subscribe(StoreHandler& handler);

  // --- Of an Informer.
  void replace(std::span<const Object> objects) override;
  // Until it is synced: what goes with a later list is to be gone before what is new is told.
  bool takes_pages() const override { return !is_synced_; }
  void page(std::span<const Object> objects, bool is_first) override;
  void listed() override;
  void upsert(const Object& object) override;
  void remove(const Object& object) override;
  void reached(std::string_view resource_version) override;

  // --- What there is.
  const Resource& resource() const { return resource_; }
  bool synced() const { return is_synced_; }
  // False once something was beyond `most_bytes`, or is nested too deep: what is not here may
  // exist. Again true after a list that fits, and when nothing is too deep any more.
  bool is_complete() const { return is_complete_ && too_deep_.empty(); }
  // Not here, and nothing of that name was left out. Whoever deletes an object, or says that one is
  // missing, because it is not here, asks this first.
  bool lacks(const ObjectKey& key) const;
  std::size_t size() const { return objects_.size(); }
  // Of the objects' texts.
  std::size_t bytes() const { return bytes_; }
  // The newest version that it shows, bookmarks included; empty: none yet.
  const std::string& watermark() const { return watermark_; }

  bool contains(const ObjectKey& key) const { return objects_.contains(key); }
  // Parsed anew at each call, some microseconds: ask once in a pass.
  std::optional<Object> find(const ObjectKey& key) const;
  // Without parsing; empty: not here.
  std::string_view version_of(const ObjectKey& key) const;
  std::string_view uid_of(const ObjectKey& key) const;
  // All keys, sorted.
  std::vector<ObjectKey> keys() const;

  const Index& index_by_namespace() const;
  const Index& index_by_owner() const;
  const Index& index_by_label(std::string_view label) const;
  const Index& index_by_field(std::string_view path) const;
  // Sorted by their key. A copy, so that the store may change while it is walked through.
  std::vector<ObjectKey> keys(const Index& index, std::string_view value) const;

  // --- What was written by the pass of `key` and must show here before the next. A version that is
  // no number is not waited for.
  void wrote(const ObjectKey& key, std::string_view version, WriteLedger::Time now);
  void deleted(const ObjectKey& key, const ObjectKey& object, std::string_view uid,
               WriteLedger::Time now);
  // The server has something newer than what is here: the pass of `key` waits for it.
  void outdated(const ObjectKey& key, WriteLedger::Time now);
  Readiness readiness(const ObjectKey& key, WriteLedger::Time now) {
    return ledger_.readiness(key, now);
  }
  std::chrono::nanoseconds patience(const ObjectKey& key, WriteLedger::Time now) const {
    return ledger_.patience(key, now);
  }
  void settle(const ObjectKey& key) { ledger_.settle(key); }

  // --- For metrics.
  std::uint64_t handler_failures() const { return handler_failures_; }
  std::size_t owed() const;  // changes that are to be told again
  // Tells some of the changes again whose handler threw; reached() does it, too.
  void redeliver();

 private:
  // What is asked for most stands in the text already: no copy of it is kept, but where.
  struct Entry {
    struct Place {
      std::uint32_t at = 0;
      std::uint32_t size = 0;
    };
    std::string_view version() const {
      return std::string_view(text).substr(version_at.at, version_at.size);
    }
    std::string_view uid() const { return std::string_view(text).substr(uid_at.at, uid_at.size); }

    std::string text;
    Place version_at;
    Place uid_at;
    std::uint64_t list = 0;  // the last one in pages that had it
  };
  static Entry entry_of(std::string text, const Object& object);
  struct Subscriber;

  std::string_view packed(const Object& object);
  Object unpacked(std::string_view text) const;
  std::optional<Object> as_kept(const Object& object, std::string_view text) const;
  void put(const Object& object);
  void leave_out(const ObjectKey& key);
  void complete();
  void erase(const ObjectKey& key, const Object* last);
  void reindex(const ObjectKey& key, const Object* before, const Object* now);
  const Index& declared(std::string_view field) const;
  void tell(const StoreChange& change);
  void tell(Subscriber& subscriber, const StoreChange& change);
  template <class Do>
  bool guarded(Subscriber& subscriber, Do action);
  void tell_ready(const std::vector<ObjectKey>& keys);
  void tell_ready(Subscriber& subscriber, const ObjectKey& key);
  void tell_synced(Subscriber& subscriber);
  void redeliver_changes(Subscriber& subscriber);

  const Resource resource_;
  const StoreOptions options_;
  const PackOptions pack_options_;
  const std::string head_;  // of all its objects: it is not kept with each
  runtime::Logger& logger_;
  std::unordered_map<ObjectKey, Entry, ObjectKeyHash> objects_;
  std::map<ObjectKey, std::uint64_t> too_deep_;  // and the last list in pages that had it
  std::vector<std::unique_ptr<Index>> indexes_;
  std::vector<std::unique_ptr<Subscriber>> subscribers_;
  WriteLedger ledger_;
  std::string packing_;  // scratch memory
  std::string watermark_;
  std::size_t bytes_ = 0;
  std::uint64_t lists_ = 0;  // in pages, those that broke off as well
  bool is_synced_ = false;
  bool is_complete_ = true;
  std::uint64_t handler_failures_ = 0;
};

}  // namespace dynamo::kube
