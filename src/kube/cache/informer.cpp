#include "kube/cache/informer.hpp"

#include <algorithm>
#include <exception>
#include <utility>

#include "aio/pause.hpp"

namespace dynamo::kube {
namespace {

using std::chrono::milliseconds;
using Clock = std::chrono::steady_clock;

// If the server ends a watch within this time without an event, the next one waits for a back-off.
constexpr std::chrono::seconds kShortWatch{1};
// Limit for a server's Retry-After.
constexpr std::chrono::minutes kLongestRetryAfter{5};

// Refusals that do not concern the requested version: the same request may be repeated later.
bool is_about_asking(int http_status) {
  return http_status == 401 || http_status == 403 || http_status == 429 || http_status == 503;
}

}  // namespace

Informer::Informer(Client& client, const Resource& resource, InformerOptions options,
                   InformerHandler& handler, runtime::Logger& logger)
    : client_(client),
      resource_(resource),
      options_(std::move(options)),
      handler_(handler),
      logger_(logger),
      backoff_(options_.first_pause, options_.longest_pause),
      random_(static_cast<std::minstd_rand::result_type>(aio::random_seed())) {}

std::chrono::steady_clock::time_point Informer::now() const {
  return options_.clock == nullptr ? Clock::now() : options_.clock->monotonic();
}

aio::Task<> Informer::run() {
  if (!last_contact_) last_contact_ = now();
  for (;;) {
    Step step;
    if (version_.empty()) {
      step = co_await list();
    } else {
      const bool was_left_alone = co_await interrupt_.await(watch_into(step));
      if (!was_left_alone) {
        version_.clear();
        ++restarts_;
        continue;
      }
    }
    if (step.is_cancelled) break;
    if (step.pause == milliseconds::zero()) continue;
    const bool waited = co_await aio::pause(step.pause);
    if (!waited) break;
  }
}

aio::Task<Informer::Step> Informer::list() {
  ListOptions options;
  options.label_selector = options_.label_selector;
  options.field_selector = options_.field_selector;
  options.metadata_only = options_.metadata_only;
  options.names_only = options_.names_only;
  options.max_depth = kDeepestAnswer;
  bool takes_pages = false;
  call_handler([&] { takes_pages = handler_.takes_pages(); });
  // The first list may come from the server's cache; later ones could be older than what was
  // already delivered. Large lists never do: servers answer them from the cache in one page.
  const bool can_be_much = options_.names_only || takes_pages;
  if (!synced_ && restarts_ == 0 && !can_be_much) options.resource_version = "0";
  if (takes_pages) {
    options.on_page = [this](std::span<const Object> objects, bool is_first) {
      call_handler([&] { handler_.page(objects, is_first); });
    };
  }
  const auto from = now();
  const auto listed = co_await client_.list(resource_, options_.namespace_name, options);
  if (!listed) co_return failed(listed.error(), false);
  listed_from_ = from;
  last_contact_ = now();
  call_handler([&] {
    if (takes_pages) {
      handler_.listed();
    } else {
      handler_.replace(listed->items);
    }
  });
  synced_ = true;
  version_ = listed->resource_version;
  call_handler([&] { handler_.reached(version_); });
  co_return Step();
}

aio::Task<> Informer::watch_into(Step& step) {
  step = co_await watch();
}

aio::Task<Informer::Step> Informer::watch() {
  WatchOptions options;
  options.label_selector = options_.label_selector;
  options.field_selector = options_.field_selector;
  options.metadata_only = options_.metadata_only || options_.names_only;
  options.resource_version = version_;
  options.max_depth = kDeepestAnswer;
  options.longest_silence = options_.longest_silence;
  const milliseconds timeout = aio::jittered(options_.server_timeout, random_);
  options.server_timeout =
      std::max(std::chrono::ceil<std::chrono::seconds>(timeout), std::chrono::seconds(1));
  auto opened = co_await client_.watch(resource_, options_.namespace_name, options);
  if (!opened) {
    const Error& error = opened.error();
    if (error.is("Expired")) co_return expired();
    // Otherwise a version that the server does not accept would be requested again and again.
    if (error.failure == FailureKind::kStatus && !is_about_asking(error.http_status)) {
      version_.clear();
    }
    co_return failed(error, false);
  }
  // After a failure of an open watch, only an event proves that the next one works.
  if (!broke_watching_) recovered();

  // Resets the flag also if cancellation throws.
  struct ScopedFlag {
    explicit ScopedFlag(bool& the_flag) : flag(the_flag) { flag = true; }
    ~ScopedFlag() { flag = false; }
    ScopedFlag(const ScopedFlag&) = delete;
    ScopedFlag& operator=(const ScopedFlag&) = delete;
    bool& flag;
  };
  const ScopedFlag open(watching_);
  const Clock::time_point begin = Clock::now();
  bool received_event = false;
  for (;;) {
    const auto event = co_await opened->next();
    if (!event) {
      const auto lived = std::chrono::duration_cast<milliseconds>(Clock::now() - begin);
      co_return after_watch(event.error(), received_event, lived);
    }
    if (!received_event) {
      received_event = true;
      was_expired_ = false;
      backoff_.reset();
      recovered();
    }
    apply(*event);
  }
}

void Informer::apply(const WatchEvent& event) {
  last_contact_ = now();
  version_ = event.object.resource_version();
  switch (event.type) {
    case EventType::kBookmark:
      break;
    case EventType::kAdded:
    case EventType::kModified:
      call_handler([&] { handler_.upsert(event.object); });
      break;
    case EventType::kDeleted:
      call_handler([&] { handler_.remove(event.object); });
      break;
  }
  call_handler([&] { handler_.reached(version_); });
}

Informer::Step Informer::after_watch(const Error& error, bool received_event, milliseconds lived) {
  Step step;
  const bool was_good = received_event || lived >= kShortWatch;
  if (was_good) backoff_.reset();
  if (error.failure == FailureKind::kClosed) {
    recovered();
    if (was_good) {
      last_contact_ = now();
    } else {
      step.pause = backoff_.next();
    }
    return step;
  }
  if (error.is("Expired")) return expired();
  // Changes may have been missed: a line that does not parse may have been an event, and an error
  // of the server may have replaced some.
  if (error.failure == FailureKind::kProtocol || error.failure == FailureKind::kStatus) {
    version_.clear();
  }
  return failed(error, true);
}

Informer::Step Informer::expired() {
  version_.clear();
  ++restarts_;
  Step step;
  // Normal after a long outage, and resolved by one list: only repeated expiry needs a pause.
  if (was_expired_) step.pause = backoff_.next();
  was_expired_ = true;
  return step;
}

Informer::Step Informer::failed(const Error& error, bool while_watching) {
  Step step;
  if (error.failure == FailureKind::kCancelled) {
    step.is_cancelled = true;
    return step;
  }
  ++restarts_;
  broke_watching_ = while_watching;
  step.pause = backoff_.next();
  if (error.retry_after) {
    step.pause =
        std::max(step.pause, std::min<milliseconds>(*error.retry_after, kLongestRetryAfter));
  }
  if (last_error_.empty()) {
    logger_.log(runtime::Level::kWarning, "watching the cluster has failed; trying again",
                {{"resource", resource_.plural}, {"error", error.text}});
  }
  last_error_ = error.text;
  return step;
}

void Informer::recovered() {
  broke_watching_ = false;
  if (last_error_.empty()) return;
  last_error_.clear();
  logger_.log(runtime::Level::kInfo, "watching the cluster works again",
              {{"resource", resource_.plural}});
}

template <class Do>
void Informer::call_handler(Do action) {
  try {
    action();
  } catch (const std::exception& error) {
    logger_.log(runtime::Level::kError, "a defect was caught while applying watch events",
                {{"resource", resource_.plural}, {"what", error.what()}});
  }
}

}  // namespace dynamo::kube
