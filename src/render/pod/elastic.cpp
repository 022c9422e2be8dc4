#include "render/pod/elastic.hpp"

#include <algorithm>
#include <cstddef>

namespace dynamo::render {
namespace {

constexpr std::string_view kWaitForRay =
    "n=0; until ray status >/dev/null 2>&1; do n=$((n + 1)); "
    "if [ \"$n\" -ge 150 ]; then echo 'Ray does not start' >&2; exit 1; fi; sleep 2; done; ";

// Whether the words contain the flag, alone or in a script.
bool has_word(std::span<const std::string_view> words, std::string_view flag) {
  constexpr std::string_view kAround = " \t\r\n\"'";
  return std::ranges::any_of(words, [&](std::string_view text) {
    for (std::size_t at = text.find(flag); at != std::string_view::npos;
         at = text.find(flag, at + 1)) {
      const std::size_t end = at + flag.size();
      const bool begins = at == 0 || kAround.find(text[at - 1]) != std::string_view::npos;
      const bool ends = end == text.size() || kAround.find(text[end]) != std::string_view::npos;
      if (begins && ends) return true;
    }
    return false;
  });
}

}  // namespace

bool is_elastic(std::span<const std::string_view> words) {
  return has_word(words, "--enable-elastic-ep");
}

bool has_ray_backend(std::span<const std::string_view> words) {
  for (const std::string_view flag : {"--data-parallel-backend", "-dpb"}) {
    const std::string name(flag);
    if (has_word(words, name + " ray") || has_word(words, name + "=ray")) return true;
    for (std::size_t i = 0; i + 1 < words.size(); ++i) {
      if (words[i] == flag && words[i + 1] == "ray") return true;
    }
  }
  return false;
}

std::string elastic_leader_script(std::string_view engine) {
  std::string script = "ray start --head --port=6379 --block & ";
  script += kWaitForRay;
  script += "exec ";
  script += engine;
  return script;
}

std::string elastic_worker_script(std::string_view leader) {
  std::string script =
      "n=0; until python3 -c \"import urllib.request; urllib.request.urlopen('http://";
  script += leader;
  script +=
      ":9090/live', timeout=5)\" >/dev/null 2>&1; do n=$((n + 1)); "
      "if [ \"$n\" -ge 720 ]; then echo 'the leader does not start' >&2; exit 1; fi; sleep 15; "
      "done; "
      "exec ray start --address=";
  script += leader;
  script += ":6379 --block";
  return script;
}

std::string lone_ray_script(std::string_view engine) {
  std::string script = "ray start --head --port=6379 --node-ip-address=\"$POD_IP\" --block & ";
  script += kWaitForRay;
  script += "exec ";
  script += engine;
  return script;
}

}  // namespace dynamo::render
