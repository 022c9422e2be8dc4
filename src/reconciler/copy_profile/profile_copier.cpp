#include "reconciler/copy_profile/profile_copier.hpp"

#include <algorithm>
#include <utility>

#include "aio/backoff.hpp"
#include "aio/pause.hpp"
#include "json/writer.hpp"
#include "kube/client/writes.hpp"
#include "render/component/names.hpp"
#include "render/document/well_known.hpp"
#include "runtime/flag_values.hpp"
#include "runtime/read_file.hpp"
#include "text/printable.hpp"

namespace dynamo::reconciler::copy_profile {
namespace {

using std::chrono::milliseconds;
using std::chrono::nanoseconds;

constexpr std::string_view kProfiler = "profiler";
constexpr std::string_view kRequestLabel = "dgdr.nvidia.com/name";
constexpr std::string_view kManager = "dynamo-operator";
constexpr std::chrono::seconds kFirstRetry{1};
constexpr int kIntervalsOfLongestRetry = 6;
constexpr std::chrono::minutes kLongestRetryAfter{5};

enum class CallFailure : std::uint8_t {
  kTransient,  // the server or the network; another attempt may succeed
  kDenied,     // credentials and rights, which may take effect later
  kFinal,
};

CallFailure failure_of(const kube::Error& error) {
  switch (error.failure) {
    case kube::FailureKind::kConnect:
    case kube::FailureKind::kDeadline:
    case kube::FailureKind::kProtocol:
    case kube::FailureKind::kClosed:
      return CallFailure::kTransient;
    case kube::FailureKind::kConfig:
      return CallFailure::kDenied;
    case kube::FailureKind::kCancelled:
    case kube::FailureKind::kTooLarge:
      return CallFailure::kFinal;
    case kube::FailureKind::kStatus:
      break;
  }
  switch (error.http_status) {
    case 401:
    case 403:
      return CallFailure::kDenied;
    case 408:
    case 409:
    case 429:
      return CallFailure::kTransient;
    default:
      return error.http_status >= 500 ? CallFailure::kTransient : CallFailure::kFinal;
  }
}

runtime::Error error_with(std::string text) {
  runtime::Error error;
  error.text = std::move(text);
  return error;
}

// Absent if the list has none.
json::Value profiler_of(json::Value containers) {
  for (const json::Value container : containers.elements()) {
    if (container["name"].string() == kProfiler) return container;
  }
  return {};
}

std::string in_namespace(std::string_view what, const Options& options) {
  return std::string(what) + " in namespace " + options.namespace_name;
}

// Whether a YAML reader folds or refuses the character in a quoted text. JSON allows it.
bool needs_escape_in_yaml(char32_t code) {
  return (code >= 0x7F && code <= 0x9F) || code == 0x2028 || code == 0x2029 || code == 0xFEFF ||
         code == 0xFFFE || code == 0xFFFF;
}

// The same JSON, which the API server reads as YAML.
std::string json_for_yaml(std::string_view text) {
  static constexpr std::string_view kHex = "0123456789abcdef";
  std::string out;
  out.reserve(text.size());
  while (!text.empty()) {
    const text::Character character = text::first_character(text);
    if (needs_escape_in_yaml(character.code)) {
      out += "\\u";
      for (const unsigned shift : {12U, 8U, 4U, 0U}) out += kHex[(character.code >> shift) & 0xFU];
    } else {
      out += text.substr(0, character.length);
    }
    text.remove_prefix(character.length);
  }
  return out;
}

std::string config_map_of(const Options& options, const std::vector<OutputFile>& files) {
  kube::ApplyHeader header;
  header.key.namespace_name = options.namespace_name;
  header.key.name = render::profiling_output_name(options.request).str();
  header.labels.emplace(kRequestLabel, options.request);
  header.labels.emplace(render::label::kManagedBy, kManager);
  std::string body;
  json::Writer writer(body);
  writer.start_object();
  kube::write_apply_header(writer, kube::kConfigMaps, header);
  writer.key("data").start_object();
  for (const OutputFile& file : files) writer.member(file.name, file.text);
  writer.end_object().end_object();
  return json_for_yaml(body);
}

}  // namespace

runtime::Result<ProfilerState> profiler_state(json::Value pod) {
  const json::Value status = pod["status"];
  const json::Value state = profiler_of(status["containerStatuses"])["state"];
  ProfilerState found;
  if (const json::Value ended = state["terminated"]; ended.is_object()) {
    found.phase = ProfilerState::Phase::kEnded;
    found.exit_code = ended["exitCode"].integer().value_or(0);
    found.reason = ended["reason"].string_or_empty();
    return found;
  }
  if (state["running"].is_object()) {
    found.phase = ProfilerState::Phase::kRunning;
    return found;
  }
  if (!profiler_of(pod["spec"]["containers"]).exists()) {
    return error_with("the pod must have a container profiler; found none");
  }
  const std::string_view phase = status["phase"].string_or_empty();
  if (phase == "Failed" || phase == "Succeeded") {
    std::string text =
        "the container profiler must run; found a pod that ended without it, in phase ";
    text += phase;
    for (const std::string_view name : {"reason", "message"}) {
      const std::string_view part = status[name].string_or_empty();
      if (!part.empty()) text.append(", ").append(part);
    }
    return error_with(std::move(text));
  }
  found.reason = state["waiting"]["reason"].string_or_empty();
  return found;
}

ProfileCopier::ProfileCopier(const Options& options, kube::Transport& transport,
                             const runtime::Clock& clock, runtime::Logger& logger)
    : options_(options),
      transport_(transport),
      clock_(clock),
      logger_(logger),
      end_(clock.monotonic() + options.timeout) {}

aio::Task<runtime::Result<void>> ProfileCopier::run() {
  logger_.log(runtime::Level::kInfo, "waiting for the profiler",
              {{"request", options_.request},
               {"namespace", options_.namespace_name},
               {"pod", options_.pod},
               {"timeout", runtime::format_duration(options_.timeout)}});
  runtime::Result<ProfilerState> profiler = co_await wait_for_profiler();
  if (!profiler) co_return profiler.error();
  runtime::Result<OutputFile> status = co_await wait_for_status(*std::move(profiler));
  if (!status) co_return status.error();
  if (const auto checked = check_profiler_status(status->text); !checked) co_return checked.error();
  runtime::Result<std::vector<OutputFile>> files =
      read_output(options_.data_directory, *std::move(status));
  if (!files) co_return files.error();
  co_return co_await apply(*std::move(files));
}

aio::Task<runtime::Result<ProfilerState>> ProfileCopier::wait_for_profiler() {
  const ApiCall get_pod = [this](kube::Client& client) {
    return client.get(kube::kPods, options_.namespace_name, options_.pod);
  };
  std::optional<ProfilerState> logged;
  while (true) {
    runtime::Result<kube::Object> pod = co_await call(get_pod, "get pods");
    if (!pod) co_return pod.error();
    runtime::Result<ProfilerState> state = profiler_state(pod->root());
    if (!state) co_return state.error();
    if (logged != *state) {
      log_profiler(*state);
      logged = *state;
    }
    if (state->phase == ProfilerState::Phase::kEnded) co_return state;
    const bool continues = co_await pause(options_.poll_interval);
    if (!continues) co_return overdue("the container profiler must end");
  }
}

aio::Task<runtime::Result<OutputFile>> ProfileCopier::wait_for_status(ProfilerState profiler) {
  const auto last = clock_.monotonic() + options_.status_timeout;
  while (true) {
    runtime::ReadFile file = runtime::read_file_beneath(
        options_.data_directory, std::string(kStatusFile), kMostConfigMapBytes);
    if (!file.problem.empty()) {
      co_return error_with(std::string(kStatusFile) + ": " + file.problem);
    }
    if (file.content) {
      OutputFile status;
      status.name = kStatusFile;
      status.text = *std::move(file.content);
      co_return status;
    }
    const nanoseconds left = last - clock_.monotonic();
    if (left <= nanoseconds::zero()) {
      co_return error_with(std::string(kStatusFile) + ": must exist in " + options_.data_directory +
                           " within " + runtime::format_duration(options_.status_timeout) +
                           " after the profiler's end; it ended with exit code " +
                           std::to_string(profiler.exit_code));
    }
    const bool continues = co_await pause(std::min(left, options_.poll_interval));
    if (!continues) co_return overdue("the profiler must leave profiler_status.yaml");
  }
}

aio::Task<runtime::Result<void>> ProfileCopier::apply(std::vector<OutputFile> files) {
  const std::string name = render::profiling_output_name(options_.request).str();
  const std::string body = config_map_of(options_, files);
  kube::WriteOptions options;
  options.field_manager = kFieldManager;
  options.force = true;
  const ApiCall write = [this, &name, &body, &options](kube::Client& client) {
    return client.patch(kube::kConfigMaps, options_.namespace_name, name, kube::PatchType::kApply,
                        body, options);
  };
  const runtime::Result<kube::Object> written = co_await call(write, "create and patch configmaps");
  if (!written) co_return written.error();
  std::size_t bytes = 0;
  for (const OutputFile& file : files) bytes += file.text.size();
  logger_.log(runtime::Level::kInfo, "output of the profiler stored",
              {{"request", options_.request},
               {"namespace", options_.namespace_name},
               {"configmap", name},
               {"files", files.size()},
               {"bytes", bytes}});
  co_return runtime::Result<void>();
}

aio::Task<runtime::Result<kube::Object>> ProfileCopier::call(ApiCall make, std::string right) {
  const auto interval = std::chrono::ceil<milliseconds>(options_.poll_interval);
  aio::Backoff pauses(std::min<milliseconds>(kFirstRetry, interval),
                      kIntervalsOfLongestRetry * interval);
  std::optional<std::chrono::steady_clock::time_point> denied_since;
  while (true) {
    kube::Client client(transport_, std::chrono::ceil<milliseconds>(std::clamp<nanoseconds>(
                                        time_left(), milliseconds(1), options_.request_timeout)));
    kube::Result<kube::Object> answer = co_await make(client);
    if (answer) co_return *std::move(answer);
    const kube::Error error = answer.error();
    const CallFailure failure = failure_of(error);
    if (failure == CallFailure::kFinal) co_return error_with(error.text);
    if (failure == CallFailure::kTransient) {
      denied_since.reset();
    } else {
      const auto now = clock_.monotonic();
      if (!denied_since) denied_since = now;
      if (now - *denied_since >= options_.access_timeout) co_return missing_right(right, error);
    }
    logger_.log(runtime::Level::kWarning, "request to the API server failed; trying again",
                {{"reason", error.text}});
    nanoseconds length = pauses.next();
    if (error.retry_after) {
      length = std::max<nanoseconds>(length,
                                     std::min<nanoseconds>(*error.retry_after, kLongestRetryAfter));
    }
    const bool continues = co_await pause(length);
    if (!continues) co_return overdue(error.text + "; requests must succeed");
  }
}

aio::Task<bool> ProfileCopier::pause(nanoseconds length) {
  const nanoseconds left = time_left();
  if (left <= nanoseconds::zero()) co_return false;
  const auto limited = std::chrono::ceil<milliseconds>(std::min(length, left));
  const bool continues = co_await aio::pause(std::max(limited, milliseconds(1)));
  co_return continues&& time_left() > nanoseconds::zero();
}

nanoseconds ProfileCopier::time_left() const {
  return end_ - clock_.monotonic();
}

runtime::Error ProfileCopier::overdue(std::string_view requirement) const {
  return error_with(std::string(requirement) + " within --timeout (" +
                    runtime::format_duration(options_.timeout) + ")");
}

runtime::Error ProfileCopier::missing_right(std::string_view right,
                                            const kube::Error& answer) const {
  if (answer.http_status != 403) return error_with(answer.text);
  return error_with("the service account of the pod must have the right to " +
                    in_namespace(right, options_) + ", and nothing else may forbid it; found " +
                    answer.text);
}

void ProfileCopier::log_profiler(const ProfilerState& state) {
  switch (state.phase) {
    case ProfilerState::Phase::kWaiting:
      logger_.log(runtime::Level::kInfo, "profiler has not started", {{"reason", state.reason}});
      return;
    case ProfilerState::Phase::kRunning:
      logger_.log(runtime::Level::kInfo, "profiler is running");
      return;
    case ProfilerState::Phase::kEnded:
      logger_.log(state.exit_code == 0 ? runtime::Level::kInfo : runtime::Level::kWarning,
                  "profiler has ended", {{"exit_code", state.exit_code}, {"reason", state.reason}});
      return;
  }
}

}  // namespace dynamo::reconciler::copy_profile
