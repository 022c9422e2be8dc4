#include "kube/client/client.hpp"

#include <algorithm>
#include <utility>

#include "aio/pause.hpp"
#include "json/writer.hpp"
#include "kube/object/status.hpp"
#include "kube/object/url.hpp"

namespace dynamo::kube {

// Functions that build a request are not coroutines: they read their arguments before they return,
// and only the few functions below them have coroutine frames.
struct Client::ApiCall {
  ApiCall(HttpMethod method, std::string target, std::string in_words)
      : request(method, std::move(target)), what(std::move(in_words)) {}
  Request request;
  std::string what;
  std::size_t skip_managed_fields_at = 1;  // ParseOptions; 0: keep them
};

namespace {

using Clock = std::chrono::steady_clock;

// client-go's limit for retries after Retry-After.
constexpr int kMaxTries = 10;
constexpr std::size_t kMetadataOfItems = 3;  // list, items, item
constexpr std::size_t kMetadataOfEvent = 2;  // event, object

constexpr std::string_view kMetadataList =
    "application/json;as=PartialObjectMetadataList;v=v1;g=meta.k8s.io";
constexpr std::string_view kMetadata =
    "application/json;as=PartialObjectMetadata;v=v1;g=meta.k8s.io";

// "get secrets dynamo/webhook-cert", "list leases.coordination.k8s.io".
std::string in_words(std::string_view verb, const Resource& resource,
                     std::string_view namespace_name, std::string_view name,
                     std::string_view subresource = {}) {
  std::string text(verb);
  text += ' ';
  text += resource.plural;
  if (!resource.group.empty()) {
    text += '.';
    text += resource.group;
  }
  if (!subresource.empty()) {
    text += '/';
    text += subresource;
  }
  if (resource.namespaced && !namespace_name.empty()) {
    text += ' ';
    text += namespace_name;
    if (!name.empty()) text += '/';
  } else if (!name.empty()) {
    text += ' ';
  }
  text += name;
  return text;
}

void set_write_options(Request& request, const WriteOptions& options) {
  append_query(request.target, "fieldManager", options.field_manager);
  if (options.dry_run) append_query(request.target, "dryRun", "All");
  if (options.metadata_only) request.accept = kMetadata;
}

bool is_success(int status) {
  return status >= 200 && status < 300;
}

bool should_retry(const Response& answer) {
  return (answer.status == 429 || answer.status == 503) && answer.retry_after.has_value();
}

Error protocol_error(std::string_view what, std::string_view text) {
  Error error;
  error.failure = FailureKind::kProtocol;
  error.text = std::string(what) + ": " + std::string(text);
  return error;
}

}  // namespace

Client::Client(Transport& transport, std::chrono::milliseconds deadline)
    : transport_(transport), deadline_(deadline) {}

aio::Task<Result<Object>> Client::get(const Resource& resource, const std::string& namespace_name,
                                      const std::string& name, const std::string& subresource) {
  return object_of(ApiCall(HttpMethod::kGet, resource.path(namespace_name, name, subresource),
                           in_words("get", resource, namespace_name, name, subresource)));
}

aio::Task<Result<List>> Client::list(const Resource& resource, const std::string& namespace_name,
                                     const ListOptions& options) {
  return pages_of(in_words("list", resource, namespace_name, {}), resource.path(namespace_name),
                  options);
}

aio::Task<Result<Object>> Client::create(const Resource& resource,
                                         const std::string& namespace_name, std::string body,
                                         const WriteOptions& options) {
  // The name is in the body; it is missing if the server generates one.
  std::string name;
  if (const auto object = Object::parse(body)) name = object->name();
  ApiCall call(HttpMethod::kPost, resource.path(namespace_name, {}, {}),
               in_words("create", resource, namespace_name, name, options.subresource));
  if (!options.subresource.empty()) {
    call.request.target = resource.path(namespace_name, name, options.subresource);
  }
  set_write_options(call.request, options);
  call.request.body = std::move(body);
  return object_of(std::move(call));
}

aio::Task<Result<Object>> Client::update(const Resource& resource,
                                         const std::string& namespace_name, const std::string& name,
                                         std::string body, const WriteOptions& options) {
  ApiCall call(HttpMethod::kPut, resource.path(namespace_name, name, options.subresource),
               in_words("update", resource, namespace_name, name, options.subresource));
  set_write_options(call.request, options);
  call.request.body = std::move(body);
  return object_of(std::move(call));
}

aio::Task<Result<Object>> Client::patch(const Resource& resource, const std::string& namespace_name,
                                        const std::string& name, PatchType type, std::string body,
                                        const WriteOptions& options) {
  ApiCall call(HttpMethod::kPatch, resource.path(namespace_name, name, options.subresource),
               in_words(type == PatchType::kApply ? "apply" : "patch", resource, namespace_name,
                        name, options.subresource));
  set_write_options(call.request, options);
  switch (type) {
    case PatchType::kJson:
      call.request.content_type = "application/json-patch+json";
      break;
    case PatchType::kMerge:
      call.request.content_type = "application/merge-patch+json";
      break;
    case PatchType::kApply:
      // YAML, of which JSON is a subset: servers accept no other content type.
      call.request.content_type = "application/apply-patch+yaml";
      if (options.force) append_query(call.request.target, "force", "true");
      break;
  }
  call.request.body = std::move(body);
  return object_of(std::move(call));
}

aio::Task<Result<void>> Client::remove(const Resource& resource, const std::string& namespace_name,
                                       const std::string& name,
                                       const Preconditions& preconditions) {
  DeleteOptions options;
  options.preconditions = preconditions;
  return remove(resource, namespace_name, name, options);
}

aio::Task<Result<void>> Client::remove(const Resource& resource, const std::string& namespace_name,
                                       const std::string& name, const DeleteOptions& options) {
  ApiCall call(HttpMethod::kDelete, resource.path(namespace_name, name),
               in_words("delete", resource, namespace_name, name));
  const Preconditions& preconditions = options.preconditions;
  const bool has_preconditions =
      !preconditions.uid.empty() || !preconditions.resource_version.empty();
  const std::string_view propagation = to_string(options.propagation);
  if (has_preconditions || !propagation.empty()) {
    json::Writer writer(call.request.body);
    writer.start_object().member("apiVersion", "v1").member("kind", "DeleteOptions");
    if (has_preconditions) {
      writer.key("preconditions").start_object();
      if (!preconditions.uid.empty()) writer.member("uid", preconditions.uid);
      if (!preconditions.resource_version.empty()) {
        writer.member("resourceVersion", preconditions.resource_version);
      }
      writer.end_object();
    }
    if (!propagation.empty()) writer.member("propagationPolicy", propagation);
    writer.end_object();
  }
  return nothing_of(std::move(call));
}

aio::Task<Result<Watch>> Client::watch(const Resource& resource, const std::string& namespace_name,
                                       const WatchOptions& options) {
  ApiCall call(HttpMethod::kGet, resource.path(namespace_name),
               in_words("watch", resource, namespace_name, {}));
  std::string& target = call.request.target;
  append_query(target, "watch", "true");
  append_query(target, "allowWatchBookmarks", "true");
  append_query(target, "labelSelector", options.label_selector);
  append_query(target, "fieldSelector", options.field_selector);
  append_query(target, "resourceVersion", options.resource_version);
  append_query(target, "timeoutSeconds", std::to_string(options.server_timeout.count()));
  if (options.metadata_only) call.request.accept = kMetadata;
  std::chrono::milliseconds silence = options.longest_silence;
  if (silence == std::chrono::milliseconds::zero()) {
    silence = options.server_timeout + std::chrono::seconds(15);
  }
  return opened(std::move(call), silence, options.max_depth);
}

aio::Task<Result<Object>> Client::get_path(std::string target, std::string accept) {
  std::string what = "get " + target;
  ApiCall call(HttpMethod::kGet, std::move(target), std::move(what));
  call.request.accept = std::move(accept);
  call.skip_managed_fields_at = 0;
  return object_of(std::move(call));
}

aio::Task<Result<std::string>> Client::text_of(ApiCall call) {
  const Clock::time_point end = Clock::now() + deadline_;
  for (int tries = 1;; ++tries) {
    Request request = call.request;
    request.deadline = std::chrono::ceil<std::chrono::milliseconds>(end - Clock::now());
    auto answer = co_await transport_.send(std::move(request));
    if (!answer) co_return with_subject(std::move(answer).error(), call.what);
    if (is_success(answer->status)) co_return std::move(answer->body);
    Error error = error_of_answer(call.what, answer->status, answer->body, answer->retry_after);
    if (!should_retry(*answer) || tries == kMaxTries) co_return error;
    // Retry-After exceeds the deadline. The caller may have more time than this call.
    if (Clock::now() + *answer->retry_after >= end) co_return error;
    const bool waited = co_await aio::pause(*answer->retry_after);
    if (!waited) {
      error = Error{};
      error.failure = FailureKind::kCancelled;
      error.text = call.what + ": cancelled";
      co_return error;
    }
  }
}

aio::Task<Result<Object>> Client::object_of(ApiCall call) {
  const std::string what = call.what;
  const std::size_t skip_at = call.skip_managed_fields_at;
  auto text = co_await text_of(std::move(call));
  if (!text) co_return std::move(text).error();
  auto object = Object::take(*std::move(text), skip_at);
  if (!object) co_return with_subject(std::move(object).error(), what);
  co_return object;
}

aio::Task<Result<void>> Client::nothing_of(ApiCall call) {
  auto text = co_await text_of(std::move(call));
  if (!text) co_return std::move(text).error();
  co_return Result<void>();
}

namespace {

Error too_long(std::string_view what, const ListOptions& options) {
  return protocol_error(what, "the list must have at most " + std::to_string(options.most_bytes) +
                                  " bytes in all pages together, but has more");
}

// After an answer beyond the limit, reduces the page size. False if the page had one object.
bool reduce_page_size(ListOptions& options) {
  if (options.page_size == 1) return false;
  options.page_size = options.page_size == 0 ? ListOptions().page_size : options.page_size / 2;
  // Servers ignore the page size when they answer from their cache.
  options.resource_version.clear();
  return true;
}

// The same list as JSON, with only the names of its objects.
std::string names_of(const Object& page) {
  std::string text;
  json::Writer writer(text);
  writer.start_object().key("items").start_array();
  for (const json::Value item : page.root()["items"].elements()) {
    const json::Value metadata = item["metadata"];
    writer.start_object().key("metadata").start_object();
    for (const std::string_view field : {"name", "namespace", "uid", "resourceVersion"}) {
      const std::string_view value = metadata[field].string_or_empty();
      if (!value.empty()) writer.member(field, value);
    }
    writer.end_object().end_object();
  }
  writer.end_array().end_object();
  return text;
}

}  // namespace

aio::Task<Result<List>> Client::pages_of(std::string what, std::string path, ListOptions options) {
  if (options.names_only) {
    options.metadata_only = true;
    options.page_size = std::min(options.page_size, ListOptions::kNamesPage);
  }
  std::string first = std::move(path);
  append_query(first, "labelSelector", options.label_selector);
  append_query(first, "fieldSelector", options.field_selector);

  List list;
  bool is_first = true;
  std::string token;
  std::size_t bytes = 0;
  bool began_again = false;
  for (;;) {
    ApiCall call(HttpMethod::kGet, first, what);
    if (options.page_size != 0) {
      append_query(call.request.target, "limit", std::to_string(options.page_size));
    }
    // A continue token contains its version; servers refuse both together.
    append_query(call.request.target, token.empty() ? "resourceVersion" : "continue",
                 token.empty() ? options.resource_version : token);
    if (options.metadata_only) call.request.accept = kMetadataList;
    auto text = co_await text_of(std::move(call));
    if (!text) {
      if (text.error().failure == FailureKind::kTooLarge && reduce_page_size(options)) continue;
      if (!token.empty() && !began_again && text.error().is("Expired")) {
        began_again = true;
        is_first = true;
        token.clear();
        list.items.clear();
        // The server's cache may be older than the pages received so far.
        options.resource_version.clear();
        bytes = 0;
        continue;
      }
      co_return std::move(text).error();
    }
    if (options.on_page) bytes = 0;
    if (!options.names_only) bytes += text->size();
    if (bytes > options.most_bytes) co_return too_long(what, options);
    auto page = Object::take(*std::move(text), kMetadataOfItems, options.max_depth);
    if (!page) co_return with_subject(std::move(page).error(), what);
    const json::Value items = page->root()["items"];
    if (!items.is_array() && !items.is_nothing()) {
      co_return protocol_error(what, "the answer must be a list, but has no array \"items\"");
    }
    list.resource_version = page->resource_version();
    std::string next(page->root()["metadata"]["continue"].string_or_empty());
    Object kept = *page;
    if (options.names_only) {
      std::string names_text = names_of(*page);
      bytes += names_text.size();
      if (bytes > options.most_bytes) co_return too_long(what, options);
      auto names = Object::parse(names_text);
      if (!names) co_return with_subject(std::move(names).error(), what);
      kept = *std::move(names);
    }
    for (const json::Value item : kept.root()["items"].elements()) {
      list.items.push_back(kept.part(item));
    }
    if (options.on_page) {
      options.on_page(list.items, is_first);
      list.items.clear();
    }
    is_first = false;
    if (next.empty()) break;
    if (next == token) {
      co_return protocol_error(what, "the server answers the same page again and again");
    }
    token = std::move(next);
  }
  if (list.resource_version.empty()) {
    co_return protocol_error(what, "the answer must have a metadata.resourceVersion");
  }
  co_return list;
}

aio::Task<Result<Watch>> Client::opened(ApiCall call, std::chrono::milliseconds longest_silence,
                                        std::size_t max_depth) {
  call.request.deadline = deadline_;
  auto stream = co_await transport_.open(std::move(call.request));
  if (!stream) {
    const Error& failed = stream.error();
    if (failed.failure != FailureKind::kStatus) co_return with_subject(failed, call.what);
    co_return error_of_answer(call.what, failed.http_status, failed.text, failed.retry_after);
  }
  co_return Watch(std::move(*stream), longest_silence, std::move(call.what), max_depth);
}

Watch::Watch(std::unique_ptr<Stream> stream, std::chrono::milliseconds longest_silence,
             std::string what, std::size_t max_depth)
    : stream_(std::move(stream)),
      longest_silence_(longest_silence),
      what_(std::move(what)),
      max_depth_(max_depth) {}

aio::Task<Result<WatchEvent>> Watch::next() {
  auto line = co_await stream_->next_line(longest_silence_);
  if (!line) co_return with_subject(std::move(line).error(), what_);
  const auto event = Object::take(*std::move(line), kMetadataOfEvent, max_depth_);
  if (!event) co_return with_subject(event.error(), what_);
  const std::string_view type = event->root()["type"].string_or_empty();
  const json::Value object = event->root()["object"];
  if (!object.is_object()) co_return protocol_error(what_, "an event must have an object");
  if (type == "ERROR") co_return error_of_status(what_, object);

  WatchEvent found{EventType::kAdded, event->part(object)};
  if (type == "MODIFIED") {
    found.type = EventType::kModified;
  } else if (type == "DELETED") {
    found.type = EventType::kDeleted;
  } else if (type == "BOOKMARK") {
    found.type = EventType::kBookmark;
  } else if (type != "ADDED") {
    co_return protocol_error(what_, "an event of an unknown type");
  }
  if (found.object.resource_version().empty()) {
    co_return protocol_error(what_, "an event must have a metadata.resourceVersion");
  }
  co_return found;
}

}  // namespace dynamo::kube
