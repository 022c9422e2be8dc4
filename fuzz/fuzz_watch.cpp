// Any pages and watch events of an API server, delivered to an informer and its store: the changes
// that the store reports lead to its content, its indexes agree with its objects, and an object is
// kept exactly if the last list or event had it. Each line of the input is an answer of the server;
// its first character selects the kind.
#include <algorithm>
#include <boost/asio/co_spawn.hpp>
#include <boost/asio/detached.hpp>
#include <boost/asio/io_context.hpp>
#include <cstdint>
#include <map>
#include <memory>
#include <optional>
#include <set>
#include <span>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "fuzz/check.hpp"
#include "fuzz/input.hpp"
#include "json/scan.hpp"
#include "kube/cache/informer.hpp"
#include "kube/cache/store.hpp"
#include "kube/http/transport.hpp"
#include "kube/object/object_meta.hpp"
#include "tests/support/fake_clock.hpp"

namespace fuzz = dynamo::fuzz;
namespace json = dynamo::json;
namespace kube = dynamo::kube;
namespace aio = dynamo::aio;
namespace runtime = dynamo::runtime;

namespace {

class NoLogger final : public runtime::Logger {
 public:
  void log(runtime::Level, std::string_view message,
           std::span<const runtime::Field> fields) override {
    static_cast<void>(fields);
    fuzz::require(message.find("a defect") == std::string_view::npos, "no handler throws");
  }
  bool is_enabled(runtime::Level) const override { return true; }
};

kube::Error failure(kube::FailureKind kind) {
  kube::Error error;
  error.failure = kind;
  error.text = "as the input says";
  return error;
}

// The answers of the input, one per line; at their end every call is cancelled.
class Answers {
 public:
  explicit Answers(std::string_view lines) : lines_(lines) {}

  enum class Kind : std::uint8_t { kPage, kStatus, kEvent, kBroken, kTooLarge, kEnd };
  struct Answer {
    Kind kind = Kind::kEnd;
    int status = 200;
    std::string text;
  };

  Answer next() {
    if (lines_.is_empty()) return {};
    fuzz::Input line(lines_.take_until("\n"));
    switch (line.take_byte()) {
      case 'P':
        return {Kind::kPage, 200, std::string(line.rest())};
      case 'S': {
        const std::string_view digits = line.take(3);
        const bool is_gone = digits == "410";
        return {Kind::kStatus, is_gone ? 410 : 404, std::string(line.rest())};
      }
      case 'T':
        return {Kind::kTooLarge, 0, {}};
      case 'B':
        return {Kind::kBroken, 0, {}};
      default:
        return {Kind::kEvent, 200, std::string(line.rest())};
    }
  }
  bool is_at_event() const { return !lines_.is_empty() && lines_.rest().front() == 'E'; }

 private:
  fuzz::Input lines_;
};

class InputStream final : public kube::Stream {
 public:
  explicit InputStream(Answers& answers) : answers_(answers) {}
  aio::Task<kube::Result<std::string>> next_line(std::chrono::milliseconds) override {
    if (!answers_.is_at_event()) co_return failure(kube::FailureKind::kClosed);
    co_return answers_.next().text;
  }

 private:
  Answers& answers_;
};

class InputTransport final : public kube::Transport {
 public:
  explicit InputTransport(std::string_view lines) : answers_(lines) {}

  aio::Task<kube::Result<kube::Response>> send(kube::Request) override {
    Answers::Answer answer = answers_.next();
    if (const auto error = error_of(answer)) co_return *error;
    kube::Response response;
    response.status = answer.status;
    response.body = std::move(answer.text);
    co_return response;
  }
  aio::Task<kube::Result<std::unique_ptr<kube::Stream>>> open(kube::Request) override {
    if (!answers_.is_at_event()) {
      Answers::Answer answer = answers_.next();
      if (const auto error = error_of(answer)) co_return *error;
      if (answer.kind == Answers::Kind::kStatus) {
        kube::Error refusal = failure(kube::FailureKind::kStatus);
        refusal.http_status = answer.status;
        refusal.text = std::move(answer.text);
        co_return refusal;
      }
    }
    std::unique_ptr<kube::Stream> stream = std::make_unique<InputStream>(answers_);
    co_return stream;
  }

