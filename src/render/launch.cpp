#include "render/launch.hpp"

#include <algorithm>
#include <array>
#include <charconv>
#include <cstddef>
#include <limits>
#include <optional>
#include <string>

#include "render/hosts.hpp"
#include "render/mpi.hpp"
#include "render/name.hpp"

namespace dynamo::render {
namespace {

constexpr std::string_view kBlanks = " \t\r\n\v\f";

// Calls `visit(word)` for every word of every text.
template <typename Visit>
void for_each_word(std::span<const std::string_view> texts, Visit visit) {
  for (std::string_view text : texts) {
    for (std::size_t at = text.find_first_not_of(kBlanks); at != std::string_view::npos;
         at = text.find_first_not_of(kBlanks, at)) {
      const std::size_t end = std::min(text.find_first_of(kBlanks, at), text.size());
      visit(text.substr(at, end - at));
      at = end;
    }
  }
}

// A whole number as Go's strconv reads one.
std::optional<std::int64_t> whole_number(std::string_view word) {
  if (word.starts_with('+') && !word.starts_with("+-")) word.remove_prefix(1);
  std::int64_t number = 0;
  const auto read = std::from_chars(word.data(), word.data() + word.size(), number);
  if (read.ec != std::errc{} || read.ptr != word.data() + word.size()) return std::nullopt;
  return number;
}

// At most the largest integer; 0 where one of them is not positive, which fits anywhere.
std::int64_t times(std::int64_t left, std::int64_t right) {
  constexpr std::int64_t kMost = std::numeric_limits<std::int64_t>::max();
  if (left < 1 || right < 1) return 0;
  return left > kMost / right ? kMost : left * right;
}

std::string joined(std::span<const std::string_view> command,
                   std::span<const std::string_view> args) {
  std::string text;
  for (const auto words : {command, args}) {
    for (const std::string_view word : words) {
      if (!text.empty()) text += ' ';
      text += word;
    }
  }
  return text;
}

std::span<const std::string_view> list(std::initializer_list<std::string_view> items,
                                       Arena& arena) {
  const std::span<std::string_view> copy = arena.make_array<std::string_view>(items.size());
  std::copy(items.begin(), items.end(), copy.begin());
  return copy;
}

// Behind every mention of the engine in the text; "" when there is none.
std::string_view with_flags(std::string_view text, Framework framework, std::string_view flags,
                            Arena& arena) {
  std::string out;
  std::size_t copied = 0;
  for (PythonCommand found = find_python_command(text, framework, 0); found.found;
       found = find_python_command(text, framework, found.segment_end)) {
    out += text.substr(copied, found.word_end - copied);
    out += ' ';
    out += flags;
    copied = found.word_end;
  }
  if (copied == 0) return {};
  out += text.substr(copied);
  return arena.join({out});
}

// Puts flags, words separated by blanks, where the engine is started. The flags are referred to.
void place_flags(const Backend& backend, const Container& main, std::string_view flags,
                 bool needs_shell, Arena& arena, Launch& launch) {
  const std::span<const std::string_view> command = main.command.items;
  const std::span<const std::string_view> args = main.args.items;
  if (!command.empty() && is_python_interpreter(command.front())) {
    launch.placed = true;
    if (needs_shell) {
      launch.command = list({"sh", "-c"}, arena);
      launch.args = list({arena.join({"exec ", joined(command, args), " ", flags})}, arena);
      return;
    }
    std::size_t words = 0;
    for_each_word(std::span(&flags, 1), [&](std::string_view) { ++words; });
    ArenaList<std::string_view> longer(arena, args.size() + words);
    for (const std::string_view arg : args) longer.push(arg);
    for_each_word(std::span(&flags, 1), [&](std::string_view word) { longer.push(word); });
    launch.args = longer.items();
    return;
  }
  for (std::size_t i = 0; i < args.size(); ++i) {
    const std::string_view edited = with_flags(args[i], backend.framework, flags, arena);
    if (edited.empty()) continue;
    const std::span<std::string_view> copy = arena.make_array<std::string_view>(args.size());
    std::copy(args.begin(), args.end(), copy.begin());
    copy[i] = edited;
    launch.args = copy;
    launch.placed = true;
    return;
  }
}

std::string_view number(std::int64_t value, Arena& arena) {
  return Name{}.numbered(value).in(arena);
}

void launch_sglang(const Component& component, const Backend& backend, Role role,
                   const Container& main, Arena& arena, Launch& launch) {
  const bool worker = role == Role::kWorker;
  const std::string_view flags =
      arena.join({"--dist-init-addr ", leader_host(component, arena), ":29500 --nnodes ",
                  number(component.node_count, arena), " --node-rank ",
                  worker ? worker_rank(component) : "0"});
  place_flags(backend, main, flags, worker, arena, launch);
}

void launch_ray(const Component& component, Role role, const Container& main, Arena& arena,
                Launch& launch) {
  launch.placed = true;
  launch.command = list({"/bin/sh", "-c"}, arena);
  if (role == Role::kWorker) {
    launch.args =
        list({arena.join({"ray start --address=", leader_host(component, arena), ":6379 --block"})},
             arena);
    return;
  }
  launch.args = list(
      {arena.join({"ray start --head --port=6379 && ", joined(main.command.items, main.args.items),
                   " --distributed-executor-backend ray"})},
      arena);
}

void launch_data_parallel(const Component& component, const Backend& backend, Role role,
                          const Container& main, Arena& arena, Launch& launch) {
  const ParallelSizes sizes = parallel_sizes(main.args.items);
  const std::int64_t local = counted_gpus(component) / sizes.world();
  const std::int64_t total =
      sizes.data == 1 ? times(std::max<std::int64_t>(local, 1), component.node_count) : sizes.data;
  const bool worker = role == Role::kWorker;
  const std::string_view local_text = number(local, arena);
  std::string flags = "--data-parallel-hybrid-lb";
  if (!sizes.data_given) {
    flags += " --data-parallel-size ";
    flags += number(total, arena);
  }
  flags += " --data-parallel-size-local ";
  flags += local_text;
  flags += " --data-parallel-start-rank ";
  flags += worker ? arena.join({"$(( ", local_text, " * ", worker_rank(component), " ))"}) : "0";
  flags += " --data-parallel-address ";
  flags += leader_host(component, arena);
  flags += " --data-parallel-rpc-port 13445";
  // The arguments refer to it.
  place_flags(backend, main, arena.join({flags}), worker, arena, launch);
}

void launch_mpi(const Component& component, Role role, const Container& main, Arena& arena,
                Launch& launch) {
  if (component.node_count > kMostListedNodes) return;
  launch.placed = true;
  launch.command = list({"/bin/sh", "-c"}, arena);
  launch.args =
      list({arena.join({role == Role::kWorker ? mpi_worker_script()
                                              : mpi_leader_script(component, main, arena)})},
           arena);
}

void place(const Component& component, const Backend& backend, Role role, const Container& main,
           Arena& arena, Launch& launch) {
  switch (launch.injection) {
    case Injection::kNone:
      break;
    case Injection::kFlags:
      launch_sglang(component, backend, role, main, arena, launch);
      break;
    case Injection::kRay:
      launch_ray(component, role, main, arena, launch);
      break;
    case Injection::kDataParallel:
      launch_data_parallel(component, backend, role, main, arena, launch);
      break;
    case Injection::kMpi:
      launch_mpi(component, role, main, arena, launch);
      break;
  }
}

}  // namespace

std::int64_t ParallelSizes::world() const {
  return times(tensor, pipeline);
}

ParallelSizes parallel_sizes(std::span<const std::string_view> args) {
  ParallelSizes sizes;
  // Of each flag the first occurrence that a number follows.
  struct Flag {
    std::string_view name;
    std::int64_t* size;
    bool read = false;
  };
  std::array<Flag, 3> flags = {{{"--tensor-parallel-size", &sizes.tensor},
                                {"--pipeline-parallel-size", &sizes.pipeline},
                                {"--data-parallel-size", &sizes.data}}};
  Flag* expected = nullptr;
  for_each_word(args, [&](std::string_view word) {
    if (expected != nullptr && !expected->read) {
      const std::optional<std::int64_t> number = whole_number(word);
      if (number) *expected->size = *number;
      expected->read = number.has_value();
    }
    expected = nullptr;
    if (!word.starts_with("--")) return;
    for (Flag& flag : flags) {
      if (flag.name == word) expected = &flag;
    }
    sizes.data_given = sizes.data_given || expected == &flags.back();
  });
  return sizes;
}

Injection injection_of(const Component& component, const Backend& backend, const Container& main) {
  if (!component.multinode()) return Injection::kNone;
  switch (backend.framework) {
    case Framework::kSglang:
      return Injection::kFlags;
    case Framework::kTrtllm:
      return Injection::kMpi;
    case Framework::kNoop:
      return Injection::kNone;
    case Framework::kVllm:
      break;
  }
  const std::int64_t gpus = counted_gpus(component);
  if (gpus == 0) return Injection::kNone;
  const ParallelSizes sizes = parallel_sizes(main.args.items);
  if (sizes.world() > gpus) return Injection::kRay;
  return times(sizes.world(), sizes.data) > gpus ? Injection::kDataParallel : Injection::kNone;
}

Launch launch_of(const Component& component, const Backend& backend, Role role,
                 const Container& rendered, Arena& arena) {
  Container main = rendered;
  // A checkpoint's edit comes after the engine's.
  const bool moved = rendered.args.moved > 0;
  if (moved) {
    main.command.items = rendered.args.items.first(rendered.args.moved);
    main.args.items = rendered.args.items.subspan(rendered.args.moved);
  }
  Launch launch{.command = main.command.items, .args = main.args.items};
  if (role == Role::kLeader || role == Role::kWorker) {
    launch.injection = injection_of(component, backend, main);
    if (hosts_known(component)) place(component, backend, role, main, arena, launch);
  }
  if (moved) {
    ArenaList<std::string_view> all(arena, launch.command.size() + launch.args.size());
    for (const std::string_view word : launch.command) all.push(word);
    for (const std::string_view word : launch.args) all.push(word);
    launch.command = {};
    launch.args = all.items();
  }
  return launch;
}

}  // namespace dynamo::render
