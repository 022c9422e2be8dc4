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
#include "kube/http/transport.hpp"
#include "kube/object/error.hpp"
#include "kube/object/object.hpp"
#include "kube/object/propagation.hpp"
#include "kube/object/resource.hpp"

namespace dynamo::kube {

// The options are not aggregates: g++ 12 destroys a braced aggregate inside a co_await expression
// twice. Create a variable and set the members that differ.
struct ListOptions {
  ListOptions() = default;
  std::string label_selector;
  std::string field_selector;
  // If a page exceeds the transport's limit, the page size is halved until the page fits. A single
  // object beyond the limit is a kTooLarge.
  unsigned page_size = 250;
  // Limit for the answers of all pages together, or for what names_only keeps of them; more is a
  // kProtocol. With on_page the limit applies to each page, since only one page is in memory.
  std::size_t most_bytes = std::size_t{256} << 20U;
  // Depth limit of the answer, including the list itself.
  std::size_t max_depth = kDeepestObject;
  bool metadata_only = false;  // requests PartialObjectMetadataList
  // Keeps only the name, namespace, uid and resourceVersion of each object, and releases the page:
  // for resources with many objects whose metadata has up to a megabyte each. Requests metadata
  // only, in pages of at most kNamesPage.
  bool names_only = false;
  static constexpr unsigned kNamesPage = 50;
  // "0" accepts any state in the server's memory; empty requests the newest. A restarted list
  // requests the newest.
  std::string resource_version;
  // If set, called on the loop's thread with the objects of each page, and List::items stays empty.
  // A page is released before the next request unless the callback keeps a part of it. `is_first`:
  // the list starts or restarts, and objects delivered before may be outdated. Only a successful
  // list was delivered completely.
  std::function<void(std::span<const Object> objects, bool is_first)> on_page;
};

struct List {
  std::vector<Object> items;
  std::string resource_version;
};

struct WriteOptions {
  WriteOptions() = default;
  // Empty: the API server uses the part of the transport's user agent before the slash. An apply
  // requires it.
  std::string field_manager = {};
  bool dry_run = false;
  bool force = false;  // server-side apply: take over fields of other managers
  std::string subresource = {};
  // Requests PartialObjectMetadata: the answer contains only the metadata of the object.
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
  Object object;  // a bookmark has only metadata.resourceVersion
};

struct WatchOptions {
  WatchOptions() = default;
  std::string label_selector;
  std::string field_selector;
  std::string resource_version;
  bool metadata_only = false;
  std::size_t max_depth = kDeepestObject;    // of an event, including the levels around the object
  std::chrono::seconds server_timeout{300};  // the server ends the watch after this time
  // The watch counts as dead if no line, not even a bookmark, arrives for this time. Zero: a little
  // more than server_timeout.
  std::chrono::milliseconds longest_silence{0};
};

class Watch {
 public:
  // `what` describes the watch in errors ("watch leases"); `max_depth`: see WatchOptions.
  Watch(std::unique_ptr<Stream> stream, std::chrono::milliseconds longest_silence, std::string what,
        std::size_t max_depth = kDeepestObject);

  // Returns kClosed at the end, kDeadline after too long a silence, and kProtocol for a line that
  // is not an event. An ERROR event becomes the error of its Status (reason "Expired" for 410). Do
  // not call it again after an error.
  aio::Task<Result<WatchEvent>> next();

 private:
  std::unique_ptr<Stream> stream_;
  std::chrono::milliseconds longest_silence_;
  std::string what_;
  std::size_t max_depth_;
};

// Stateless over the transport. Any number of concurrent calls, on the transport's thread. The
// client must outlive the calls. Arguments passed by reference only need to live until the function
// has returned its task. An answer 429 or 503 with Retry-After is retried after that time, within
// the call's deadline. Any other failure is returned immediately, because only the caller knows
// whether a retry is safe. Objects are returned without metadata.managedFields. The text of an
// error names the request: "get secrets dynamo/webhook-cert: Forbidden: ...".
class Client {
 public:
  explicit Client(Transport& transport,
                  std::chrono::milliseconds deadline = std::chrono::seconds(10));

  // The same client with another deadline for each call.
  Client with_deadline(std::chrono::milliseconds deadline) const {
    return Client(transport_, deadline);
  }

  aio::Task<Result<Object>> get(const Resource& resource, const std::string& namespace_name,
                                const std::string& name, const std::string& subresource = {});
  // Returns all pages. If a continue token expires, the list restarts from the first page, once.
  aio::Task<Result<List>> list(const Resource& resource, const std::string& namespace_name,
                               const ListOptions& options = {});
  aio::Task<Result<Object>> create(const Resource& resource, const std::string& namespace_name,
                                   std::string body, const WriteOptions& options = {});
  // Replaces the object. Set metadata.resourceVersion in `body` to avoid overwriting changes that
  // were not seen.
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
  // Any path, such as "/apis". Keeps managedFields.
  aio::Task<Result<Object>> get_path(std::string target, std::string accept = "application/json");

 private:
  struct ApiCall;  // a request and its description

  // The body of a successful answer.
  aio::Task<Result<std::string>> text_of(ApiCall call);
  aio::Task<Result<Object>> object_of(ApiCall call);
  aio::Task<Result<void>> nothing_of(ApiCall call);
  aio::Task<Result<List>> pages_of(std::string what, std::string path, ListOptions options);
  aio::Task<Result<Watch>> opened(ApiCall call, std::chrono::milliseconds longest_silence,
                                  std::size_t max_depth);

  Transport& transport_;
  std::chrono::milliseconds deadline_;
};

}  // namespace dynamo::kube