 private:
  static std::optional<kube::Error> error_of(const Answers::Answer& answer) {
    if (answer.kind == Answers::Kind::kEnd) return failure(kube::FailureKind::kCancelled);
    if (answer.kind == Answers::Kind::kBroken) return failure(kube::FailureKind::kConnect);
    if (answer.kind == Answers::Kind::kTooLarge) return failure(kube::FailureKind::kTooLarge);
    return std::nullopt;
  }

  Answers answers_;
};

struct KnownObject {
  std::string uid;
  std::string version;
};
using KnownObjects = std::map<kube::ObjectKey, KnownObject>;

// Follows the changes that the store reports.
class Mirror final : public kube::StoreHandler {
 public:
  void changed(const kube::StoreChange& change) override {
    const auto known = objects_.find(change.key);
    fuzz::require((change.before != nullptr) == (known != objects_.end()),
                  "a change starts from the last one");
    fuzz::require(change.before != nullptr || change.now != nullptr, "a change has an object");
    if (change.before != nullptr && change.now != nullptr) {
      fuzz::require(change.before->uid() == change.now->uid(),
                    "another object is reported as created");
    }
    if (change.now == nullptr) {
      objects_.erase(change.key);
    } else {
      fuzz::require(kube::key_of(*change.now) == change.key, "a change is of its key");
      objects_[change.key] = {std::string(change.now->uid()),
                              std::string(change.now->resource_version())};
    }
  }
  void on_synced() override { ++syncs_; }

  const KnownObjects& objects() const { return objects_; }
  int syncs() const { return syncs_; }

 private:
  KnownObjects objects_;
  int syncs_ = 0;
};

// Passes everything on to the store, and keeps a second account of which objects exist.
class CheckedStore final : public kube::InformerHandler {
 public:
  CheckedStore(kube::StoreOptions options, runtime::Logger& logger)
      : store_(kube::kPods, std::move(options), logger) {
    store_.subscribe(mirror_);
  }

  void replace(std::span<const kube::Object> objects) override {
    listed_ = keys_of(objects);
    forget_unlisted();
    for (const kube::Object& each : objects) note(each);
    store_.replace(objects);
  }
  bool takes_pages() const override { return store_.takes_pages(); }
  void page(std::span<const kube::Object> objects, bool is_first) override {
    if (is_first) listed_.clear();
    listed_.merge(keys_of(objects));
    for (const kube::Object& each : objects) note(each);
    store_.page(objects, is_first);
  }
  void listed() override {
    forget_unlisted();
    store_.listed();
  }
  void upsert(const kube::Object& object) override {
    note(object);
    store_.upsert(object);
  }
  void remove(const kube::Object& object) override {
    existing_.erase(kube::key_of(object));
    store_.remove(object);
  }
  void reached(std::string_view version) override {
    store_.reached(version);
    fuzz::require(store_.watermark() == version, "the store has reached the version");
    check();
  }

  void check() const {
    check_mirror();
    check_indexes();
    if (store_.is_complete()) check_existing();
  }

 private:
  static std::set<kube::ObjectKey> keys_of(std::span<const kube::Object> objects) {
    std::set<kube::ObjectKey> keys;
    for (const kube::Object& each : objects) keys.insert(kube::key_of(each));
    return keys;
  }
  void forget_unlisted() {
    std::erase_if(existing_, [this](const auto& each) { return !listed_.contains(each.first); });
  }
  void note(const kube::Object& object) {
    existing_[kube::key_of(object)] = {std::string(object.uid()),
                                       std::string(object.resource_version())};
  }

  void check_mirror() const {
    std::size_t bytes = 0;
    const std::vector<kube::ObjectKey> keys = store_.keys();
    fuzz::require(keys.size() == store_.size() && keys.size() == mirror_.objects().size(),
                  "the changes lead to the content");
    for (const kube::ObjectKey& key : keys) {
      const auto object = store_.find(key);
      fuzz::require(object.has_value() && kube::key_of(*object) == key, "a key has its object");
      const auto mirrored = mirror_.objects().find(key);
      fuzz::require(mirrored != mirror_.objects().end() && mirrored->second.uid == object->uid() &&
                        mirrored->second.version == object->resource_version(),
                    "the last change is the content");
      fuzz::require(object->kind() == "Pod" && object->root()["apiVersion"].string() == "v1",
                    "an object has its type");
      fuzz::require(object->root()["metadata"]["managedFields"].is_nothing() &&
                        object->root()["status"].is_nothing(),
                    "what is left out is left out");
      bytes += json::to_text(object->root()).size();
    }
    fuzz::require(store_.bytes() <= bytes, "the store counts its bytes");
    fuzz::require(mirror_.syncs() == (store_.is_synced() ? 1 : 0), "a store syncs once");
  }

