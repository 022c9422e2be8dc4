#include "render/pod/launch.hpp"

#include <algorithm>
#include <array>
#include <charconv>
#include <cstddef>
#include <limits>
#include <optional>
#include <string>
#include <utility>
#include <vector>

#include "render/component/hosts.hpp"
#include "render/document/name.hpp"
#include "render/document/shell.hpp"
#include "render/document/well_known.hpp"
#include "render/pod/checkpoint.hpp"
#include "render/pod/elastic.hpp"
#include "render/pod/mpi.hpp"

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

// A whole number in the syntax of Go's strconv.
std::optional<std::int64_t> whole_number(std::string_view word) {
  if (word.starts_with('+') && !word.starts_with("+-")) word.remove_prefix(1);
  std::int64_t number = 0;
  const auto read = std::from_chars(word.data(), word.data() + word.size(), number);
  if (read.ec != std::errc{} || read.ptr != word.data() + word.size()) return std::nullopt;
  return number;
}

// The product, at most the largest integer; 0 if a factor is not positive.
std::int64_t times(std::int64_t left, std::int64_t right) {
  constexpr std::int64_t kMax = std::numeric_limits<std::int64_t>::max();
  if (left < 1 || right < 1) return 0;
  return left > kMax / right ? kMax : left * right;
}

std::span<const std::string_view> list(std::initializer_list<std::string_view> items,
                                       Arena& arena) {
  const std::span<std::string_view> copy = arena.make_array<std::string_view>(items.size());
  std::copy(items.begin(), items.end(), copy.begin());
  return copy;
}

// Inserts the flags after every mention of the engine in the text; "" if there is none.
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

