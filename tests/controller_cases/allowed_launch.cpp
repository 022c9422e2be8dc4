// Multi-node launches: brings the recorded and the created command lines into one form, so that
// only allowed differences remain.
#include <algorithm>
#include <array>
#include <cctype>
#include <cstddef>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "tests/controller_cases/allowed_predicates.hpp"

namespace dynamo::cases {
namespace {

constexpr std::string_view kRayHead = "ray start --head --port=6379 && ";
constexpr std::string_view kRayJoin = "ray start --address=";
constexpr std::string_view kRayJoinEnd = ":6379 --block";
constexpr std::string_view kOverRay = "--distributed-executor-backend ray";

void replace_all(std::string& text, std::string_view what, std::string_view with) {
  for (std::size_t at = text.find(what); at != std::string::npos;
       at = text.find(what, at + with.size())) {
    text.replace(at, what.size(), with);
  }
}

// Collapses blanks: one between words, none at the ends.
std::string spaced(std::string_view text) {
  std::string out;
  bool blank = false;
  for (const char letter : text) {
    if (std::isspace(static_cast<unsigned char>(letter)) != 0) {
      blank = !out.empty();
      continue;
    }
    if (blank) out += ' ';
    blank = false;
    out += letter;
  }
  return out;
}

std::string unquoted(std::string text) {
  std::erase_if(text,
                [](char letter) { return letter == '\'' || letter == '"' || letter == '\\'; });
  return text;
}

std::string first_word(std::string_view text) {
  return std::string(text.substr(0, text.find(' ')));
}

// Removes a leading shell call such as "/bin/sh -c ".
std::string without_shell(std::string text) {
  const std::string shell = first_word(text);
  const std::string base = shell.substr(shell.rfind('/') + 1);
  constexpr std::array<std::string_view, 4> kShells = {"sh", "bash", "dash", "ash"};
  if (std::ranges::find(kShells, base) == kShells.end()) return text;
  std::string rest = text.substr(std::min(shell.size() + 1, text.size()));
  while (rest.starts_with('-')) {
    const std::string option = first_word(rest);
    rest = rest.substr(std::min(option.size() + 1, rest.size()));
    if (!option.starts_with("--") && option.ends_with('c')) return rest;
  }
  return text;
}

// The container of the difference; null for a difference elsewhere.
const Value& container_in(const Value* whole, const DifferenceContext& found) {
  static const Value nothing;
  const auto list = std::ranges::find(found.keys, "containers");
  if (whole == nullptr || found.keys.end() - list < 3) return nothing;
  return at_keys(*whole, Keys(found.keys.begin(), list + 2));
}

bool is_of_launch(const DifferenceContext& found) {
  if (!has_kind(found, {"Deployment", "LeaderWorkerSet", "PodCliqueSet"})) return false;
  const auto list = std::ranges::find(found.keys, "containers");
  if (found.keys.end() - list < 3) return false;
  const std::string& field = *(list + 2);
  return (field == "command" || field == "args") &&
         text(member(container_in(found.whole_actual, found), "name")) == "main";
}

std::string joined(const Value& container) {
  std::string out;
  for (const std::string_view list : {"command", "args"}) {
    const Value& words = member(container, list);
    if (!words.IsArray()) continue;
    for (const Value& word : words.GetArray()) {
      if (!word.IsString()) return {};  // an incomplete script
      out += (out.empty() ? "" : " ") + std::string(text(word));
    }
  }
  return out;
}

// The command line without shells and quotes, and with one form of the rank variable.
std::string launch_in(const Value& container) {
  std::string line = without_shell(spaced(joined(container)));
  constexpr std::string_view kExec = "exec ";
  if (line.starts_with(kExec)) line.erase(0, kExec.size());
  line = unquoted(std::move(line));
  replace_all(line, "$(LWS_WORKER_INDEX)", "$LWS_WORKER_INDEX");
  return spaced(line);
}

std::string recorded_launch(const DifferenceContext& found) {
  return launch_in(container_in(found.whole_recorded, found));
}

std::string actual_launch(const DifferenceContext& found) {
  return launch_in(container_in(found.whole_actual, found));
}

std::string engine_over_ray(std::string line) {
  if (!line.starts_with(kRayHead)) return {};
  line = without_shell(line.substr(kRayHead.size()));
  const std::size_t flag = line.find(kOverRay);
  if (flag == std::string::npos || line.find(kOverRay, flag + 1) != std::string::npos) return {};
  return spaced(line.erase(flag, kOverRay.size()));
}

const Value& main_of(const DifferenceContext& found) {
  static const Value nothing;
  if (found.subject == nullptr) return nothing;
  return at_keys(service_of_pods(found), {"extraPodSpec", "mainContainer"});
}

// Whether a number touches a quote or a command separator: '"16"' or '16;', but not '16' or 'x'.
bool is_number_in_marks(std::string_view word) {
  constexpr std::string_view kMarks = "\"';&|)";
  const std::size_t first = word.find_first_not_of(kMarks);
  if (first == std::string_view::npos) return false;
  const std::string_view bare = word.substr(first, word.find_last_not_of(kMarks) - first + 1);
  return bare.size() < word.size() && bare.find_first_not_of("0123456789") == std::string::npos;
}

// Joins the arguments into one line, as the upstream parser does.
bool has_a_size_in_marks(const Value& args, std::span<const std::string_view> flags) {
  std::string line = " ";
  for (const std::string& each : words_of(args)) line += spaced(each) + " ";
  return std::ranges::any_of(flags, [&line](std::string_view flag) {
    const std::string wanted = " " + std::string(flag) + " ";
    for (std::size_t at = line.find(wanted); at != std::string::npos;
         at = line.find(wanted, at + 1)) {
      if (is_number_in_marks(first_word(std::string_view(line).substr(at + wanted.size()))))
        return true;
    }
    return false;
  });
}

// Whether sizes appear at a place or in a form that the upstream parser ignores.
bool hides_a_size(const Value& container) {
  constexpr std::array<std::string_view, 3> kLong = {
      "--tensor-parallel-size", "--pipeline-parallel-size", "--data-parallel-size"};
  constexpr std::array<std::string_view, 3> kBrief = {"-tp", "-pp", "-dp"};
  if (has_a_size_in_marks(member(container, "args"), kLong)) return true;
  for (const std::string_view list : {"command", "args"}) {
    for (const std::string& each : words_of(member(container, list))) {
      const std::string line = " " + spaced(each) + " ";
      for (const std::string_view flag : kLong) {
        if (mentions(line, " " + std::string(flag) + "=")) return true;
        if (list == "command" && mentions(line, " " + std::string(flag) + " ")) return true;
      }
      for (const std::string_view flag : kBrief) {
        if (mentions(line, " " + std::string(flag) + " ") ||
            mentions(line, " " + std::string(flag) + "=")) {
          return true;
        }
      }
    }
  }
  return false;
}

// Removes the rendezvous flags of data-parallel replicas; returns the line unchanged if it has
// none.
std::string without_data_parallel(const std::string& line) {
  const std::size_t begin = line.find(" --data-parallel-hybrid-lb");
  constexpr std::string_view kEnd = " --data-parallel-rpc-port 13445";
  const std::size_t end = line.find(kEnd);
  if (begin == std::string::npos || end == std::string::npos || end < begin) return line;
  return line.substr(0, begin) + line.substr(end + kEnd.size());
}

}  // namespace

// Without python or a shell to expand them, the launch is refused.
bool is_launch_run_by_shell(const DifferenceContext& found) {
  if (is_refused_with(found, "must be run by python or by a shell, which fills in the address")) {
    return true;
  }
  if (!is_of_launch(found)) return false;
  const Value& actual = container_in(found.whole_actual, found);
  const std::vector<std::string> command = words_of(member(actual, "command"));
  if (command.empty() || !command.front().ends_with("sh")) return false;
  const std::string line = actual_launch(found);
  return mentions(line, "$LWS_LEADER_ADDRESS") && line == recorded_launch(found);
}

// A script that does not run the engine exactly once leaves the position of its flag open.
bool is_script_over_ray(const DifferenceContext& found) {
  if (is_refused_with(found, "must run python -m dynamo.vllm once, where the flag")) return true;
  if (!is_of_launch(found)) return false;
  const std::string line = engine_over_ray(actual_launch(found));
  return !line.empty() && line == engine_over_ray(recorded_launch(found));
}

bool has_size_in_other_form(const DifferenceContext& found) {
  if (!is_of_launch(found) || !hides_a_size(main_of(found))) return false;
  const std::string line = actual_launch(found);
  const std::string recorded = recorded_launch(found);
  const std::string users = launch_in(main_of(found));
  if (recorded.empty() || without_data_parallel(recorded) != users) return false;
  const bool joins = line.starts_with(kRayJoin) && line.ends_with(kRayJoinEnd);
  return joins || engine_over_ray(line) == users ||
         (line != recorded && without_data_parallel(line) == users);
}

bool is_quoted_for_mpi(const DifferenceContext& found) {
  if (!is_of_launch(found) || !found.recorded->IsArray() || !found.actual->IsString()) return false;
  const std::string script = unquoted(std::string(text(*found.actual)));
  const bool quotes = std::ranges::any_of(
      words_of(member(main_of(found), "args")),
      [](const std::string& word) { return word != unquoted(word) || mentions(word, " "); });
  if (!quotes || !mentions(script, "trtllm-llmapi-launch")) return false;
  std::size_t at = 0;
  for (const std::string& wanted : words_of(*found.recorded)) {
    const std::string bare = unquoted(wanted);
    at = script.find(bare, at);
    if (at == std::string::npos) return false;
    at += bare.size();
  }
  return true;
}

// The list without the operator's entry, which is last.
bool is_env_without_duplicate(const DifferenceContext& found) {
  if (found.place != Place::kObject || found.keys.empty() || found.keys.back() != "env")
    return false;
  if (!found.recorded->IsArray() || found.recorded->Empty()) return false;
  Object left = copy_of(*found.recorded);
  const auto count = [&left](std::string_view name) {
    return std::count_if(left.Begin(), left.End(),
                         [name](const Value& each) { return text(member(each, "name")) == name; });
  };
  // The operator appends these.
  for (const std::string_view name : {"VLLM_CACHE_ROOT", "OMPI_MCA_orte_keep_fqdn_hostnames"}) {
    for (rapidjson::SizeType i = left.Size(); count(name) == 2 && i-- > 0;) {
      if (text(member(left[i], "name")) == name) left.Erase(left.Begin() + i);
    }
  }
  // The operator prepends these.
  for (const std::string_view name : {"DYN_CHECKPOINT_PATH", "DYN_CHECKPOINT_HASH",
                                      "DYN_RESTORE_MARKER_FILE", "SKIP_WAIT_FOR_CHECKPOINT"}) {
    for (rapidjson::SizeType i = 0; count(name) == 2 && i < left.Size(); ++i) {
      if (text(member(left[i], "name")) == name) left.Erase(left.Begin() + i);
    }
  }
  return left.Size() < found.recorded->Size() && same(left, *found.actual);
}

}  // namespace dynamo::cases
