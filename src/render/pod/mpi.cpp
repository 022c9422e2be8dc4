#include "render/pod/mpi.hpp"

#include <algorithm>
#include <array>
#include <charconv>
#include <cstdint>
#include <optional>
#include <span>
#include <string_view>
#include <vector>

#include "render/component/hosts.hpp"
#include "render/component/resources.hpp"
#include "render/document/shell.hpp"
#include "render/pod/backend.hpp"

namespace dynamo::render {
namespace {

// Copies the keys from the mounted secret and configures the client to trust the other nodes.
constexpr std::string_view kKeys =
    "set -e; mkdir -p ~/.ssh ~/.ssh/host_keys ~/.ssh/run; chmod 700 ~/.ssh; "
    "cp /ssh-pk/private.key ~/.ssh/id_rsa; "
    "cp /ssh-pk/private.key.pub ~/.ssh/id_rsa.pub; "
    "cp /ssh-pk/private.key.pub ~/.ssh/authorized_keys; "
    "chmod 600 ~/.ssh/id_rsa ~/.ssh/authorized_keys; chmod 644 ~/.ssh/id_rsa.pub; "
    "printf 'Host *\\n  IdentityFile ~/.ssh/id_rsa\\n  StrictHostKeyChecking no\\n  Port 2222\\n' "
    "> ~/.ssh/config; chmod 600 ~/.ssh/config; ";

constexpr std::string_view kDaemon =
    "for type in rsa ecdsa ed25519; do "
    "ssh-keygen -q -t $type -N '' -f ~/.ssh/host_keys/ssh_host_${type}_key; done; "
    "printf 'Port 2222\\nPermitRootLogin yes\\nPasswordAuthentication no\\n"
    "PubkeyAuthentication yes\\nAuthorizedKeysFile %s/.ssh/authorized_keys\\n"
    "PidFile %s/.ssh/run/sshd.pid\\nHostKey %s/.ssh/host_keys/ssh_host_rsa_key\\n"
    "HostKey %s/.ssh/host_keys/ssh_host_ecdsa_key\\n"
    "HostKey %s/.ssh/host_keys/ssh_host_ed25519_key\\n' ~ ~ ~ ~ ~ > ~/.ssh/sshd_config; "
    "exec /usr/sbin/sshd -D -f ~/.ssh/sshd_config";

// Variables that engines read in addition to the container's own.
constexpr std::array<std::string_view, 19> kPassedOn = {"CUDA_VISIBLE_DEVICES",
                                                        "MODEL_PATH",
                                                        "HF_TOKEN",
                                                        "HUGGING_FACE_HUB_TOKEN",
                                                        "HF_ENDPOINT",
                                                        "TOKENIZERS_PARALLELISM",
                                                        "NCCL_DEBUG",
                                                        "NCCL_IB_DISABLE",
                                                        "NCCL_P2P_DISABLE",
                                                        "TENSORRT_LLM_CACHE_DIR",
                                                        "HF_HOME",
                                                        "TRANSFORMERS_CACHE",
                                                        "HF_DATASETS_CACHE",
                                                        "PATH",
                                                        "LD_LIBRARY_PATH",
                                                        "PYTHONPATH",
                                                        "HOME",
                                                        "USER",
                                                        "TRTLLM_USE_UCX_KVCACHE"};

std::optional<std::int64_t> whole_number(std::string_view text) {
  std::int64_t number = 0;
  const auto read = std::from_chars(text.data(), text.data() + text.size(), number);
  const bool whole = read.ec == std::errc{} && read.ptr == text.data() + text.size();
  constexpr std::int64_t kMax = 1'000'000;  // keeps the product with the nodes in range
  if (!whole || number > kMax) return std::nullopt;
  return std::max<std::int64_t>(number, 0);
}

std::string spaced(std::span<const std::string_view> words) {
  std::string text;
  for (const std::string_view word : words) {
    if (!text.empty()) text += ' ';
    text += word;
  }
  return text;
}

// The container's command line as one for a shell: the script if it runs one with a shell, all
// words if it runs python, otherwise only the arguments.
std::string original_command(const Container& main) {
  std::vector<std::string_view> words(main.command.items.begin(), main.command.items.end());
  words.insert(words.end(), main.args.items.begin(), main.args.items.end());
  const std::size_t script = script_in(words);
  if (script < words.size()) return spaced(std::span(words).subspan(script));
  const bool python = !words.empty() && is_python_interpreter(words.front());
  if (python || main.args.items.empty()) return quoted_line(words);
  return quoted_line(std::span(words).subspan(main.command.size()));
}

// Waits until the names of all workers resolve, because a LeaderWorkerSet starts its leader first.
std::string wait_for_workers(const Component& component, Arena& arena) {
  std::string script = "tries=0; for host in";
  for (std::int64_t worker = 0; worker + 1 < component.node_count; ++worker) {
    script += " \"";
    script += worker_host(component, worker, arena);
    script += '"';
  }
  script +=
      "; do until getent hosts \"$host\" > /dev/null; do tries=$((tries + 1)); "
      "if [ $tries -gt 150 ]; then echo \"$host does not resolve\" >&2; exit 1; fi; "
      "sleep 2; done; done; ";
  return script;
}

}  // namespace

std::int64_t mpi_ranks_per_node(const Component& component) {
  if (component.reads_hub) return counted_gpus(component);
  const json::Value resources = component.service.value()["resources"];
  for (const std::string_view side : {"requests", "limits"}) {
    const std::optional<std::int64_t> gpus = whole_number(resources[side]["gpu"].string_or_empty());
    if (gpus) return *gpus;
  }
  return 0;
}

std::string mpi_worker_script() {
  return std::string(kKeys) + std::string(kDaemon);
}

std::string mpi_leader_script(const Component& component, const Container& main, Arena& arena) {
  std::string script(kKeys);
  if (workload_of(component) == Workload::kLeaderWorkerSet) {
    script += wait_for_workers(component, arena);
  }
  script += "mpirun --allow-run-as-root --oversubscribe -n ";
  script += std::to_string(component.node_count * mpi_ranks_per_node(component));
  script += " -H ";
  script += leader_host(component, arena);
  for (std::int64_t worker = 0; worker + 1 < component.node_count; ++worker) {
    script += ',';
    script += worker_host(component, worker, arena);
  }
  script +=
      " --mca pml ob1 --mca plm_rsh_args \"-p 2222 -o StrictHostKeyChecking=no -i ~/.ssh/id_rsa\"";
  std::vector<std::string_view> names(kPassedOn.begin(), kPassedOn.end());
  for (const Variable& variable : main.variables) names.push_back(variable.name);
  std::sort(names.begin(), names.end());
  names.erase(std::unique(names.begin(), names.end()), names.end());
  // Since Kubernetes 1.32 a name may be any printable text without '='.
  for (const std::string_view name : names) {
    script += " -x ";
    append_quoted_word(script, name);
  }
  script += " bash -c ";
  script += quoted_word("trtllm-llmapi-launch " + original_command(main));
  return script;
}

}  // namespace dynamo::render