// Inserts flags, words separated by blanks, where the engine is started. Flags that need a shell
// are inserted only where a shell reads them. The result holds views of the flags.
void place_flags(const Backend& backend, const Container& main, std::string_view flags,
                 bool needs_shell, Arena& arena, Launch& launch) {
  const std::span<const std::string_view> command = main.command.items;
  const std::span<const std::string_view> args = main.args.items;
  if (!command.empty() && is_python_interpreter(command.front())) {
    launch.placed = true;
    if (needs_shell) {
      launch.command = list({"sh", "-c"}, arena);
      launch.args = list({arena.join({"exec ", quoted_line(words_of(main)), " ", flags})}, arena);
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
    if (needs_shell && !command.empty() && !is_shell(command.front())) {
      launch.problem =
          "must be run by python or by a shell, which fills in the address and the rank of a node; "
          "found another command";
    }
    return;
  }
}

std::string_view number(std::int64_t value, Arena& arena) {
  return Name{}.numbered(value).in(arena);
}

void launch_sglang(const Component& component, const Backend& backend, PodRole role,
                   const Container& main, Arena& arena, Launch& launch) {
  const bool worker = role == PodRole::kWorker;
  const std::string_view flags =
      arena.join({"--dist-init-addr ", leader_host(component, arena), ":29500 --nnodes ",
                  number(component.node_count, arena), " --node-rank ",
                  worker ? worker_rank(component, arena) : "0"});
  place_flags(backend, main, flags,
              (worker && rank_needs_shell(component)) || leader_needs_shell(component), arena,
              launch);
}

// Of later operators: the engine's own processes instead of Ray.
void launch_processes(const Component& component, const Backend& backend, PodRole role,
                      const Container& main, Arena& arena, Launch& launch) {
  const bool worker = role == PodRole::kWorker;
  const std::string_view flags = arena.join(
      {"--distributed-executor-backend mp --nnodes ", number(component.node_count, arena),
       " --master-addr ", leader_host(component, arena), " --master-port 29500 --node-rank ",
       worker ? worker_rank(component, arena) : "0", worker ? " --headless" : ""});
  place_flags(backend, main, flags, worker && rank_needs_shell(component), arena, launch);
}

// The script with the flag after the engine's module, which must occur exactly once; "" otherwise.
std::string behind_module(std::string_view script, std::string_view flag) {
  constexpr std::string_view kModule = "dynamo.vllm";
  constexpr std::string_view kEnds = " \t\r\n\v\f\"';|&<>()";
  const std::size_t module = script.find(kModule);
  if (module == std::string_view::npos || script.rfind(kModule) != module) return {};
  const std::size_t end = std::min(script.find_first_of(kEnds, module), script.size());
  std::string out(script.substr(0, end));
  out += ' ';
  out += flag;
  out += script.substr(end);
  return out;
}

// The engine's script changed to use Ray; "" if it is uncertain which command is the engine.
std::string script_over_ray(std::string_view script) {
  constexpr std::string_view kFlag = "--distributed-executor-backend ray";
  if (!is_one_command(script)) return behind_module(script, kFlag);
  std::string out(script.substr(0, script.find_last_not_of(kBlanks) + 1));
  out += ' ';
  out += kFlag;
  return out;
}

void launch_ray(const Component& component, PodRole role, const Container& main, Arena& arena,
                Launch& launch) {
  launch.placed = true;
  launch.command = list({"/bin/sh", "-c"}, arena);
  if (role == PodRole::kWorker) {
    launch.args =
        list({arena.join({"ray start --address=", leader_host(component, arena), ":6379 --block"})},
             arena);
    return;
  }
  const std::vector<std::string_view> words = words_of(main);
  const std::size_t at = script_in(words);
  const bool in_shell = at < words.size();
  const std::string direct = in_shell ? std::string() : quoted_line(words);
  const std::string engine = script_over_ray(in_shell ? words[at] : std::string_view(direct));
  if (engine.empty()) {
    launch.problem =
        "must run python -m dynamo.vllm once, where the flag that lets it use Ray belongs; found a "
        "script that runs it another way";
    return;
  }
  const std::string_view line = arena.join({"ray start --head --port=6379 && ", engine});
  if (!in_shell) {
    launch.args = list({line}, arena);
    return;
  }
  // The user's own shell with its options, and the arguments of the script.
  const std::span<std::string_view> all = arena.make_array<std::string_view>(words.size());
  std::ranges::copy(words, all.begin());
  all[at] = line;
  launch.command = all.first(at);
  launch.args = all.subspan(at);
}

void launch_data_parallel(const Component& component, const Backend& backend, PodRole role,
                          const Container& main, Arena& arena, Launch& launch) {
  const ParallelSizes sizes = sizes_in_any_form(main);
  const std::int64_t local = counted_gpus(component) / sizes.world();
  const std::int64_t total =
      sizes.data == 1 ? times(std::max<std::int64_t>(local, 1), component.node_count) : sizes.data;
  const bool worker = role == PodRole::kWorker;
  const std::string_view local_text = number(local, arena);
  std::string flags = "--data-parallel-hybrid-lb";
  if (!sizes.data_given) {
    flags += " --data-parallel-size ";
    flags += number(total, arena);
  }
  flags += " --data-parallel-size-local ";
  flags += local_text;
  flags += " --data-parallel-start-rank ";
  flags +=
      worker ? arena.join({"$(( ", local_text, " * ", worker_rank(component, arena), " ))"}) : "0";
  flags += " --data-parallel-address ";
  flags += leader_host(component, arena);
  flags += " --data-parallel-rpc-port 13445";
  // The arguments hold views of this text.
  place_flags(backend, main, arena.join({flags}), worker || leader_needs_shell(component), arena,
              launch);
}

void launch_mpi(const Component& component, PodRole role, const Container& main, Arena& arena,
                Launch& launch) {
  if (component.node_count > kMaxListedNodes) return;
  launch.placed = true;
  launch.command = list({"/bin/sh", "-c"}, arena);
  launch.args =
      list({arena.join({role == PodRole::kWorker ? mpi_worker_script()
                                                 : mpi_leader_script(component, main, arena)})},
           arena);
}

void launch_elastic(const Component& component, PodRole role, const Container& main, Arena& arena,
                    Launch& launch) {
  launch.placed = true;
  launch.command = list({"/bin/sh", "-c"}, arena);
  const std::string script = role == PodRole::kWorker
                                 ? elastic_worker_script(leader_host(component, arena))
                                 : elastic_leader_script(quoted_line(words_of(main)));
  launch.args = list({arena.join({script})}, arena);
}

// Reads consecutive words.
class SizeReader {
 public:
  // `any_form`: also --flag=N, the short flags, and a number in quotes or at the end of a command.
  explicit SizeReader(bool any_form) : any_form_(any_form) {}

  void read(std::string_view word) {
    Flag* const expected = std::exchange(expected_, nullptr);
    if (expected != nullptr) take(*expected, word);
    std::size_t equals = std::string_view::npos;
    if (any_form_) equals = word.find('=');
    Flag* const flag = find(word.substr(0, equals));
    if (flag == nullptr) return;
    flag->given = true;
    if (equals == std::string_view::npos) {
      expected_ = flag;
    } else {
      take(*flag, word.substr(equals + 1));
    }
  }

  ParallelSizes sizes() const {
    ParallelSizes sizes{.tensor = flags_[0].size, .pipeline = flags_[1].size};
    sizes.data = flags_[2].size;
    sizes.data_given = flags_[2].given;
    return sizes;
  }

 private:
  struct Flag {
    std::string_view name;
    std::string_view brief;
    std::int64_t size = 1;
    bool given = false;
    bool read = false;
  };

  Flag* find(std::string_view word) {
    const auto found = std::ranges::find_if(flags_, [&](const Flag& flag) {
      return flag.name == word || (any_form_ && flag.brief == word);
    });
    return found == flags_.end() ? nullptr : &*found;
  }

  void take(Flag& flag, std::string_view value) const {
    if (flag.read) return;
    if (any_form_) {
      constexpr std::string_view kAround = "\"';&|)";
      const std::size_t first = value.find_first_not_of(kAround);
      if (first == std::string_view::npos) return;
      value = value.substr(first, value.find_last_not_of(kAround) - first + 1);
    }
    const std::optional<std::int64_t> number = whole_number(value);
    if (number) flag.size = *number;
    flag.read = number.has_value();
  }

  std::array<Flag, 3> flags_ = {{{"--tensor-parallel-size", "-tp"},
                                 {"--pipeline-parallel-size", "-pp"},
                                 {"--data-parallel-size", "-dp"}}};
  bool any_form_;
  Flag* expected_ = nullptr;
};

Injection injection_by(const Component& component, const Backend& backend,
                       const ParallelSizes& sizes, const Container& main) {
  if (!component.is_multinode()) return Injection::kNone;
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
  if (sizes.world() > gpus) return Injection::kRay;
  if (component.reads_hub && is_elastic(words_of(main))) return Injection::kElasticRay;
  return times(sizes.world(), sizes.data) > gpus ? Injection::kDataParallel : Injection::kNone;
}

// Whether the version is 1.0.0 or later; a first release does not count until it is final.
bool is_first_release(std::string_view version) {
  if (version.starts_with('v')) version.remove_prefix(1);
  const std::size_t end = version.find_first_not_of("0123456789.");
  const bool is_candidate = end != std::string_view::npos && version[end] == '-';
  const std::string_view numbers = version.substr(0, end);
  const std::optional<std::int64_t> major = whole_number(numbers.substr(0, numbers.find('.')));
  if (!major || *major < 1 || std::ranges::count(numbers, '.') != 2) return false;
  return !is_candidate || numbers != "1.0.0";
}

// Whether later operators start the nodes of vLLM without Ray.
bool chooses_processes(const Component& component) {
  if (!component.reads_hub) return false;
  std::string chosen(component.inherited_annotation(annotation::kVllmBackend).string_or_empty());
  std::ranges::transform(chosen, chosen.begin(), to_lower);
  if (chosen == "mp" || chosen == "ray") return chosen == "mp";
  const std::string_view origin =
      component.inherited_annotation(annotation::kOriginVersion).string_or_empty();
  // The operator adds its version, which is above 1, to a new graph.
  return origin.empty() ? component.in_graph : is_first_release(origin);
}

void place(const Component& component, const Backend& backend, PodRole role, const Container& main,
           Arena& arena, Launch& launch) {
  switch (launch.injection) {
    case Injection::kNone:
      break;
    case Injection::kFlags:
      launch_sglang(component, backend, role, main, arena, launch);
      break;
    case Injection::kRay:
      if (chooses_processes(component)) {
        launch_processes(component, backend, role, main, arena, launch);
      } else {
        launch_ray(component, role, main, arena, launch);
      }
      break;
    case Injection::kDataParallel:
      launch_data_parallel(component, backend, role, main, arena, launch);
      break;
    case Injection::kMpi:
      launch_mpi(component, role, main, arena, launch);
      break;
    case Injection::kElasticRay:
      launch_elastic(component, role, main, arena, launch);
      break;
  }
}

// Several nodes in one Deployment, each of which considers itself a worker. The command line is
// edited only in the cases for which the operator's result was measured.
void place_alone(const Component& component, const Backend& backend, const Container& main,
                 Arena& arena, Launch& launch) {
  launch.injection = injection_of(component, backend, main);
  if (launch.injection == Injection::kFlags) {
    launch_sglang(component, backend, PodRole::kWorker, main, arena, launch);
  } else if (launch.injection == Injection::kRay) {
    launch.command = list({"/bin/sh", "-c"}, arena);
  }
}

// Adds flags to a command line that is complete otherwise.
void add_flags(const Backend& backend, const Container& rendered, std::string_view flags,
               Arena& arena, Launch& launch) {
  Container last = rendered;
  last.command.items = launch.command;
  last.args.items = launch.args;
  place_flags(backend, last, flags, false, arena, launch);
}

// The text with the number after the flag raised by 100; "" if there is none.
std::string_view with_second_port(std::string_view text, std::string_view flag, Arena& arena) {
  const std::size_t at = text.find(flag);
  if (at == std::string_view::npos) return {};
  const std::size_t first = at + flag.size();
  const std::size_t end = std::min(text.find_first_not_of("0123456789", first), text.size());
  const std::optional<std::int64_t> port = whole_number(text.substr(first, end - first));
  constexpr std::int64_t kLast = 65'535;
  constexpr std::int64_t kDistance = 100;
  if (!port || *port > kLast) return {};
  return arena.join({text.substr(0, first), number(*port + kDistance, arena), text.substr(end)});
}

// The second engine of a pod meets the other nodes on a port of its own.
void use_second_port(const Backend& backend, const Container& rendered, Arena& arena,
                     Launch& launch) {
  const std::span<std::string_view> args = arena.make_array<std::string_view>(launch.args.size());
  std::ranges::copy(launch.args, args.begin());
  bool is_found = false;
  for (std::size_t i = 0; i < args.size(); ++i) {
    const bool is_word = i > 0 && args[i - 1] == "--master-port";
    std::string_view edited = is_word ? with_second_port(args[i], "", arena) : std::string_view{};
    for (const std::string_view flag : {"--master-port ", "--master-port="}) {
      if (edited.empty()) edited = with_second_port(args[i], flag, arena);
    }
    if (edited.empty()) continue;
    args[i] = edited;
    is_found = true;
  }
  launch.args = args;
  if (!is_found) add_flags(backend, rendered, "--master-port 29600", arena, launch);
}

}  // namespace

