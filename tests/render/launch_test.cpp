// How engines are started over several nodes.
#include "render/pod/launch.hpp"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "render/pod/mpi.hpp"
#include "tests/render/rendering.hpp"

namespace dynamo::render {
namespace {

using test::OneService;
using test::plain_profile;
using test::text_of;
using testing::ElementsAre;
using testing::HasSubstr;
using testing::Not;

// The command line of one role of a service with two nodes.
struct RoleLaunch : OneService {
  RoleLaunch(std::string_view container, Pathway pathway, PodRole role, std::string_view gpus = "8",
             std::int64_t nodes = 2)
      : OneService("multinode: {nodeCount: " + std::to_string(nodes) +
                       "}\nresources: {limits: {gpu: '" + std::string(gpus) +
                       "'}}\nextraPodSpec: {mainContainer: " + std::string(container) + "}",
                   plain_profile(pathway)),
        rendered(pod(role)),
        launch(launch_of(component(), rendered.backend, role, rendered.main(), arena())),
        command(text_of(launch.command)),
        args(text_of(launch.args)) {}
  Pod rendered;
  Launch launch;
  std::vector<std::string> command;
  std::vector<std::string> args;
};

constexpr std::string_view kSglang = "{command: [python3], args: [-m, dynamo.sglang, --tp, '16']}";
constexpr const char* kGroveLeader =
    "$(GROVE_PCSG_NAME)-$(GROVE_PCSG_INDEX)-worker-ldr-0.$(GROVE_HEADLESS_SERVICE)";

TEST(Launch, SglangLeaderGetsFlagsAsArguments) {
  const RoleLaunch it(kSglang, Pathway::kGrove, PodRole::kLeader);
  EXPECT_EQ(it.launch.injection, Injection::kFlags);
  EXPECT_TRUE(it.launch.placed);
  EXPECT_THAT(it.command, ElementsAre("python3"));
  EXPECT_THAT(it.args, ElementsAre("-m", "dynamo.sglang", "--tp", "16", "--dist-init-addr",
                                   std::string(kGroveLeader) + ":29500", "--nnodes", "2",
                                   "--node-rank", "0"));
}

TEST(Launch, SglangWorkersUseShellForRank) {
  const RoleLaunch it(kSglang, Pathway::kGrove, PodRole::kWorker);
  EXPECT_THAT(it.command, ElementsAre("sh", "-c"));
  EXPECT_THAT(it.args, ElementsAre("exec python3 -m dynamo.sglang --tp 16 --dist-init-addr " +
                                   std::string(kGroveLeader) +
                                   ":29500 --nnodes 2 --node-rank "
                                   "$((GROVE_PCLQ_POD_INDEX + 1))"));
}

TEST(Launch, SglangUsesLeaderAddressOfLeaderWorkerSet) {
  const RoleLaunch it(kSglang, Pathway::kLws, PodRole::kWorker);
  EXPECT_THAT(it.args.at(0), HasSubstr("--dist-init-addr $LWS_LEADER_ADDRESS:29500 --nnodes 2 "
                                       "--node-rank $LWS_WORKER_INDEX"));
}

TEST(Launch, FlagsFollowLastMentionOfEngine) {
  const RoleLaunch it(
      "{command: [sh, -c], args: [echo start, 'cd /x && python3 -m dynamo.sglang.worker --x "
      "sglang-model --tp 2; echo done']}",
      Pathway::kLws, PodRole::kLeader);
  EXPECT_TRUE(it.launch.placed);
  EXPECT_THAT(it.args,
              ElementsAre("echo start",
                          "cd /x && python3 -m dynamo.sglang.worker --x sglang-model "
                          "--dist-init-addr $LWS_LEADER_ADDRESS:29500 --nnodes 2 --node-rank 0 "
                          "--tp 2; echo done"));
}

// A path or a package may also contain the interpreter's name.
TEST(Launch, FlagsNeedAnInterpreter) {
  const struct {
    std::string_view before;
    std::string_view behind;
  } rows[] = {
      {"cd /usr/lib/python3/dist-packages/sglang && python3 -m dynamo.sglang", " --model m"},
      {"pip install python-multipart sglang && python3.11 -m dynamo.sglang", ""},
      {"echo python-sglang python3x; /opt/mypython\\t-m dynamo.sglang", "; echo done"},
      {"env PYTHONPATH=/python python3 -m dynamo.sglang", " --tp 2"},
  };
  for (const auto& row : rows) {
    const std::string before = std::string(row.before);
    const RoleLaunch it("{args: [\"" + before + std::string(row.behind) + "\"]}", Pathway::kLws,
                        PodRole::kLeader);
    const std::size_t tab = before.find("\\t");
    const std::string read =
        tab == std::string::npos ? before : std::string(before).replace(tab, 2, "\t");
    EXPECT_THAT(it.args, ElementsAre(read +
                                     " --dist-init-addr $LWS_LEADER_ADDRESS:29500 --nnodes 2 "
                                     "--node-rank 0" +
                                     std::string(row.behind)))
        << row.before;
  }
  const RoleLaunch vllm(
      "{args: [cd /python3/vllm; python3 -m dynamo.vllm --data-parallel-size 16]}", Pathway::kLws,
      PodRole::kLeader);
  EXPECT_THAT(
      vllm.args.at(0),
      testing::StartsWith("cd /python3/vllm; python3 -m dynamo.vllm --data-parallel-hybrid-lb"));
}

TEST(Launch, WrapperScriptIsNotPlaced) {
  const OneService manifest(
      "multinode: {nodeCount: 2}\nextraPodSpec: {mainContainer: {command: [run.sh], args: [a]}}",
      plain_profile(Pathway::kGrove), "backendFramework: sglang");
  const Pod pod = manifest.pod(PodRole::kLeader);
  const Launch launch =
      launch_of(manifest.component(), pod.backend, PodRole::kLeader, pod.main(), manifest.arena());
  EXPECT_EQ(launch.injection, Injection::kFlags);
  EXPECT_FALSE(launch.placed);
  EXPECT_THAT(text_of(launch.args), ElementsAre("a"));
}

TEST(Launch, UnknownWorkloadIsNotPlaced) {
  const RoleLaunch it(kSglang, Pathway::kUnknown, PodRole::kLeader);
  EXPECT_EQ(it.launch.injection, Injection::kFlags);
  EXPECT_FALSE(it.launch.placed);
  EXPECT_EQ(it.args.size(), 4U);
}

TEST(Launch, VllmUsesRayForModelsLargerThanNode) {
  const std::string_view vllm =
      "{command: [python3, -m, dynamo.vllm], args: [--tensor-parallel-size, '16']}";
  const RoleLaunch leader(vllm, Pathway::kLws, PodRole::kLeader);
  EXPECT_EQ(leader.launch.injection, Injection::kRay);
  EXPECT_THAT(leader.command, ElementsAre("/bin/sh", "-c"));
  EXPECT_THAT(leader.args,
              ElementsAre("ray start --head --port=6379 && python3 -m dynamo.vllm "
                          "--tensor-parallel-size 16 --distributed-executor-backend ray"));
  const RoleLaunch worker(vllm, Pathway::kLws, PodRole::kWorker);
  EXPECT_THAT(worker.args, ElementsAre("ray start --address=$LWS_LEADER_ADDRESS:6379 --block"));
}

TEST(Launch, VllmSplitsDataParallelReplicas) {
  const std::string_view vllm =
      "{command: [python3, -m, dynamo.vllm], args: [--tensor-parallel-size, '2', "
      "--data-parallel-size, '8']}";
  const RoleLaunch leader(vllm, Pathway::kGrove, PodRole::kLeader);
  EXPECT_EQ(leader.launch.injection, Injection::kDataParallel);
  EXPECT_THAT(leader.args,
              ElementsAre("--tensor-parallel-size", "2", "--data-parallel-size", "8",
                          "--data-parallel-hybrid-lb", "--data-parallel-size-local", "4",
                          "--data-parallel-start-rank", "0", "--data-parallel-address",
                          kGroveLeader, "--data-parallel-rpc-port", "13445"));
  const RoleLaunch worker(vllm, Pathway::kGrove, PodRole::kWorker);
  EXPECT_THAT(worker.args.at(0),
              HasSubstr("--data-parallel-start-rank $(( 4 * $((GROVE_PCLQ_POD_INDEX + 1)) ))"));
}

TEST(Launch, VllmInjectionDependsOnSizes) {
  const struct {
    std::string args;
    std::string gpus;
    Injection injection;
  } rows[] = {
      {"[]", "8", Injection::kNone},
      {"[--tensor-parallel-size, '8']", "8", Injection::kNone},
      {"[--tensor-parallel-size, '9']", "8", Injection::kRay},
      {"[--tensor-parallel-size, '4', --pipeline-parallel-size, '4']", "8", Injection::kRay},
      {"[--tensor-parallel-size, '4', --data-parallel-size, '2']", "8", Injection::kNone},
      {"[--tensor-parallel-size, '4', --data-parallel-size, '3']", "8", Injection::kDataParallel},
      // Spellings that first-generation operators do not read (Q32).
      {"[--tensor-parallel-size=16]", "8", Injection::kRay},
      {"[-tp, '16']", "8", Injection::kRay},
      {"[-tp=4, -pp=2, '-dp=2']", "8", Injection::kDataParallel},
      {R"([--tensor-parallel-size, '"16"'])", "8", Injection::kRay},
      {"[--tensor-parallel-size, '16;']", "8", Injection::kRay},
      {"[--tensor-parallel-size, $TP]", "8", Injection::kNone},
      // Without GPUs nothing is changed.
      {"[--tensor-parallel-size, '16']", "0", Injection::kNone},
      {"[--tensor-parallel-size, '16']", "x", Injection::kNone},
  };
  for (const auto& row : rows) {
    const RoleLaunch it("{command: [python3, -m, dynamo.vllm], args: " + row.args + "}",
                        Pathway::kGrove, PodRole::kLeader, row.gpus);
    EXPECT_EQ(it.launch.injection, row.injection) << row.args << " on " << row.gpus;
  }
}

// The rules report what first-generation operators would do, because many are installed.
TEST(Launch, VllmSizesAreReadFromEveryForm) {
  for (const std::string_view container :
       {"{command: [python3, -m, dynamo.vllm], args: [--tensor-parallel-size=16]}",
        "{command: [python3, -m, dynamo.vllm, --tensor-parallel-size, '16'], args: [--model, m]}",
        "{command: [python3, -m, dynamo.vllm], args: [-tp, '16']}"}) {
    const RoleLaunch it(container, Pathway::kLws, PodRole::kLeader);
    EXPECT_EQ(injection_of(it.component(), it.rendered.backend, it.rendered.main()),
              Injection::kNone);
    EXPECT_EQ(it.launch.injection, Injection::kRay) << container;
  }
}

struct Form {
  std::string_view container;
  PodRole role;
  std::vector<std::string> command;
  std::vector<std::string> args;
};

void expect_forms(const std::vector<Form>& forms) {
  for (const Form& form : forms) {
    const RoleLaunch it(form.container, Pathway::kLws, form.role);
    EXPECT_EQ(it.launch.problem, "") << form.container;
    EXPECT_EQ(it.command, form.command) << form.container;
    EXPECT_EQ(it.args, form.args) << form.container;
  }
}

// Q24: a shell before the script still runs all of it.
TEST(Launch, RayKeepsShellForWholeScript) {
  const std::string ray = "ray start --head --port=6379 && ";
  const std::string flag = " --distributed-executor-backend ray";
  const std::string engine = "python3 -m dynamo.vllm --tensor-parallel-size 16";
  expect_forms({
      // The default command.
      {"{args: [python3 -m dynamo.vllm --tensor-parallel-size 16]}",
       PodRole::kLeader,
       {"/bin/sh", "-c"},
       {ray + engine + flag}},
      {"{command: [bash, -lc], args: [python3 -m dynamo.vllm --tensor-parallel-size 16, x]}",
       PodRole::kLeader,
       {"bash", "-lc"},
       {ray + engine + flag, "x"}},
      {"{command: [/bin/bash, -o, pipefail, -c, python3 -m dynamo.vllm --tensor-parallel-size 16]}",
       PodRole::kLeader,
       {"/bin/bash", "-o", "pipefail", "-c"},
       {ray + engine + flag}},
      // Several commands: the flag belongs to the engine's.
      {"{args: ['cd /x; python3 -m dynamo.vllm -tp 16 2>&1 | tee log']}",
       PodRole::kLeader,
       {"/bin/sh", "-c"},
       {ray + "cd /x; python3 -m dynamo.vllm" + flag + " -tp 16 2>&1 | tee log"}},
      // A continued line, and the end of a block.
      {R"({args: ["python3 -m dynamo.vllm \\\n  -tp 16\n"]})",
       PodRole::kLeader,
       {"/bin/sh", "-c"},
       {ray + "python3 -m dynamo.vllm \\\n  -tp 16" + flag}},
      // Without a shell each word stays one word.
      {"{command: [python3, -m, dynamo.vllm], args: [-tp, '16', --x, '{\"a\": \"it''s\"}']}",
       PodRole::kLeader,
       {"/bin/sh", "-c"},
       {ray + R"(python3 -m dynamo.vllm -tp 16 --x '{"a": "it'\''s"}')" + flag}},
      {"{args: [python3 -m dynamo.vllm --tensor-parallel-size 16]}",
       PodRole::kWorker,
       {"/bin/sh", "-c"},
       {"ray start --address=$LWS_LEADER_ADDRESS:6379 --block"}},
  });
}

// Q21: only a shell expands the address and the rank.
TEST(Launch, LeaderWorkerSetAlwaysUsesShell) {
  const std::string sglang = " --dist-init-addr $LWS_LEADER_ADDRESS:29500 --nnodes 2 --node-rank ";
  const std::string spread =
      " --data-parallel-hybrid-lb --data-parallel-size-local 4 --data-parallel-start-rank ";
  const std::string at =
      " --data-parallel-address $LWS_LEADER_ADDRESS --data-parallel-rpc-port 13445";
  const std::string engine = "exec python3 -m dynamo.vllm -dp 8 -tp 2";
  const std::vector<std::string> shell = {"sh", "-c"};
  expect_forms({
      {kSglang, PodRole::kLeader, shell, {"exec python3 -m dynamo.sglang --tp 16" + sglang + "0"}},
      {kSglang,
       PodRole::kWorker,
       shell,
       {"exec python3 -m dynamo.sglang --tp 16" + sglang + "$LWS_WORKER_INDEX"}},
      {"{args: [python3 -m dynamo.sglang --tp 16]}",
       PodRole::kWorker,
       {"/bin/sh", "-c"},
       {"python3 -m dynamo.sglang" + sglang + "$LWS_WORKER_INDEX --tp 16"}},
      {"{command: [python3, -m, dynamo.sglang], args: [--name, a b]}",
       PodRole::kLeader,
       shell,
       {"exec python3 -m dynamo.sglang --name 'a b'" + sglang + "0"}},
      {"{command: [python3, -m, dynamo.vllm], args: [-dp, '8', -tp, '2']}",
       PodRole::kLeader,
       shell,
       {engine + spread + "0" + at}},
      {"{command: [python3, -m, dynamo.vllm], args: [-dp, '8', -tp, '2']}",
       PodRole::kWorker,
       shell,
       {engine + spread + "$(( 4 * $LWS_WORKER_INDEX ))" + at}},
      {"{args: [python3 -m dynamo.vllm -dp 8 -tp 2]}",
       PodRole::kWorker,
       {"/bin/sh", "-c"},
       {"python3 -m dynamo.vllm" + spread + "$(( 4 * $LWS_WORKER_INDEX ))" + at + " -dp 8 -tp 2"}},
  });
}

TEST(Launch, UncertainNodeDiscoveryIsAProblem) {
  const struct {
    std::string_view container;
    std::string_view problem;
  } rows[] = {
      {"{command: [run, python3 -m dynamo.sglang], args: [python3 -m dynamo.sglang]}",
       "must be run by python or by a shell"},
      {"{args: ['cd /x; python3 -m dynamo.vllm -tp 16 || python3 -m dynamo.vllm -tp 16']}",
       "must run python -m dynamo.vllm once"},
  };
  for (const auto& row : rows) {
    const RoleLaunch it(row.container, Pathway::kLws, PodRole::kLeader);
    EXPECT_THAT(it.launch.problem, HasSubstr(std::string(row.problem))) << row.container;
  }
}

TEST(Launch, InvalidSizesAreIgnored) {
  for (const std::string_view container :
       {"{args: ['python3 -m dynamo.vllm --tensor-parallel-size $TP']}",
        "{command: [python3, -m, dynamo.vllm], args: [--data-parallel-size=$(DP)]}",
        "{args: ['ray start --head; python3 -m dynamo.vllm -tp $TP']}"}) {
    const RoleLaunch it(container, Pathway::kLws, PodRole::kLeader);
    EXPECT_EQ(it.launch.problem, "") << container;
    EXPECT_EQ(it.launch.injection, Injection::kNone) << container;
  }
}

TEST(Launch, SingleNodeKeepsCommandLine) {
  const OneService manifest("extraPodSpec: {mainContainer: {args: [python3 -m dynamo.sglang]}}");
  const Pod pod = manifest.pod();
  const Launch launch =
      launch_of(manifest.component(), pod.backend, PodRole::kMain, pod.main(), manifest.arena());
  EXPECT_EQ(launch.injection, Injection::kNone);
  EXPECT_THAT(text_of(launch.args), ElementsAre("python3 -m dynamo.sglang"));
}

constexpr std::string_view kTrtllm =
    "{command: [python3, -m, dynamo.trtllm], args: [--tensor-parallel-size, '8'], "
    "env: [{name: MINE, value: x}]}";

TEST(Launch, TensorRtRunsMpiOverAllNodes) {
  const RoleLaunch it(kTrtllm, Pathway::kGrove, PodRole::kLeader, "4", 3);
  EXPECT_EQ(it.launch.injection, Injection::kMpi);
  EXPECT_THAT(it.command, ElementsAre("/bin/sh", "-c"));
  const std::string& script = it.args.at(0);
  const std::string pods = "$(GROVE_PCSG_NAME)-$(GROVE_PCSG_INDEX)-worker-wkr-";
  EXPECT_THAT(script,
              HasSubstr(" -n 12 -H " + std::string(kGroveLeader) + "," + pods +
                        "0.$(GROVE_HEADLESS_SERVICE)," + pods + "1.$(GROVE_HEADLESS_SERVICE) "));
  EXPECT_THAT(script, HasSubstr(" -x MINE -x MODEL_PATH "));
  EXPECT_THAT(script, HasSubstr("bash -c 'trtllm-llmapi-launch python3 -m dynamo.trtllm "
                                "--tensor-parallel-size 8'"));
  EXPECT_THAT(script, Not(HasSubstr("getent")));
}

TEST(Launch, TensorRtWaitsForLeaderWorkerSetWorkers) {
  const RoleLaunch it(kTrtllm, Pathway::kLws, PodRole::kLeader, "4", 3);
  EXPECT_THAT(it.args.at(0), HasSubstr("getent hosts"));
  EXPECT_THAT(it.args.at(0), HasSubstr(R"($(echo "$LWS_LEADER_ADDRESS" | sed 's/\./-2\./'))"));
}

TEST(Launch, TensorRtRunsDaemonOnWorkers) {
  const RoleLaunch it(kTrtllm, Pathway::kGrove, PodRole::kWorker, "4");
  EXPECT_THAT(it.args.at(0), HasSubstr("/usr/sbin/sshd -D"));
  EXPECT_THAT(it.args.at(0), HasSubstr("Port 2222"));
  EXPECT_THAT(it.args.at(0), Not(HasSubstr("mpirun")));
}

TEST(Launch, TensorRtAboveNodeLimitIsNotPlaced) {
  EXPECT_TRUE(
      RoleLaunch(kTrtllm, Pathway::kGrove, PodRole::kLeader, "4", kMaxListedNodes).launch.placed);
  EXPECT_FALSE(RoleLaunch(kTrtllm, Pathway::kGrove, PodRole::kLeader, "4", kMaxListedNodes + 1)
                   .launch.placed);
}

TEST(Launch, TensorRtPrefersRequestedGpus) {
  const auto ranks = [](std::string_view resources) {
    return mpi_ranks_per_node(OneService("resources: " + std::string(resources)).component());
  };
  EXPECT_EQ(ranks("{requests: {gpu: '2'}, limits: {gpu: '4'}}"), 2);
  EXPECT_EQ(ranks("{limits: {gpu: '4'}}"), 4);
  EXPECT_EQ(ranks("{limits: {custom: {nvidia.com/gpu: '4'}}}"), 0);
  EXPECT_EQ(ranks("{limits: {gpu: '9000000000'}}"), 0);
  // A request that is not a whole number counts as none.
  EXPECT_EQ(ranks("{requests: {gpu: 500m}, limits: {gpu: '4'}}"), 4);
  EXPECT_EQ(ranks("{requests: {gpu: '0'}, limits: {gpu: '4'}}"), 0);
  EXPECT_EQ(ranks("{requests: {gpu: x}, limits: {gpu: 4k}}"), 0);
}

// Q33; without a shell each word stays one word.
TEST(Launch, TensorRtPassesWordsUnchanged) {
  const struct {
    std::string_view container;
    std::string_view end;
  } rows[] = {
      {"{command: [python3, -m, dynamo.trtllm], args: [--x, 'it''s']}",
       R"( bash -c 'trtllm-llmapi-launch python3 -m dynamo.trtllm --x '\''it'\''\'\'''\''s'\''')"},
      {"{args: ['python3 -m dynamo.trtllm --x ''{\"a\": 1}''']}",
       R"( bash -c 'trtllm-llmapi-launch python3 -m dynamo.trtllm --x '\''{"a": 1}'\''')"},
      {"{command: [/bin/bash, -c, python3 -m dynamo.trtllm --x 1]}",
       " bash -c 'trtllm-llmapi-launch python3 -m dynamo.trtllm --x 1'"},
      {"{args: [python3 -m dynamo.trtllm, --x 1]}",
       " bash -c 'trtllm-llmapi-launch python3 -m dynamo.trtllm --x 1'"},
      {"{command: [run-it], args: [python3 -m dynamo.trtllm, --x]}",
       R"( bash -c 'trtllm-llmapi-launch '\''python3 -m dynamo.trtllm'\'' --x')"},
  };
  for (const auto& row : rows) {
    const RoleLaunch it(row.container, Pathway::kLws, PodRole::kLeader);
    EXPECT_THAT(it.args.at(0), testing::EndsWith(row.end)) << row.container;
  }
}

TEST(Launch, TensorRtPassesEachVariableAsOneWord) {
  const RoleLaunch it(
      "{command: [python3, -m, dynamo.trtllm], env: [{name: A B, value: x}, {name: A;id, value: "
      "x}, "
      "{name: $HOME, value: x}, {name: it's, value: x}, {name: b.c-d_1, value: x}]}",
      Pathway::kGrove, PodRole::kLeader);
  const std::string& script = it.args.at(0);
  EXPECT_THAT(script, HasSubstr(" -x '$HOME' -x 'A B' -x 'A;id' -x CUDA_VISIBLE_DEVICES "));
  EXPECT_THAT(script, HasSubstr(R"( -x b.c-d_1 -x 'it'\''s' bash -c )"));
}

// They belong to the restored container and to no other rank.
TEST(Launch, TensorRtSkipsCheckpointVariables) {
  const OneService manifest(
      "multinode: {nodeCount: 2}\nresources: {limits: {gpu: '8'}}\n"
      "checkpoint: {enabled: true, checkpointRef: warm}\n"
      "extraPodSpec: {mainContainer: " +
          std::string(kTrtllm) + "}",
      plain_profile(Pathway::kGrove));
  const Pod pod = manifest.pod(PodRole::kLeader);
  const Launch launch =
      launch_of(manifest.component(), pod.backend, PodRole::kLeader, pod.main(), manifest.arena());
  const std::string script(launch.args.back());
  EXPECT_THAT(script, HasSubstr(" -x MINE "));
  EXPECT_THAT(script, Not(HasSubstr("CHECKPOINT")));
}

TEST(Launch, CheckpointEditFollowsEngineEdit) {
  const OneService manifest(
      "multinode: {nodeCount: 2}\n"
      "checkpoint: {enabled: true, checkpointRef: warm}\n"
      "extraPodSpec: {mainContainer: " +
          std::string(kSglang) + "}",
      plain_profile(Pathway::kLws));
  const Pod pod = manifest.pod(PodRole::kLeader);
  const Launch launch =
      launch_of(manifest.component(), pod.backend, PodRole::kLeader, pod.main(), manifest.arena());
  EXPECT_TRUE(launch.placed);
  EXPECT_TRUE(launch.command.empty());
  EXPECT_THAT(text_of(launch.args),
              ElementsAre("sh", "-c",
                          "exec python3 -m dynamo.sglang --tp 16 --dist-init-addr "
                          "$LWS_LEADER_ADDRESS:29500 --nnodes 2 --node-rank 0"));
}

TEST(ParallelSizes, AreReadFromWordsInAnyArgument) {
  const std::string_view texts[] = {"run --tensor-parallel-size 4\t--data-parallel-size",
                                    "2 --pipeline-parallel-size x"};
  const ParallelSizes sizes = parallel_sizes(texts);
  EXPECT_EQ(sizes.tensor, 4);
  EXPECT_EQ(sizes.data, 2);
  EXPECT_TRUE(sizes.data_given);
  EXPECT_EQ(sizes.pipeline, 1);
  EXPECT_EQ(sizes.world(), 4);
}

TEST(ParallelSizes, FirstNumericOccurrenceWins) {
  const std::string_view texts[] = {
      "--tensor-parallel-size x --tensor-parallel-size +4 --tensor-parallel-size 16",
      "--pipeline-parallel-size 2 --pipeline-parallel-size 8 --data-parallel-size --other 9"};
  const ParallelSizes sizes = parallel_sizes(texts);
  EXPECT_EQ(sizes.tensor, 4);
  EXPECT_EQ(sizes.pipeline, 2);
  EXPECT_EQ(sizes.data, 1);
  EXPECT_TRUE(sizes.data_given);
}

TEST(ParallelSizes, EmptySizesNeedNoGpu) {
  const std::string_view texts[] = {
      "--tensor-parallel-size 0 --tensor-parallel-size 16 --data-parallel-size -3"};
  const ParallelSizes sizes = parallel_sizes(texts);
  EXPECT_EQ(sizes.tensor, 0);
  EXPECT_EQ(sizes.data, -3);
  EXPECT_EQ(sizes.world(), 0);
}

TEST(ParallelSizes, DoNotOverflow) {
  const std::string_view texts[] = {
      "--tensor-parallel-size 9223372036854775807 --pipeline-parallel-size 9"};
  EXPECT_EQ(parallel_sizes(texts).world(), std::numeric_limits<std::int64_t>::max());
}

}  // namespace
}  // namespace dynamo::render
