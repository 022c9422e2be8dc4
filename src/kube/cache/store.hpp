// Informer cache: the objects of one resource as its watch delivers them. Controllers read the
// cache instead of the API server.
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

#include "kube/cache/informer.hpp"
#include "kube/cache/write_ledger.hpp"
#include "kube/object/object.hpp"
#include "kube/object/object_key.hpp"
#include "kube/object/packed_object.hpp"
#include "kube/object/resource.hpp"
#include "runtime/log.hpp"

namespace dynamo::kube {

// A change of one object, which the store already contains. The pointers are valid during the call.
// Copies of the objects may be kept, but a copy of `now` keeps the whole list page or event alive
// and may lack apiVersion and kind.
struct StoreChange {
  const ObjectKey& key;
  const Object* before;  // null: the object is new
  const Object* now;     // null: the object was deleted, and `before` is its last state
};

// Called on the loop's thread. A handler may read the store in any way, but must not change it.
class StoreHandler {
 public:
  virtual ~StoreHandler() = default;
  // After an exception the store delivers the change of this key again, merged with any later
  // changes. Other handlers and other keys are not affected. The same holds for on_synced() and
  // ready().
  virtual void changed(const StoreChange& change) = 0;
  // The store is complete for the first time; called after the changes of the first list.
  virtual void on_synced() {}
  // The store now shows everything that the reconcile of this key wrote. Called only for keys for
  // which readiness() returned something other than kReady.
  virtual void ready(const ObjectKey& key) { static_cast<void>(key); }
};

struct StoreOptions {
  StoreOptions() = default;
  // Labels to index by.
  std::vector<std::string> label_indexes = {};
  // String fields to index by, as paths: "spec.nodeName".
  std::vector<std::string> field_indexes = {};
  bool namespace_index = false;
  bool owner_index = false;  // by the uid of each owner
  // Fields that are not kept: members of the object ("status"), or of one of its members
  // ("spec.versions"). managedFields is never kept.
  std::vector<std::string> left_out = {};
  bool metadata_only = false;
  // Total size limit. Objects beyond it are dropped (or not updated), an error is logged, and
  // is_complete() becomes false.
  std::size_t most_bytes = std::size_t{512} << 20U;
};

// The handler of an Informer. It keeps one compact text per object, independent of the page or
// event in which the object arrived. A list is applied as its difference to the present content,
// the first list page by page. An object nested deeper than kDeepestObject is dropped (or not
// updated), and an error is logged. Used on the loop's thread. Rationale: ADR 25.
class Store final : public InformerHandler {
 public:
  // A declared index. Callers get it once, at the start: the getters throw std::logic_error if the
  // index was not declared.
  class Index;

  // `logger` outlives it.
  Store(const Resource& resource, StoreOptions options, runtime::Logger& logger);
  ~Store() override;
  Store(const Store&) = delete;
  Store& operator=(const Store&) = delete;

  // Handlers are called in subscription order. A new handler first receives all existing objects.
  // Handlers must outlive the store.
  void subscribe(StoreHandler& handler);

  // --- InformerHandler.
  void replace(std::span<const Object> objects) override;
  // Only before the first sync: later relists must report deletions before additions.
  bool takes_pages() const override { return !is_synced_; }
  void page(std::span<const Object> objects, bool is_first) override;
  void listed() override;
  void upsert(const Object& object) override;
  void remove(const Object& object) override;
  void reached(std::string_view resource_version) override;

  // --- Content.
  const Resource& resource() const { return resource_; }
  bool is_synced() const { return is_synced_; }
  // False once an object was beyond `most_bytes` or nested too deep: an object missing here may
  // still exist. True again after a list that fits, and when no object is too deep any more.
  bool is_complete() const { return is_complete_ && too_deep_.empty(); }
  // True if the object does not exist: it is not in the store, and the store dropped no object of
  // that name. Call this before you delete or report an object that the store lacks.
  bool lacks(const ObjectKey& key) const;
  std::size_t size() const { return objects_.size(); }
  // Total size of the objects' texts.
  std::size_t bytes() const { return bytes_; }
  // The newest resourceVersion received, including bookmarks; empty before the first.
  const std::string& watermark() const { return watermark_; }

