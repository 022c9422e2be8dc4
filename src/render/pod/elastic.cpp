#include "render/pod/elastic.hpp"

#include "render/document/shell.hpp"

namespace dynamo::render {
namespace {

constexpr std::string_view kWaitForRay =
    "n=0; until ray status >/dev/null 2>&1; do n=$((n + 1)); "
    "if [ \"$n\" -ge 150 ]; then echo 'Ray does not start' >&2; exit 1; fi; sleep 2; done; ";

}  // namespace

bool is_elastic(std::span<const std::string_view> words) {
  return has_words(words, "--enable-elastic-ep");
}

bool has_ray_backend(std::span<const std::string_view> words) {
  return has_option(words, "--data-parallel-backend", "ray") || has_option(words, "-dpb", "ray");
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