  void check_indexes() const {
    std::map<std::string, std::vector<kube::ObjectKey>> by_namespace;
    std::map<std::string, std::set<kube::ObjectKey>> by_owner;
    std::map<std::string, std::vector<kube::ObjectKey>> by_label;
    for (const kube::ObjectKey& key : store_.keys()) {
      const kube::Object object = *store_.find(key);
      by_namespace[key.namespace_name].push_back(key);
      for (const auto& owner : kube::owners_of(object)) by_owner[owner.uid].insert(key);
      const auto label = object.root()["metadata"]["labels"]["app"].string();
      if (label) by_label[std::string(*label)].push_back(key);
    }
    for (const auto& [value, keys] : by_namespace) {
      fuzz::require(store_.keys(store_.index_by_namespace(), value) == keys, "by namespace");
    }
    for (const auto& [value, keys] : by_owner) {
      fuzz::require(std::ranges::equal(store_.keys(store_.index_by_owner(), value), keys),
                    "by owner");
    }
    for (const auto& [value, keys] : by_label) {
      fuzz::require(store_.keys(store_.index_by_label("app"), value) == keys, "by label");
    }
    fuzz::require(store_.keys(store_.index_by_owner(), "no owner").empty(), "no unknown owner");
  }

  void check_existing() const {
    fuzz::require(existing_.size() == store_.size(), "what exists is in the store");
    for (const auto& [key, known] : existing_) {
      fuzz::require(store_.contains(key), "what exists is in the store");
      fuzz::require(store_.find(key)->resource_version() == known.version,
                    "the newest version is in the store");
    }
  }

  kube::Store store_;
  Mirror mirror_;
  KnownObjects existing_;
  std::set<kube::ObjectKey> listed_;
};

void run(std::string_view lines, bool is_limited) {
  constexpr std::size_t kLimit = 600;
  NoLogger logger;
  kube::StoreOptions options;
  options.namespace_index = true;
  options.owner_index = true;
  options.label_indexes = {"app"};
  options.left_out = {"status"};
  if (is_limited) options.most_bytes = kLimit;
  CheckedStore store(std::move(options), logger);
  InputTransport transport(lines);
  kube::Client client(transport);
  kube::InformerOptions immediately;
  immediately.first_pause = std::chrono::milliseconds(0);
  immediately.longest_pause = std::chrono::milliseconds(0);
  kube::Informer informer(client, kube::kPods, immediately, store, logger);
  boost::asio::io_context loop(1);  // destroyed first, with the informer's coroutine
  boost::asio::co_spawn(loop, informer.run(), boost::asio::detached);
  loop.poll();
  if (informer.is_synced()) store.check();
}

// A list delivers the same objects at once, in pages, and by name.
void check_lists(std::string_view lines) {
  std::vector<std::string> lists;
  for (const int form : {0, 1, 2}) {
    InputTransport transport(lines);
    kube::Client client(transport);
    std::string seen;
    const auto add = [&seen](std::span<const kube::Object> objects) {
      for (const kube::Object& each : objects) {
        seen += to_string(kube::key_of(each)) + '\0' + std::string(each.uid()) + '\0';
      }
    };
    kube::ListOptions options;
    options.names_only = form == 2;
    if (form == 1) {
      options.on_page = [&](std::span<const kube::Object> objects, bool is_first) {
        if (is_first) seen.clear();
        add(objects);
      };
    }
    std::optional<kube::Result<kube::List>> result;
    boost::asio::io_context loop(1);
    boost::asio::co_spawn(
        loop,
        [](kube::Client& from, kube::ListOptions how,
           std::optional<kube::Result<kube::List>>& into) -> aio::Task<> {
          into = co_await from.list(kube::kPods, "", how);
        }(client, options, result),
        boost::asio::detached);
    loop.poll();
    if (!result || !*result) return;
    add((*result)->items);
    fuzz::require(!(*result)->resource_version.empty(), "a list has a version");
    lists.push_back(seen + (*result)->resource_version);
  }
  fuzz::require(lists[0] == lists[1] && lists[0] == lists[2], "every form lists the same");
}

}  // namespace

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
  const std::string_view lines = fuzz::as_text(data, size);
  run(lines, false);
  run(lines, true);
  check_lists(lines);
  return 0;
}