  bool contains(const ObjectKey& key) const { return objects_.contains(key); }
  // Parses the object on each call, some microseconds: call it once per reconcile.
  std::optional<Object> find(const ObjectKey& key) const;
  // Without parsing; empty if the object is absent.
  std::string_view version_of(const ObjectKey& key) const;
  std::string_view uid_of(const ObjectKey& key) const;
  // All keys, sorted.
  std::vector<ObjectKey> keys() const;

  const Index& index_by_namespace() const;
  const Index& index_by_owner() const;
  const Index& index_by_label(std::string_view label) const;
  const Index& index_by_field(std::string_view path) const;
  // Sorted by key. A copy, so the store may change during iteration.
  std::vector<ObjectKey> keys(const Index& index, std::string_view value) const;

  // --- Writes by the reconcile of `key` that this store must show before the next reconcile. A
  // version that is not a number is not awaited.
  void record_write(const ObjectKey& key, std::string_view version, WriteLedger::Time now);
  void record_delete(const ObjectKey& key, const ObjectKey& object, std::string_view uid,
                     WriteLedger::Time now);
  // The server has a newer state than this store: the reconcile of `key` waits for it.
  void mark_outdated(const ObjectKey& key, WriteLedger::Time now);
  Readiness readiness(const ObjectKey& key, WriteLedger::Time now) {
    return ledger_.readiness(key, now);
  }
  std::chrono::nanoseconds patience(const ObjectKey& key, WriteLedger::Time now) const {
    return ledger_.patience(key, now);
  }
  void settle(const ObjectKey& key) { ledger_.settle(key); }

  // --- For metrics.
  std::size_t pending_deliveries() const;  // changes that must be delivered again
  // Delivers again some of the changes whose handler threw. reached() does this, too.
  void redeliver();

 private:
  // The version and the uid are read most often. They are part of the text already, so only their
  // positions are kept.
  struct Entry {
    struct TextRange {
      std::uint32_t at = 0;
      std::uint32_t size = 0;
    };
    std::string_view version() const {
      return std::string_view(text).substr(version_at.at, version_at.size);
    }
    std::string_view uid() const { return std::string_view(text).substr(uid_at.at, uid_at.size); }

    std::string text;
    TextRange version_at;
    TextRange uid_at;
    std::uint64_t list = 0;  // the last paged list that contained the object
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
  void deliver(const StoreChange& change);
  void deliver(Subscriber& subscriber, const StoreChange& change);
  template <class Do>
  bool call_handler(Subscriber& subscriber, Do action);
  void notify_ready(const std::vector<ObjectKey>& keys);
  void notify_ready(Subscriber& subscriber, const ObjectKey& key);
  void notify_synced(Subscriber& subscriber);
  void redeliver_changes(Subscriber& subscriber);

  const Resource resource_;
  const StoreOptions options_;
  const PackOptions pack_options_;
  const std::string head_;  // the beginning of every text; not stored per object
  runtime::Logger& logger_;
  std::unordered_map<ObjectKey, Entry, ObjectKeyHash> objects_;
  // with the last paged list that contained the object
  std::map<ObjectKey, std::uint64_t> too_deep_;
  std::vector<std::unique_ptr<Index>> indexes_;
  std::vector<std::unique_ptr<Subscriber>> subscribers_;
  WriteLedger ledger_;
  std::string packing_;  // scratch memory
  std::string watermark_;
  std::size_t bytes_ = 0;
  std::uint64_t lists_ = 0;  // paged lists, including aborted ones
  bool is_synced_ = false;
  bool is_complete_ = true;
};

}  // namespace dynamo::kube
