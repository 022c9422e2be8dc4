// The verbs of the Kubernetes API over a Transport.
#pragma once

#include <chrono>
#include <cstddef>
#include <cstdint>
#include <functional>
#include <memory>
#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "aio/task.hpp"
#include "kube/error.hpp"
#include "kube/object.hpp"
#include "kube/propagation.hpp"
#include "kube/resource.hpp"
#include "kube/transport.hpp"

namespace dynamo::kube {

// The options are no aggregates: g++ 12 destroys a braced aggregate inside of a co_await expression
// twice. Make a variable, and set what differs.
struct ListOptions {
  ListOptions() = default;
  std::string label_selector;
  std::string field_selector;
  // Where a page is more than the transport takes, it and those after it are asked for with half of
  // it, and so on. One object that alone is more is a kTooLarge.
  unsigned page_size = 250;
  // Of the answers of all pages together, or of what names_only keeps of them; more is a kProtocol.
  // With on_page, of each page, since no more than one is held.
  std::size_t most_bytes = std::size_t{256} << 20U;
  // Of the answer, the list itself included.
  std::size_t max_depth = kDeepestObject;
  bool metadata_only = false;  // asks for PartialObjectMetadataList
  // Keeps of each object its name, namespace, uid and resourceVersion, and nothing of the page that
  // it came in: for objects of which there are many, with metadata of up to a megabyte each. Asks
  // for metadata only, in pages of at most kNamesPage.
  bool names_only = false;
  static constexpr unsigned kNamesPage = 50;
  // "0": any state the server has in memory will do; empty: the newest. A list that begins again
  // asks for the newest.
  std::string resource_version;
  // Set: told the objects of each page as it comes, on the loop's thread, and List::items stays
  // empty. Of a page nothing is left when the next one is asked for, if nothing of it is kept here.
  // `is_first`: the list begins, or begins again: what was told before may be out of date. Only a
  // list that succeeds was told as a whole.
  std::function<void(std::span<const Object> objects, bool is_first)> on_page;
};

struct List {
  std::vector<Object> items;
  std::string resource_version;
};

struct WriteOptions {
  WriteOptions() = default;
  // Empty: the API server takes what stands before the slash of the transport's user agent. An
  // apply must say it.
  std::string field_manager = {};
  bool dry_run = false;
  bool force = false;  // server-side apply: take fields over from others
  std::string subresource = {};
  // Asks for PartialObjectMetadata: of what was written no more is answered than its metadata.
  bool metadata_only = false;
};

enum class PatchType : std::uint8_t { kJson, kMerge, kApply };

struct Preconditions {
  Preconditions() = default;
  std::string uid = {};
  std::string resource_version = {};
};

struct DeleteOptions {
  DeleteOptions() = default;
  Preconditions preconditions = {};
  Propagation propagation = Propagation::kDefault;
};

enum class EventType : std::uint8_t { kAdded, kModified, kDeleted, kBookmark };

struct WatchEvent {
  EventType type;
  Object object;  // of a bookmark only metadata.resourceVersion
};

struct WatchOptions {
  WatchOptions() = default;
  std::string label_selector;
  std::string field_selector;
  std::string resource_version;
  bool metadata_only = false;
  std::size_t max_depth = kDeepestObject;    // of an event, what is around the object included
  std::chrono::seconds server_timeout{300};  // the server ends the watch itself after that
  // No line for so long, bookmarks included, and the watch counts as dead. Zero: a little more than
  // server_timeout.
  std::chrono::milliseconds longest_silence{0};
};

class Watch {
 public:
  // `what` is watched, for errors: "watch leases"; `max_depth`: WatchOptions.
  Watch(std::unique_ptr<Stream> stream, std::chrono::milliseconds longest_silence, std::string what,
        std::size_t max_depth = kDeepestObject);

  // kClosed at the end, kDeadline after too long a silence, kProtocol for a line that is no event;
  // an ERROR event is its Status (reason "Expired" for 410). After an error there is nothing more
  // to ask for.
  aio::Task<Result<WatchEvent>> next();

 private:
  std::unique_ptr<Stream> stream_;
  std::chrono::milliseconds longest_silence_;
  std::string what_;
  std::size_t max_depth_;
};

// Stateless over the transport; any number of calls at once, on the transport's thread. The client
// must outlive the calls; what is passed by reference needs to live until the function has returned
// its task. An answer 429 or 503 with Retry-After is waited for and asked again,
// within the call's deadline; everything else fails at once: who calls knows whether to try again.
// Objects come without metadata.managedFields, which others fill. The text of an error says what
// was asked: "get secrets dynamo/webhook-cert: Forbidden: ...".
class Client {
 public:
  explicit Client(Transport& transport,
                  std::chrono::milliseconds deadline = std::chrono::seconds(10));

  // The same with another deadline for each call.
  Client with_deadline(std::chrono::milliseconds deadline) const {
    return Client(transport_, deadline);
  }

  aio::Task<Result<Object>> get(const Resource& resource, const std::string& namespace_name,
                                const std::string& name, const std::string& subresource = {});
  // All pages. A continue token that expired in between begins again from the first page, once.
  aio::Task<Result<List>> list(const Resource& resource, const std::string& namespace_name,
                               const ListOptions& options = {});
  aio::Task<Result<Object>> create(const Resource& resource, const std::string& namespace_name,
                                   std::string body, const WriteOptions& options = {});
  // Replaces; `body` carries metadata.resourceVersion when it must not overwrite what it has not
  // seen.
  aio::Task<Result<Object>> update(const Resource& resource, const std::string& namespace_name,
                                   const std::string& name, std::string body,
                                   const WriteOptions& options = {});
  aio::Task<Result<Object>> patch(const Resource& resource, const std::string& namespace_name,
                                  const std::string& name, PatchType type, std::string body,
                                  const WriteOptions& options = {});
  aio::Task<Result<void>> remove(const Resource& resource, const std::string& namespace_name,
                                 const std::string& name, const Preconditions& preconditions = {});
  aio::Task<Result<void>> remove(const Resource& resource, const std::string& namespace_name,
                                 const std::string& name, const DeleteOptions& options);
  aio::Task<Result<Watch>> watch(const Resource& resource, const std::string& namespace_name,
                                 const WatchOptions& options);
  // Any path, such as "/apis"; what comes with managedFields keeps them.
  aio::Task<Result<Object>> get_path(std::string target, std::string accept = "application/json");

 private:
  struct Asked;  // a request, and what it is in words

  // The body of the answer, if it is a success.
  aio::Task<Result<std::string>> text_of(Asked asked);
  aio::Task<Result<Object>> object_of(Asked asked);
  aio::Task<Result<void>> nothing_of(Asked asked);
  aio::Task<Result<List>> pages_of(std::string what, std::string path, ListOptions options);
  aio::Task<Result<Watch>> opened(Asked asked, std::chrono::milliseconds longest_silence,
                                  std::size_t max_depth);

  Transport& transport_;
  std::chrono::milliseconds deadline_;
};

}  // namespace dynamo::kube
