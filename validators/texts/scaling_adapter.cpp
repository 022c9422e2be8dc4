// Explanations of the rules for a DynamoGraphDeploymentScalingAdapter.
#include "validators/texts/groups.hpp"

namespace dynamo::validators::texts {
namespace {

// clang-format off
constexpr RuleText kTexts[] = {
    {"dgdsa.ref.immutable", "0.1.0", block(R"text(
The controller writes the adapter's replicas into the service that it refers to. After a change
the other service at once gets a count that was meant for the first, and an autoscaler goes on
steering it by the metrics of the first. The controller follows, and the operator itself corrects
the reference of an adapter that was left behind, so it is a warning, and for the operator nothing.
Enable scalingAdapter on the other service, or create another adapter for it.
)text"),
     block(R"yaml(
# before
apiVersion: nvidia.com/v1alpha1
kind: DynamoGraphDeploymentScalingAdapter
metadata:
  name: chat-worker
spec:
  replicas: 2
  dgdRef:
    name: chat
    serviceName: Worker
---
# after
apiVersion: nvidia.com/v1alpha1
kind: DynamoGraphDeploymentScalingAdapter
metadata:
  name: chat-worker
spec:
  replicas: 2
  dgdRef:
    name: chat
    serviceName: Frontend
)yaml"),
     block(R"yaml(
apiVersion: nvidia.com/v1alpha1
kind: DynamoGraphDeploymentScalingAdapter
metadata:
  name: chat-frontend
spec:
  replicas: 2
  dgdRef:
    name: chat
    serviceName: Frontend
)yaml")},

    {"dgdsa.ref.name", "0.1.0", block(R"text(
The controller looks up the graph by this name in the namespace of the adapter. Without a name
it finds none, fails with an error and tries again for ever, and what an autoscaler asks for
never happens; therefore it is denied. Name a DynamoGraphDeployment of the same namespace.
)text"),
     block(R"yaml(
apiVersion: nvidia.com/v1alpha1
kind: DynamoGraphDeploymentScalingAdapter
metadata:
  name: chat-worker
spec:
  replicas: 2
  dgdRef:
    name: ""
    serviceName: Worker
)yaml"),
     block(R"yaml(
apiVersion: nvidia.com/v1alpha1
kind: DynamoGraphDeploymentScalingAdapter
metadata:
  name: chat-worker
spec:
  replicas: 2
  dgdRef:
    name: chat
    serviceName: Worker
)yaml")},

    {"dgdsa.ref.service", "0.1.0", block(R"text(
The controller writes the count into this service of the graph. Without a name it finds no
service, fails with an error and tries again for ever, and what an autoscaler asks for never
happens; therefore it is denied. Name a key of spec.services, letter by letter.
)text"),
     block(R"yaml(
apiVersion: nvidia.com/v1alpha1
kind: DynamoGraphDeploymentScalingAdapter
metadata:
  name: chat-worker
spec:
  replicas: 2
  dgdRef:
    name: chat
    serviceName: ""
)yaml"),
     block(R"yaml(
apiVersion: nvidia.com/v1alpha1
kind: DynamoGraphDeploymentScalingAdapter
metadata:
  name: chat-worker
spec:
  replicas: 2
  dgdRef:
    name: chat
    serviceName: Worker
)yaml")},

    {"dgdsa.replicas.non-negative", "0.1.0", block(R"text(
The controller copies the count into the graph, whose own rules refuse a negative one. The
adapter would fail with an error and try again for ever, so it is denied. 0 is allowed and stops
the service.
)text"),
     block(R"yaml(
apiVersion: nvidia.com/v1alpha1
kind: DynamoGraphDeploymentScalingAdapter
metadata:
  name: chat-worker
spec:
  replicas: -1
  dgdRef:
    name: chat
    serviceName: Worker
)yaml"),
     block(R"yaml(
apiVersion: nvidia.com/v1alpha1
kind: DynamoGraphDeploymentScalingAdapter
metadata:
  name: chat-worker
spec:
  replicas: 2
  dgdRef:
    name: chat
    serviceName: Worker
)yaml")},
};
// clang-format on

}  // namespace

std::span<const RuleText> scaling_adapter() {
  return kTexts;
}

}  // namespace dynamo::validators::texts
