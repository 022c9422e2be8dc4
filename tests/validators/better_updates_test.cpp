// An update that fixes some of several mistakes is allowed: the findings on the rest do not depend
// on the fixed part.
#include <gtest/gtest.h>

#include <algorithm>
#include <string>
#include <string_view>
#include <vector>

#include "tests/support/findings.hpp"
#include "tests/support/objects.hpp"

namespace dynamo::test {
namespace {

using api::Fact;
using api::OperatorGeneration;

#define NAME_43 "aaaaaaaaaabbbbbbbbbbccccccccccddddddddddeee"
#define GRAPH(services) \
  "{metadata: {name: " NAME_43 ", namespace: default}, spec: {services: {" services "}}}"
#define POD(fields) GRAPH("W: {componentType: worker, extraPodSpec: {" fields "}}")
#define BY(service, scheduler) \
  service ": {componentType: worker, extraPodSpec: {schedulerName: " scheduler "}}"
#define ENGINE(declared, found)                                                             \
  "{metadata: {name: g, namespace: default}, spec: {backendFramework: " declared            \
  ", services: {W: {componentType: worker, extraPodSpec: {mainContainer: {args: ['python3 " \
  "-m dynamo." found "']}}}}}}"
#define LWS(fields) GRAPH("Worker: {componentType: worker, multinode: {nodeCount: 2}, " fields "}")

const api::ClusterFacts kGrove{.grove_served = Fact::kYes,
                               .kai_scheduler_served = Fact::kNo,
                               .operator_generation = OperatorGeneration::kFirst};
const api::ClusterFacts kLws{.grove_served = Fact::kNo,
                             .leader_worker_set_served = Fact::kYes,
                             .operator_generation = OperatorGeneration::kFirst};

struct Step {
  std::string_view rule;
  std::string_view name;
  std::string_view before;
  std::string_view after;
  api::ClusterFacts facts = kGrove;
};

void PrintTo(const Step& step, std::ostream* out) {
  *out << step.rule << ": " << step.name;
}

std::vector<Finding> errors_by(const Step& step, std::string_view object, std::string_view before) {
  const json::Document now = from_yaml(object);
  const json::Document old = before.empty() ? json::Document{} : from_yaml(before);
  std::vector<Finding> errors =
      errors_of(evaluate_rules({.facts = step.facts}, now.root(), old.root()));
  std::erase_if(errors, [&](const Finding& error) { return error.rule != step.rule; });
  return errors;
}

class BetterUpdate : public testing::TestWithParam<Step> {};

TEST_P(BetterUpdate, IsAllowed) {
  const Step& step = GetParam();
  ASSERT_FALSE(errors_by(step, step.before, {}).empty()) << "was wrong before";
  ASSERT_FALSE(errors_by(step, step.after, {}).empty()) << "and is so afterwards";
  EXPECT_TRUE(errors_by(step, step.after, step.before).empty());
}

INSTANTIATE_TEST_SUITE_P(
    Ratchet, BetterUpdate,
    testing::Values(
        Step{"pod.scheduler.mixed", "one of two others",
             GRAPH("A: {}, " BY("B", "b") ", " BY("C", "c")), GRAPH("A: {}, B: {}, " BY("C", "c"))},
        Step{"pod.scheduler.mixed", "the first of four",
             GRAPH(BY("A", "a") ", " BY("B", "a") ", " BY("C", "c") ", " BY("D", "c")),
             GRAPH(BY("A", "c") ", " BY("B", "a") ", " BY("C", "c") ", " BY("D", "c"))},
        Step{"pod.scheduler.mixed", "a name where there was none",
             GRAPH("A: {}, " BY("B", "b") ", " BY("C", "c")),
             GRAPH(BY("A", "b") ", " BY("B", "b") ", " BY("C", "c"))},
        Step{"dgd.name.length.lws", "fewer replicas", LWS("replicas: 11"), LWS("replicas: 5"),
             kLws},
        Step{"dgd.name.length.lws", "more replicas", LWS("replicas: 5"), LWS("replicas: 11"), kLws},
        Step{"dgd.name.length.grove", "the longest service goes",
             GRAPH("LongWorker: {}, Worker: {}"), GRAPH("Worker: {}")},
        Step{"dgd.name.length.grove", "fewer nodes", LWS(""), GRAPH("Worker: {}")},
        Step{"dgd.epp.topology", "one of three goes",
             GRAPH("A: {componentType: epp}, B: {componentType: epp}, C: {componentType: epp}"),
             GRAPH("B: {componentType: epp}, C: {componentType: epp}")},
        Step{"pod.lifecycle", "a longer grace period",
             POD("mainContainer: {lifecycle: {preStop: {sleep: {seconds: 200}}}}"),
             POD("terminationGracePeriodSeconds: 100, "
                 "mainContainer: {lifecycle: {preStop: {sleep: {seconds: 200}}}}")},
        Step{"pod.lifecycle", "two handlers of three",
             POD("mainContainer: {lifecycle: {preStop: {sleep: {seconds: 2}, exec: {command: [a]}, "
                 "httpGet: {port: 80}}}}"),
             POD("mainContainer: {lifecycle: {preStop: {sleep: {seconds: 2}, exec: {command: "
                 "[a]}}}}")},
        Step{"pod.probe", "two handlers of three",
             POD("containers: [{name: a, livenessProbe: {grpc: {port: 1}, exec: {command: [a]}, "
                 "tcpSocket: {port: 80}}}]"),
             POD("containers: [{name: a, livenessProbe: {exec: {command: [a]}, tcpSocket: {port: "
                 "80}}}]")},
        Step{"pod.volumes", "two sources of three",
             POD("volumes: [{name: a, emptyDir: {}, secret: {secretName: a}, configMap: {name: "
                 "a}}]"),
             POD("volumes: [{name: a, emptyDir: {}, secret: {secretName: a}}]")},
        Step{"pod.volumes", "two projected sources of three",
             POD("volumes: [{name: a, projected: {sources: [{secret: {name: a}, configMap: {name: "
                 "a}, serviceAccountToken: {path: a}}]}}]"),
             POD("volumes: [{name: a, projected: {sources: [{secret: {name: a}, configMap: {name: "
                 "a}}]}}]")},
        Step{
            "pod.env", "two sources of three",
            POD("mainContainer: {env: [{name: A, valueFrom: {fieldRef: {fieldPath: metadata.name}, "
                "secretKeyRef: {name: a, key: b}, configMapKeyRef: {name: a, key: b}}}]}"),
            POD("mainContainer: {env: [{name: A, valueFrom: {secretKeyRef: {name: a, key: b}, "
                "configMapKeyRef: {name: a, key: b}}}]}")},
        Step{"pod.dns", "four servers of five",
             POD("dnsConfig: {nameservers: [1.1.1.1, 1.1.1.2, 1.1.1.3, 1.1.1.4, 1.1.1.5]}"),
             POD("dnsConfig: {nameservers: [1.1.1.1, 1.1.1.2, 1.1.1.3, 1.1.1.4]}")},
        Step{"net.host-network", "another port of the container",
             POD("hostNetwork: true, mainContainer: {ports: [{containerPort: 1, hostPort: 9}]}"),
             POD("hostNetwork: true, mainContainer: {ports: [{containerPort: 2, hostPort: 9}]}")},
        Step{"pod.security", "one of two reasons",
             GRAPH("W: {componentType: worker, checkpoint: {enabled: true}, extraPodSpec: "
                   "{hostIPC: true, hostPID: true, shareProcessNamespace: true}}"),
             GRAPH("W: {componentType: worker, checkpoint: {enabled: true}, extraPodSpec: "
                   "{hostPID: true, shareProcessNamespace: true}}")},
        Step{"res.request-exceeds-limit", "a higher limit",
             GRAPH("W: {resources: {requests: {cpu: '8'}, limits: {cpu: '2'}}}"),
             GRAPH("W: {resources: {requests: {cpu: '8'}, limits: {cpu: '4'}}}")},
        Step{"res.extended.rules", "a higher limit",
             GRAPH("W: {resources: {requests: {custom: {a.b/c: '8'}}, limits: {custom: {a.b/c: "
                   "'2'}}}}"),
             GRAPH("W: {resources: {requests: {custom: {a.b/c: '8'}}, limits: {custom: {a.b/c: "
                   "'4'}}}}")},
        Step{"res.extended.rules",
             "a higher limit of GPUs",
             GRAPH("W: {resources: {requests: {gpu: '8'}, limits: {gpu: '2'}}}"),
             GRAPH("W: {resources: {requests: {gpu: '8'}, limits: {gpu: '4'}}}"),
             {.operator_generation = OperatorGeneration::kLater}},
        Step{"dgd.backend.mismatch", "the engine that is declared, but is not that of the command",
             ENGINE("vllm", "sglang"), ENGINE("trtllm", "sglang")}));

// An update that introduces the mistake is still refused.
TEST(Ratchet, NewGraphFindingIsRefused) {
  const Step mixed{"pod.scheduler.mixed", "", GRAPH("A: {}, B: {}"), GRAPH("A: {}, " BY("B", "b"))};
  EXPECT_EQ(errors_by(mixed, mixed.after, mixed.before).size(), 1U);
  const Step longer{"dgd.name.length.grove", "", GRAPH("W: {}"), GRAPH("W: {}, Worker: {}")};
  EXPECT_EQ(errors_by(longer, longer.after, longer.before).size(), 1U);
}

TEST(Ratchet, FindingOnAnotherPartIsRefused) {
  const Step engine{"dgd.backend.mismatch", "another engine is found", ENGINE("vllm", "sglang"),
                    ENGINE("vllm", "trtllm")};
  EXPECT_EQ(errors_by(engine, engine.after, engine.before).size(), 1U);
  const Step roles{"dgd.services.name-collision", "another service of the name in lower case",
                   GRAPH("ww: {}, WW: {}"), GRAPH("wW: {}, WW: {}")};
  EXPECT_EQ(errors_by(roles, roles.after, roles.before).size(), 1U);
}

// Replicas whose numbers have too many digits are not created, but the earlier ones run.
TEST(Ratchet, ScalingIsAllowedIfLaterReplicaNamesOverflow) {
  const Step step{"dgd.name.length.lws", "",
                  GRAPH("Worke: {multinode: {nodeCount: 2}, replicas: 5}"),
                  GRAPH("Worke: {multinode: {nodeCount: 2}, replicas: 11}"), kLws};
  EXPECT_TRUE(errors_by(step, step.after, step.before).empty());
}

}  // namespace
}  // namespace dynamo::test

#undef NAME_43
#undef GRAPH
#undef POD
#undef BY
#undef ENGINE
#undef LWS