std::vector<std::string_view> words_of(const Container& main) {
  std::vector<std::string_view> words(main.command.items.begin(), main.command.items.end());
  words.insert(words.end(), main.args.items.begin(), main.args.items.end());
  return words;
}

bool runs_processes(const Component& component, const Backend& backend, const Container& main) {
  return chooses_processes(component) &&
         injection_by(component, backend, sizes_in_any_form(main), main) == Injection::kRay;
}

bool waits_for_leader(const Component& component, const Backend& backend, const Container& main) {
  if (!component.reads_hub || !component.is_multinode()) return false;
  if (backend.framework != Framework::kVllm) return false;
  return runs_processes(component, backend, main) ||
         has_option(words_of(main), "--distributed-executor-backend", "mp");
}

bool starts_ray_alone(const Component& component, const Backend& backend, const Container& main) {
  if (!component.reads_hub || component.is_multinode()) return false;
  if (backend.framework != Framework::kVllm) return false;
  const std::vector<std::string_view> words = words_of(main);
  return is_elastic(words) && has_ray_backend(words);
}

std::int64_t ParallelSizes::world() const {
  return times(tensor, pipeline);
}

ParallelSizes parallel_sizes(std::span<const std::string_view> args) {
  SizeReader reader(false);
  for_each_word(args, [&reader](std::string_view word) { reader.read(word); });
  return reader.sizes();
}

