"""The objects of the benchmark: a mixture of kinds, in which a tenth of the graphs is invalid."""

IMAGE = "nvcr.io/nvidia/ai-dynamo/vllm-runtime:0.8.1"
GROUP = "/apis/nvidia.com/v1alpha1"
NAMESPACE = "default"
# Per hundred objects. One graph in ten has an ingress without a host, which only a rule detects.
MIXTURE = (("dynamographdeployments", 50), ("dynamocomponentdeployments", 25), ("dynamomodels", 15),
           ("dynamographdeploymentrequests", 5), ("dynamocheckpoints", 5))


def plurals():
    return [plural for plural, _ in MIXTURE]


def path_of(plural):
    return f"{GROUP}/namespaces/{NAMESPACE}/{plural}"


def objects(count):
    """(plural, object) of this many objects, in the order of creation."""
    made = {plural: 0 for plural in plurals()}
    for number in range(count):
        plural = _kind_of(number % 100)
        yield plural, _MAKERS[plural](made[plural])
        made[plural] += 1


def _kind_of(place):
    for plural, share in MIXTURE:
        if place < share:
            return plural
        place -= share
    raise AssertionError("the shares of MIXTURE must make a hundred")


def _service(**more):
    return {"componentType": "worker", "replicas": 1, "envFromSecret": "hf-token-secret",
            "envs": [{"name": "LEVEL", "value": "info"}],
            "resources": {"requests": {"cpu": "4", "memory": "16Gi"},
                          "limits": {"cpu": "8", "memory": "32Gi", "gpu": "1"}},
            "extraPodSpec": {"mainContainer": {"image": IMAGE, "command": ["python3", "-m", "dynamo.vllm"],
                                               "args": ["--model", "Qwen/Qwen3-0.6B"]}}, **more}


def _graph(number):
    wrong = {"ingress": {"enabled": True}} if number % 10 == 0 else {}
    return _thing("DynamoGraphDeployment", f"graph-{number}", {"backendFramework": "vllm", "services": {
        "Frontend": _service(componentType="frontend", **wrong), "Prefill": _service(), "Decode": _service(replicas=2)}})


def _component(number):
    return _thing("DynamoComponentDeployment", f"component-{number}", {"backendFramework": "vllm", **_service()})


def _model(number):
    return _thing("DynamoModel", f"model-{number}", {"modelName": f"qwen/model-{number}", "baseModelName": "qwen/base"})


def request(name, **more):
    return _thing("DynamoGraphDeploymentRequest", name, {
        "model": "Qwen/Qwen3-0.6B", "backend": "vllm", "deploymentOverrides": {"workersImage": IMAGE},
        "profilingConfig": {"profilerImage": IMAGE,
                            "config": {"sla": {"isl": 3000, "osl": 150, "ttft": 200, "itl": 20}}}, **more})


def checkpoint(name, model):
    """Checkpoints of different models have different identities."""
    return _thing("DynamoCheckpoint", name, {
        "identity": {"model": model, "backendFramework": "vllm"},
        "job": {"podTemplateSpec": {"spec": {"restartPolicy": "Never", "containers": [
            {"name": "main", "image": IMAGE, "command": ["python3", "-m", "dynamo.vllm"], "args": ["--model", model],
             "resources": {"limits": {"nvidia.com/gpu": "1"}}}]}}}})


def _request(number):
    return request(f"request-{number}")


def _checkpoint(number):
    return checkpoint(f"checkpoint-{number}", f"qwen/model-{number}")


def _thing(kind, name, spec):
    return {"apiVersion": "nvidia.com/v1alpha1", "kind": kind, "metadata": {"name": name}, "spec": spec}


_MAKERS = {"dynamographdeployments": _graph, "dynamocomponentdeployments": _component, "dynamomodels": _model,
           "dynamographdeploymentrequests": _request, "dynamocheckpoints": _checkpoint}