ParallelSizes sizes_in_any_form(const Container& main) {
  SizeReader reader(true);
  const std::vector<std::string_view> words = words_of(main);
  for_each_word(words, [&reader](std::string_view word) { reader.read(word); });
  return reader.sizes();
}

Injection injection_of(const Component& component, const Backend& backend, const Container& main) {
  return injection_by(component, backend, parallel_sizes(main.args.items), main);
}

Launch launch_of(const Component& component, const Backend& backend, PodRole role,
                 const Container& rendered, Arena& arena) {
  Container main = rendered;
  // The checkpoint's edit is applied after the engine's.
  const bool moved = rendered.args.moved > 0;
  if (moved) {
    main.command.items = rendered.args.items.first(rendered.args.moved);
    main.args.items = rendered.args.items.subspan(rendered.args.moved);
    main.variables = rendered.variables.subspan(checkpoint_variables(component, arena).size());
  }
  Launch launch{.command = main.command.items, .args = main.args.items};
  if (role == PodRole::kLeader || role == PodRole::kWorker) {
    const ParallelSizes sizes = sizes_in_any_form(main);
    launch.injection = injection_by(component, backend, sizes, main);
    if (are_hosts_known(component)) place(component, backend, role, main, arena, launch);
  } else if (role == PodRole::kMain && runs_alone(component)) {
    place_alone(component, backend, main, arena, launch);
  } else if (role == PodRole::kMain && starts_ray_alone(component, backend, main)) {
    launch.command = list({"/bin/sh", "-c"}, arena);
    launch.args = list({arena.join({lone_ray_script(quoted_line(words_of(main)))})}, arena);
  }
  if (component.fixed_rank >= 0 && backend.framework == Framework::kVllm) {
    add_flags(backend, rendered, "--load-format gms", arena, launch);
  }
  if (rendered.engine > 0) use_second_port(backend, rendered, arena, launch);
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
