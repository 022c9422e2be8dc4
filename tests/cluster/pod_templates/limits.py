"""Pods at and beyond each limit that Kubernetes has for a pod template, as changes to a service.

A change is a name and a patch that is merged into the service. Changes that only one side refuses have a
reason: the test fails for every difference without one, and for every reason without a difference.
"""

from dataclasses import dataclass, field

# Why our verdict differs from the API server's on the Deployment.
POD = "the Deployment is taken, and each of its pods is refused when it is made"
OPERATOR = "the operator reads it first, and not as leniently as the API server"
POINT = "a point without digits is zero to Kubernetes and in no description of quantities"
VERSIONS = "what Kubernetes says of it depends on its version and feature gates, so it is not validated"
RARE = "not validated: too rare to be worth a rule"


@dataclass(frozen=True)
class Change:
    """`merge` is merged into the service; lists and scalars replace existing values."""

    name: str
    merge: dict = field(hash=False)
    # Why the two differ, and which one refuses: "ours" or "theirs".
    differs: str = ""
    refused_by: str = ""


def main(**fields):
    return {"extraPodSpec": {"mainContainer": fields}}


def pod(**fields):
    return {"extraPodSpec": fields}


def env(*variables):
    return main(env=list(variables))


def value_from(**sources):
    return env({"name": "A", "valueFrom": sources})


def ports(*each):
    return main(ports=[{"name": "system", "containerPort": 9090}, *each])


def liveness(**probe):
    return {"livenessProbe": {"tcpSocket": {"port": 9090}, **probe}}


def volume(**source):
    return pod(volumes=[{"name": "v", **source}])


def sidecar(**fields):
    return pod(containers=[{"name": "side", "image": "busybox:1.36", **fields}])


def init(**fields):
    return pod(initContainers=[{"name": "first", "image": "busybox:1.36", **fields}])


def own(limits=None, requests=None, **fields):
    """The service's resources."""
    return {"resources": {**fields, **({"limits": limits} if limits else {}),
                          **({"requests": requests} if requests else {})}}


def custom(limits=None, requests=None):
    """Resources of the service by name, in addition to the samples' CPU and memory."""
    return own({"custom": limits} if limits else None, {"custom": requests} if requests else None)


def node(**term):
    return pod(affinity={"nodeAffinity": {"requiredDuringSchedulingIgnoredDuringExecution": {
        "nodeSelectorTerms": [term]}}})


def apart(**term):
    return pod(affinity={"podAntiAffinity": {"requiredDuringSchedulingIgnoredDuringExecution": [term]}})


def spread(**fields):
    return pod(topologySpreadConstraints=[{
        "maxSkew": 1, "topologyKey": "zone", "whenUnsatisfiable": "DoNotSchedule", **fields}])


LONGEST = "a" * 63
TOO_LONG = "a" * 64
SECRET = {"name": "s", "key": "k"}


def agreeing():
    """Changes with the same verdict on both sides."""
    yield from _containers()
    yield from _variables()
    yield from _ports_and_probes()
    yield from _volumes()
    yield from _mounts()
    yield from _amounts()
    yield from _extended_resources()
    yield from _claims()
    yield from _scheduling()
    yield from _security()
    yield from _pods()
    yield from _words()


def _containers():
    yield Change("a sidecar", sidecar())
    yield Change("a sidecar with the longest name", sidecar(name=LONGEST))
    yield Change("a sidecar with too long a name", sidecar(name=TOO_LONG))
    yield Change("a sidecar with an upper case name", sidecar(name="Side"))
    yield Change("a sidecar with a dot", sidecar(name="a.b"))
    yield Change("a sidecar that is called main", sidecar(name="main"))
    yield Change("a sidecar without an image", sidecar(image=""))
    yield Change("two sidecars of one name", pod(containers=[
        {"name": "a", "image": "i"}, {"name": "a", "image": "i"}]))
    yield Change("a sidecar and an init container of one name", pod(
        containers=[{"name": "a", "image": "i"}], initContainers=[{"name": "a", "image": "i"}]))
    yield Change("another name for main", main(name="engine"))
    yield Change("a bad name for main", main(name="En_gine"))
    yield Change("an image with upper case letters", main(image="a/B:1"))
    yield Change("an image that is a placeholder", main(image="a/b:my-tag"))
    yield Change("arguments only", main(command=[], args=["a", "b"]))
    yield Change("an init container", init())
    yield Change("an init container with a probe", init(livenessProbe={"tcpSocket": {"port": 1}}))
    yield Change("an init container with a hook", init(lifecycle={"preStop": {"sleep": {"seconds": 1}}}))
    yield Change("an init container that stays, with a probe", init(
        restartPolicy="Always", livenessProbe={"tcpSocket": {"port": 1}}))
    yield Change("an init container that restarts always, in lower case", init(restartPolicy="always"))


def _variables():
    yield Change("a variable", env({"name": "A_b-c.d", "value": "x"}))
    yield Change("a variable with a blank", env({"name": "A B", "value": "x"}))
    yield Change("a variable with a digit in front", env({"name": "9A", "value": "x"}))
    yield Change("a variable without a name", env({"name": "", "value": "x"}))
    yield Change("a variable with an equals sign", env({"name": "A=B", "value": "x"}))
    yield Change("a variable that is not ASCII", env({"name": "\u00c4", "value": "x"}))
    yield Change("a variable twice in a sidecar", sidecar(env=[
        {"name": "A", "value": "x"}, {"name": "A", "value": "y"}]))
    yield Change("a value and a source", env({"name": "A", "value": "x", "valueFrom": {
        "secretKeyRef": SECRET}}))
    yield Change("an empty value and a source", env({"name": "A", "value": "", "valueFrom": {
        "secretKeyRef": SECRET}}))
    yield Change("no source", value_from())
    yield Change("two sources", value_from(secretKeyRef=SECRET, configMapKeyRef=SECRET))
    yield Change("a secret without a name", value_from(secretKeyRef={"name": "", "key": "k"}))
    yield Change("a secret with a bad name", value_from(secretKeyRef={"name": "S_1", "key": "k"}))
    yield Change("a secret's longest key", value_from(secretKeyRef={"name": "s", "key": "k" * 253}))
    yield Change("a secret's key beyond", value_from(secretKeyRef={"name": "s", "key": "k" * 254}))
    yield Change("a key with a slash", value_from(configMapKeyRef={"name": "c", "key": "a/b"}))
    yield Change("an empty key", value_from(configMapKeyRef={"name": "c", "key": ""}))
    for path in ("metadata.name", "metadata.labels['app']", "metadata.annotations['A.b/c']",
                 "metadata.labels", "metadata.labels['a b']", "spec.nodeName", "spec.replicas",
                 "status.podIPs", "status.phase"):
        yield Change(f"the field {path}", value_from(fieldRef={"fieldPath": path}))
    yield Change("a field of another version", value_from(fieldRef={
        "apiVersion": "v2", "fieldPath": "metadata.name"}))
    for resource in ("limits.cpu", "requests.hugepages-2Mi", "limits.gpu", "cpu"):
        yield Change(f"the resource {resource}", value_from(resourceFieldRef={"resource": resource}))
    yield Change("all of a secret", main(envFrom=[{"prefix": "A_", "secretRef": {"name": "s"}}]))
    yield Change("all of nothing", main(envFrom=[{"prefix": "A_"}]))
    yield Change("all of two", main(envFrom=[{"secretRef": {"name": "s"}, "configMapRef": {"name": "c"}}]))
    yield Change("all of a nameless secret", main(envFrom=[{"secretRef": {"name": ""}}]))
    yield Change("a prefix with an equals sign", main(envFrom=[{"prefix": "A=", "secretRef": {"name": "s"}}]))
    yield Change("all of a secret of the service", {"envFromSecret": "s"})
    yield Change("all of a badly named secret of the service", {"envFromSecret": "S_1"})
    yield Change("a bad variable of the service", {"envs": [{"name": "A=B", "value": "x"}]})


def _ports_and_probes():
    for number in (1, 65535, 0, 65536, -1):
        yield Change(f"port {number}", ports({"containerPort": number}))
        yield Change(f"a probe of port {number}", liveness(tcpSocket={"port": number}))
    for number in (65535, 65536):
        yield Change(f"host port {number}", ports({"containerPort": 1, "hostPort": number}))
    for name in ("a", "a23456789012345", "a234567890123456", "123", "a--b", "-a", "A", "a_b"):
        yield Change(f"a port called {name}", ports({"name": name, "containerPort": 1}))
    yield Change("a probe of a badly named port", liveness(tcpSocket={"port": "A_b"}))
    yield Change("a port's name twice", ports({"name": "system", "containerPort": 1}))
    yield Change("a host port twice", ports({"containerPort": 1, "hostPort": 9},
                                            {"containerPort": 2, "hostPort": 9}))
    yield Change("a host port for two protocols", ports(
        {"containerPort": 1, "hostPort": 9}, {"containerPort": 1, "hostPort": 9, "protocol": "UDP"}))
    yield Change("a protocol in lower case", ports({"containerPort": 1, "protocol": "tcp"}))
    yield Change("a probe with two handlers", liveness(exec={"command": ["a"]}))
    yield Change("a probe without a handler", {"livenessProbe": {"periodSeconds": 1}})
    yield Change("a probe without a program", {"livenessProbe": {"exec": {}}})
    yield Change("a probe over HTTPS", {"livenessProbe": {"httpGet": {"port": 1, "scheme": "HTTPS"}}})
    yield Change("a probe over https", {"livenessProbe": {"httpGet": {"port": 1, "scheme": "https"}}})
    yield Change("a probe with a bad header", {"livenessProbe": {"httpGet": {
        "port": 1, "httpHeaders": [{"name": "a:", "value": "b"}]}}})
    for number in ("initialDelaySeconds", "timeoutSeconds", "periodSeconds", "failureThreshold"):
        yield Change(f"no {number}", liveness(**{number: 0}))
        yield Change(f"negative {number}", liveness(**{number: -1}))
    yield Change("one success for liveness", liveness(successThreshold=1))
    yield Change("two successes for liveness", liveness(successThreshold=2))
    yield Change("two successes for readiness", {"readinessProbe": {
        "tcpSocket": {"port": 1}, "successThreshold": 2}})
    yield Change("two successes for startup", main(startupProbe={
        "tcpSocket": {"port": 1}, "successThreshold": 2}))
    yield Change("a grace period of a probe", liveness(terminationGracePeriodSeconds=1))
    yield Change("no grace period of a probe", liveness(terminationGracePeriodSeconds=0))
    yield Change("a grace period for readiness", {"readinessProbe": {
        "tcpSocket": {"port": 1}, "terminationGracePeriodSeconds": 1}})
    yield Change("a hook that sleeps for the grace period", main(lifecycle={
        "preStop": {"sleep": {"seconds": 60}}}))
    yield Change("a hook that sleeps longer", main(lifecycle={"preStop": {"sleep": {"seconds": 131}}}))
    yield Change("a hook that does nothing", main(lifecycle={"preStop": {}}))
    yield Change("a hook that does two things", main(lifecycle={"preStop": {
        "sleep": {"seconds": 1}, "exec": {"command": ["a"]}}}))


def _volumes():
    yield Change("a volume without a source", volume())
    yield Change("an empty directory", volume(emptyDir={"sizeLimit": "1Gi"}))
    yield Change("an empty directory of a negative size", volume(emptyDir={"sizeLimit": "-1Gi"}))
    yield Change("two sources of a volume", volume(emptyDir={}, hostPath={"path": "/a"}))
    for name in (LONGEST, TOO_LONG, "a.b", "A", ""):
        yield Change(f"a volume called '{name}'", pod(volumes=[{"name": name, "emptyDir": {}}]))
    yield Change("a volume twice", pod(volumes=[{"name": "v", "emptyDir": {}}, {"name": "v", "emptyDir": {}}]))
    yield Change("a path on the host that climbs", volume(hostPath={"path": "/a/../b"}))
    yield Change("no path on the host", volume(hostPath={"path": ""}))
    yield Change("a type of path in lower case", volume(hostPath={"path": "/a", "type": "file"}))
    yield Change("a secret as a volume", volume(secret={"secretName": "s", "defaultMode": 0o777}))
    yield Change("too great a mode", volume(secret={"secretName": "s", "defaultMode": 0o1000}))
    yield Change("no secret", volume(secret={}))
    yield Change("no config map", volume(configMap={}))
    for path in ("a/b", "/a", "../a", "..a", ""):
        yield Change(f"a file '{path}'", volume(configMap={"name": "c", "items": [{"key": "k", "path": path}]}))
    yield Change("no claim", volume(persistentVolumeClaim={"claimName": ""}))
    yield Change("a relative path over NFS", volume(nfs={"server": "s", "path": "a"}))
    yield Change("no driver", volume(csi={"driver": ""}))
    for path in ("metadata.labels", "status.podIP"):
        yield Change(f"a file of {path}", volume(downwardAPI={"items": [
            {"path": "a", "fieldRef": {"fieldPath": path}}]}))
    yield Change("a file of nothing", volume(downwardAPI={"items": [{"path": "a"}]}))
    yield Change("a file of a resource of no container", volume(downwardAPI={"items": [
        {"path": "a", "resourceFieldRef": {"resource": "limits.cpu"}}]}))
    for seconds in (600, 599):
        yield Change(f"a token of {seconds} seconds", volume(projected={"sources": [
            {"serviceAccountToken": {"path": "t", "expirationSeconds": seconds}}]}))
    yield Change("two projections in one", volume(projected={"sources": [
        {"secret": {"name": "s"}, "configMap": {"name": "c"}}]}))
    claim = {"accessModes": ["ReadWriteOnce"], "resources": {"requests": {"storage": "1Gi"}}}
    yield Change("a claim of the pod", volume(ephemeral={"volumeClaimTemplate": {"spec": claim}}))
    yield Change("a claim of the pod without a size", volume(ephemeral={"volumeClaimTemplate": {
        "spec": {**claim, "resources": {}}}}))
    yield Change("a claim of the pod without a mode", volume(ephemeral={"volumeClaimTemplate": {
        "spec": {**claim, "accessModes": []}}}))
    yield Change("a claim of the pod without a template", volume(ephemeral={}))


def _mounts():
    """Mounts of an existing volume "v"."""
    def mount(*mounts, name="v"):
        return pod(volumes=[{"name": "v", "emptyDir": {}}],
                   mainContainer={"volumeMounts": [{"name": name, **each} for each in mounts]})

    yield Change("a mount", mount({"mountPath": "/a", "subPath": "b/c", "readOnly": True}))
    yield Change("a mount of nothing", mount({"mountPath": "/a"}, name="w"))
    yield Change("a mount without a path", mount({"mountPath": ""}))
    yield Change("a mount at two paths", mount({"mountPath": "/a"}, {"mountPath": "/b"}))
    yield Change("two mounts at one path", mount({"mountPath": "/a"}, {"mountPath": "/a"}))
    yield Change("a mount over the shared memory", mount({"mountPath": "/dev/shm"}))
    yield Change("a part of a volume that climbs", mount({"mountPath": "/a", "subPath": "../b"}))
    yield Change("a part of a volume from its root", mount({"mountPath": "/a", "subPath": "/b"}))
    yield Change("a part of a volume in two ways", mount(
        {"mountPath": "/a", "subPath": "b", "subPathExpr": "c"}))
    yield Change("a volume of the operator's name", pod(volumes=[{"name": "shared-memory", "emptyDir": {}}]))


def _amounts():
    for amount in ("1", "0", "-0", "+1", "1.", ".5", "0.1", "500m", "1e3", "1E-3", "1k", "1Ei", "9E",
                   "99999999999999999999", "0.0000000001"):
        yield Change(f"{amount} CPUs", own({"cpu": amount}, {"cpu": "0"}))
    for amount in ("-1", "-1m", "-0.0000000001"):
        yield Change(f"{amount} CPUs", own({"cpu": amount}, {"cpu": amount}))
    for amount in ("one", "1 Gi", "16GB", "1KiB", "1K", "0x1", "1e", "1e1.5", "1m5", "--1", "1,5"):
        yield Change(f"'{amount}' of memory", own({"memory": amount}))
        yield Change(f"'{amount}' of storage", custom({"ephemeral-storage": amount}))
    yield Change("an empty amount", custom({"ephemeral-storage": ""}))
    yield Change("a number of CPUs of main", main(resources={"limits": {"cpu": 64}}))
    yield Change("a negative number of CPUs of main", main(resources={"limits": {"ephemeral-storage": -1}}))
    for name, less, more in (("cpu", "999m", "1"), ("memory", "1G", "1Gi"), ("memory", "1023Mi", "1Gi"),
                             ("ephemeral-storage", "1", "1.000000001")):
        key = {"ephemeral-storage": "custom"}.get(name, name)
        small, great = ({name: less}, {name: more}) if key == "custom" else (less, more)
        yield Change(f"{less} of {more} {name}", own({key: great}, {key: small}))
        yield Change(f"{more} of {less} {name}", own({key: small}, {key: great}))
        yield Change(f"a request and a limit of {more} {name} beside {less}", own({key: great}, {key: great}))
    yield Change("a request of main over the service's limit", {
        **main(resources={"requests": {"ephemeral-storage": "2Gi"}}),
        **custom({"ephemeral-storage": "1Gi"})})
    yield Change("a request of the service over main's limit", {
        **main(resources={"limits": {"ephemeral-storage": "1Gi"}}),
        **custom(requests={"ephemeral-storage": "2Gi"})})
    yield Change("a limit of main that the service hides", {
        **main(resources={"limits": {"ephemeral-storage": "1Gi"}}),
        **custom({"ephemeral-storage": "3Gi"}, {"ephemeral-storage": "2Gi"})})
    for container, name in ((sidecar, "a sidecar"), (init, "an init container")):
        yield Change(f"amounts of {name}", container(resources={
            "limits": {"cpu": "1", "nvidia.com/gpu": 1}, "requests": {"cpu": "1m"}}))
        yield Change(f"too great a request of {name}", container(resources={
            "limits": {"cpu": "1"}, "requests": {"cpu": "2"}}))
        yield Change(f"half a GPU of {name}", container(resources={"limits": {"nvidia.com/gpu": "500m"}}))
        yield Change(f"a negative amount of {name}", container(resources={"requests": {"memory": "-1"}}))
        yield Change(f"huge pages alone of {name}", container(resources={"limits": {"hugepages-2Mi": "2Mi"}}))


def _extended_resources():
    domain = ".".join(["a" * 60, "b" * 60, "c" * 60])
    for name in ("a/b", "A/b", "a/B", "a/b.c_d-e", "a/b c", "a/b/c", "/b", "a/", "-a/b", "a/-b", "a.b.c/d",
                 "kubernetes.io/a", "x.kubernetes.io/a", "requests.a/b", "limits.a/b", "a/" + LONGEST,
                 "a/" + TOO_LONG, f"{domain}.{'d' * 61}/e", f"{domain}.{'d' * 62}/e", f"{domain}.{'d' * 63}/e",
                 "gpu", "GPU", "storage", "pods", "services", "requests.cpu", "limits.memory", "persistentvolumeclaims",
                 "attachable-volumes-aws-ebs", "hugepages", "ephemeral-storage"):
        yield Change(f"one of {name}", custom({name: "1"}))
    yield Change("a request for storage", custom(requests={"ephemeral-storage": "1"}))
    yield Change("a request for what is of Kubernetes", custom({"kubernetes.io/a": "2"}, {"kubernetes.io/a": "1"}))
    yield Change("a fraction of what is of Kubernetes", custom({"kubernetes.io/a": "1500m"}))
    for amount in ("0", "1", "8", "1000m", "2.0", "1e1", "1k", "500m", "1.5", "0.0000000001", "1500m", "1n", "-1"):
        yield Change(f"{amount} of an extended resource", custom({"a/b": amount}))
        yield Change(f"{amount} GPUs", own({"gpu": amount}))
    for kind in ("H100", "nvidia.com/H100", "nvidia.com/mig-1g.5gb", "nvidia.com", "amd.com/gpu", "nvidia.com/h 100",
                 "cpu", "hugepages-2Mi"):
        yield Change(f"GPUs of the kind {kind}", own({"gpu": "1", "gpuType": kind}))
    yield Change("a request for a device alone", custom(requests={"a/b": "1"}))
    yield Change("a smaller request for a device", custom({"a/b": "2"}, {"a/b": "1"}))
    yield Change("a greater request for a device", custom({"a/b": "1"}, {"a/b": "2"}))
    yield Change("the same request for a device", custom({"a/b": "2"}, {"a/b": "2000m"}))
    yield Change("a request of main for the service's GPUs", {
        **main(resources={"requests": {"nvidia.com/gpu": 7}}), **own({"gpu": "8"})})
    for size in ("2Mi", "1Gi", "1", "3", "0", "-2Mi", "500m", "1.5", "x", "2MiB", "1e3", "2Mi/a", ""):
        yield Change(f"huge pages of '{size}'", custom({f"hugepages-{size}": "2Gi"}))
    for amount in ("0", "2Mi", "4Mi", "3Mi", "2M", "1", "2097152", "2097151.5", "2097152.5", "500m"):
        yield Change(f"{amount} of huge pages", custom({"hugepages-2Mi": amount}))
    yield Change("a smaller request for huge pages", custom({"hugepages-2Mi": "4Mi"}, {"hugepages-2Mi": "2Mi"}))
    yield Change("a request for huge pages alone", custom(requests={"hugepages-2Mi": "2Mi"}))
    yield Change("a request for a device and no more", sidecar(resources={"requests": {"a/b": 1}}))
    yield Change("huge pages beside memory", sidecar(resources={
        "limits": {"hugepages-2Mi": "2Mi"}, "requests": {"memory": "1Gi"}}))
    yield Change("huge pages beside a device", sidecar(resources={"limits": {"hugepages-2Mi": "2Mi", "a/b": 1}}))


def _claims():
    def claims(*made, of=(), of_main=()):
        return {**own(claims=list(made)), "extraPodSpec": {
            "resourceClaims": list(of), **({"mainContainer": {"resources": {"claims": list(of_main)}}}
                                           if of_main else {})}}

    named = {"name": "c", "resourceClaimName": "mine"}
    template = {"name": "d", "resourceClaimTemplateName": "mine"}
    yield Change("a claim", claims({"name": "c"}, of=[named]))
    yield Change("a claim from a template", claims({"name": "d"}, of=[named, template]))
    yield Change("a claim without users", claims(of=[named]))
    yield Change("a claim of nothing", claims({"name": "c"}))
    yield Change("a claim of another name", claims({"name": "e"}, of=[named, template]))
    yield Change("a claim twice", claims({"name": "c"}, {"name": "c"}, of=[named]))
    yield Change("a claim by main and by the service", claims({"name": "c"}, of=[named], of_main=[{"name": "c"}]))
    yield Change("two claims by main and by the service", claims(
        {"name": "d"}, of=[named, template], of_main=[{"name": "c"}]))
    yield Change("two requests of a claim", claims(
        {"name": "c", "request": "one"}, {"name": "c", "request": "two"}, of=[named]))
    yield Change("a request of a claim twice", claims(
        {"name": "c", "request": "one"}, {"name": "c", "request": "one"}, of=[named]))
    yield Change("a claim and a request of it", claims({"name": "c"}, {"name": "c", "request": "one"}, of=[named]))
    yield Change("a request of a claim and all of it", claims(
        {"name": "c", "request": "one"}, {"name": "c"}, of=[named]))
    yield Change("a request with a bad name", claims({"name": "c", "request": "One"}, of=[named]))
    yield Change("a claim without a name", claims({"name": ""}, of=[named]))
    yield Change("a claim of a sidecar", pod(resourceClaims=[named], containers=[
        {"name": "side", "image": "i", "resources": {"claims": [{"name": "c"}]}}]))
    yield Change("a claim of nothing by a sidecar", sidecar(resources={"claims": [{"name": "c"}]}))
    for name in (LONGEST, TOO_LONG, "a.b", "A", ""):
        yield Change(f"a claim of the pod called '{name}'", pod(resourceClaims=[{**named, "name": name}]))
    for name in ("a.b", "A", "a_b"):
        yield Change(f"a claim called {name}", pod(resourceClaims=[{**named, "resourceClaimName": name}]))
        yield Change(f"a template of claims called {name}", pod(resourceClaims=[
            {**template, "resourceClaimTemplateName": name}]))
    yield Change("a claim of the pod twice", pod(resourceClaims=[named, named]))
    yield Change("a claim from nowhere", pod(resourceClaims=[{"name": "c"}]))
    yield Change("a claim from two", pod(resourceClaims=[{**named, **template}]))


def _scheduling():
    for name, toleration in {
            "a toleration": {"key": "a", "operator": "Exists"},
            "a toleration of everything": {"operator": "Exists"},
            "a toleration of nothing": {"effect": "NoSchedule"},
            "a toleration that exists with a value": {"key": "a", "operator": "Exists", "value": "b"},
            "a toleration of a bad key": {"key": "a b", "operator": "Exists"},
            "a toleration of a bad value": {"key": "a", "value": "b c"},
            "a toleration that exists in lower case": {"key": "a", "operator": "exists"},
            "a toleration of an effect in lower case": {"key": "a", "effect": "noexecute"},
            "a toleration for a while": {"key": "a", "effect": "NoExecute", "tolerationSeconds": 1},
            "a toleration for a while of another effect": {
                "key": "a", "effect": "NoSchedule", "tolerationSeconds": 1}}.items():
        yield Change(name, pod(tolerations=[toleration]))
    yield Change("a node selector", pod(nodeSelector={"a.b/c": "D"}))
    yield Change("a node selector with a bad key", pod(nodeSelector={"a b": "c"}))
    yield Change("a node selector with the longest value", pod(nodeSelector={"a": LONGEST}))
    yield Change("a node selector with too long a value", pod(nodeSelector={"a": TOO_LONG}))
    for operator, values in (("In", ["a"]), ("In", []), ("Exists", []), ("Exists", ["a"]), ("Gt", ["1"]),
                             ("Gt", ["1", "2"]), ("NotIn", ["a b"])):
        yield Change(f"nodes {operator} {len(values)} {values}", node(matchExpressions=[
            {"key": "a", "operator": operator, "values": values}]))
    yield Change("nodes in, in lower case", node(matchExpressions=[
        {"key": "a", "operator": "in", "values": ["b"]}]))
    yield Change("nodes with a bad key", node(matchExpressions=[{"key": "a b", "operator": "Exists"}]))
    yield Change("no terms", pod(affinity={"nodeAffinity": {
        "requiredDuringSchedulingIgnoredDuringExecution": {"nodeSelectorTerms": []}}}))
    yield Change("a field of nodes", node(matchFields=[
        {"key": "metadata.name", "operator": "In", "values": ["a"]}]))
    yield Change("another field of nodes", node(matchFields=[
        {"key": "metadata.uid", "operator": "In", "values": ["a"]}]))
    for weight in (1, 100, 0, 101):
        yield Change(f"weight {weight}", pod(affinity={"nodeAffinity": {
            "preferredDuringSchedulingIgnoredDuringExecution": [{"weight": weight, "preference": {
                "matchExpressions": [{"key": "a", "operator": "Exists"}]}}]}}))
    yield Change("apart", apart(topologyKey="kubernetes.io/hostname", labelSelector={"matchLabels": {"a": "b"}}))
    yield Change("apart without a key", apart(topologyKey=""))
    yield Change("apart by a bad label", apart(topologyKey="a", labelSelector={"matchLabels": {"a": "b c"}}))
    yield Change("apart in a bad namespace", apart(topologyKey="a", namespaces=["A"]))
    yield Change("spread", spread(minDomains=1))
    yield Change("spread with no skew", spread(maxSkew=0))
    yield Change("spread without a key", spread(topologyKey=""))
    yield Change("spread with no domains", spread(minDomains=0))
    yield Change("spread anyway with domains", spread(whenUnsatisfiable="ScheduleAnyway", minDomains=1))
    yield Change("spread with a policy in lower case", spread(nodeTaintsPolicy="honor"))
    yield Change("spread twice", pod(topologySpreadConstraints=[
        {"maxSkew": each, "topologyKey": "a", "whenUnsatisfiable": "DoNotSchedule"} for each in (1, 2)]))
    yield Change("spread by keys without a selector", spread(matchLabelKeys=["a"]))


def _security():
    for user in (0, 2147483647, -1, 2147483648):
        yield Change(f"user {user}", pod(securityContext={"runAsUser": user}))
        yield Change(f"group {user} of a container", main(securityContext={"runAsGroup": user}))
    for type_, name in (("RuntimeDefault", None), ("Localhost", "a.json"), ("Localhost", None),
                        ("Unconfined", "a.json"), ("runtimedefault", None), ("Localhost", "/a")):
        profile = {"type": type_, **({"localhostProfile": name} if name else {})}
        yield Change(f"seccomp {type_} {name}", main(securityContext={"seccompProfile": profile}))
        if name != "/a":
            yield Change(f"AppArmor {type_} {name}", main(securityContext={"appArmorProfile": profile}))
    yield Change("a profile without a type", pod(securityContext={"seccompProfile": {"type": ""}}))
    yield Change("privileged", main(securityContext={"privileged": True}))
    yield Change("privileged without escalation", main(securityContext={
        "privileged": True, "allowPrivilegeEscalation": False}))
    yield Change("without escalation", main(securityContext={"allowPrivilegeEscalation": False}))
    yield Change("CAP_SYS_ADMIN without escalation", main(securityContext={
        "allowPrivilegeEscalation": False, "capabilities": {"add": ["CAP_SYS_ADMIN"]}}))
    yield Change("SYS_ADMIN without escalation", main(securityContext={
        "allowPrivilegeEscalation": False, "capabilities": {"add": ["SYS_ADMIN"]}}))
    yield Change("root that is not root", main(securityContext={"runAsUser": 0, "runAsNonRoot": True}))
    for sysctl in ("net.core.somaxconn", "net/core/somaxconn", "net..core", "NET.core", ""):
        yield Change(f"the sysctl '{sysctl}'", pod(securityContext={"sysctls": [
            {"name": sysctl, "value": "1"}]}))
    yield Change("a sysctl of the host's network", pod(hostNetwork=True, securityContext={
        "sysctls": [{"name": "net.core.somaxconn", "value": "1"}]}))
    yield Change("a sysctl of the host's IPC", pod(hostIPC=True, securityContext={
        "sysctls": [{"name": "kernel.shmmax", "value": "1"}]}))
    yield Change("host and shared processes", pod(hostPID=True, shareProcessNamespace=True))
    yield Change("host processes", pod(hostPID=True))
    yield Change("users of its own", pod(hostUsers=False))
    yield Change("users of its own and host processes", pod(hostUsers=False, hostPID=True))
    yield Change("users of its own and host network", pod(hostUsers=False, hostNetwork=True))
    yield Change("unmasked", main(securityContext={"procMount": "Unmasked"}))
    yield Change("unmasked with users of its own", {"extraPodSpec": {
        "hostUsers": False, "mainContainer": {"securityContext": {"procMount": "Unmasked"}}}})


def _pods():
    for policy in ("Always", "Never", "OnFailure", "always", "Sometimes"):
        yield Change(f"restart {policy}", pod(restartPolicy=policy))
    yield Change("a deadline", pod(activeDeadlineSeconds=60))
    yield Change("an ephemeral container", pod(ephemeralContainers=[{"name": "a", "image": "i"}]))
    yield Change("a grace period", pod(terminationGracePeriodSeconds=1))
    yield Change("no grace period", pod(terminationGracePeriodSeconds=0))
    yield Change("a negative grace period", pod(terminationGracePeriodSeconds=-1))
    yield Change("a policy for names", pod(dnsPolicy="Default"))
    yield Change("a policy for names in lower case", pod(dnsPolicy="default"))
    yield Change("no servers", pod(dnsPolicy="None"))
    for servers in (["10.0.0.1"], ["10.0.0.1"] * 3, ["10.0.0.1"] * 4, ["dns"], ["::1"], ["10.0.0.256"]):
        yield Change(f"servers {servers}", pod(dnsConfig={"nameservers": servers}))
    for search in ("a.b.", ".", "_a.b", "A.b", "a..b", "a_", "-a"):
        yield Change(f"the search {search}", pod(dnsConfig={"searches": [search]}))
    yield Change("most searches", pod(dnsConfig={"searches": ["a"] * 32}))
    yield Change("too many searches", pod(dnsConfig={"searches": ["a"] * 33}))
    yield Change("longest searches", pod(dnsConfig={"searches": (["a" * 63 + "." + "b" * 63] * 15) + ["c" * 63 + "." + "d" * 49]}))
    yield Change("too long searches", pod(dnsConfig={"searches": ["a" * 63 + "." + "b" * 63] * 17}))
    yield Change("a nameless option", pod(dnsConfig={"options": [{"value": "1"}]}))
    yield Change("an alias", pod(hostAliases=[{"ip": "10.0.0.1", "hostnames": ["a.b"]}]))
    yield Change("an alias of no address", pod(hostAliases=[{"ip": "a", "hostnames": ["a.b"]}]))
    yield Change("a bad alias", pod(hostAliases=[{"ip": "10.0.0.1", "hostnames": ["a_b"]}]))
    for name in ("a", LONGEST, TOO_LONG, "a.b"):
        yield Change(f"host name {name}", pod(hostname=name))
    for name in ("a.b", "A", "a_b"):
        yield Change(f"account {name}", pod(serviceAccountName=name))
        yield Change(f"priority class {name}", pod(priorityClassName=name))
        yield Change(f"runtime class {name}", pod(runtimeClassName=name))
    yield Change("a pull secret", pod(imagePullSecrets=[{"name": "a"}]))
    yield Change("a pull secret without a name", pod(imagePullSecrets=[{}]))
    yield Change("a gate", pod(schedulingGates=[{"name": "a.b/c"}]))
    for name, labels in {"a label": {"a.b/c_d": "E-f.1"}, "a label with the longest value": {"a": LONGEST},
                         "a label with too long a value": {"a": TOO_LONG}, "a label with a bad key": {"a b": "c"},
                         "a label with a bad value": {"a": "b c"},
                         "another selector": {"nvidia.com/selector": "mine"},
                         "another type": {"nvidia.com/dynamo-component-type": "mine"}}.items():
        yield Change(name, {"extraPodMetadata": {"labels": labels}})
    yield Change("an annotation", {"extraPodMetadata": {"annotations": {"A.b/c": "any text"}}})
    yield Change("an annotation with a bad key", {"extraPodMetadata": {"annotations": {"a b": "c"}}})
    yield Change("too many bytes of annotations", {"extraPodMetadata": {"annotations": {
        "a": "x" * 262144}}})


def _words():
    yield Change("an unknown protocol", ports({"containerPort": 1, "protocol": "QUIC"}))
    yield Change("an unknown scheme", {"livenessProbe": {"httpGet": {"port": 1, "scheme": "FTP"}}})
    yield Change("an unknown DNS policy", pod(dnsPolicy="Mine"))
    yield Change("a toleration with an unknown operator", pod(tolerations=[
        {"key": "a", "operator": "Near", "value": "b"}]))
    yield Change("a toleration of an unknown effect", pod(tolerations=[
        {"key": "a", "operator": "Exists", "effect": "Never"}]))
    yield Change("nodes near something", node(matchExpressions=[
        {"key": "a", "operator": "Near", "values": ["b"]}]))
    yield Change("an unknown policy of spread", spread(whenUnsatisfiable="Maybe"))
    yield Change("an unknown seccomp profile", main(securityContext={"seccompProfile": {"type": "Mine"}}))
    yield Change("an unknown pull policy", main(imagePullPolicy="Sometimes"))
    yield Change("an unknown type of path", volume(hostPath={"path": "/a", "type": "Pipe"}))


def differing():
    """Changes with different verdicts, each with its reason."""
    def ours(name, merge, reason):
        return Change(name, merge, reason, "ours")

    def theirs(name, merge, reason):
        return Change(name, merge, reason, "theirs")

    yield ours("an image with a blank", main(image=" a:1"), POD)
    yield ours("an overhead without a class", pod(overhead={"cpu": "1"}), POD)
    yield ours("an amount with a blank behind it", own({"memory": "1Gi "}, {"memory": "1Mi"}), OPERATOR)
    yield ours("an amount that is a point", custom({"ephemeral-storage": "."}), POINT)
    yield theirs("a toleration of what is greater", pod(tolerations=[
        {"key": "a", "operator": "Gt", "value": "5"}]), VERSIONS)
    yield theirs("a divisor that is none", value_from(resourceFieldRef={
        "resource": "limits.cpu", "divisor": "3"}), RARE)
    yield theirs("a gate with a bad name", pod(schedulingGates=[{"name": "a b"}]), RARE)
    yield theirs("a readiness gate with a bad name", pod(readinessGates=[{"conditionType": "a b"}]), RARE)
    yield theirs("two files of one path", pod(
        volumes=[{"name": "v", "projected": {"sources": [
            {"secret": {"name": "s", "items": [{"key": "a", "path": "p"}]}},
            {"configMap": {"name": "c", "items": [{"key": "b", "path": "p"}]}}]}}],
        mainContainer={"volumeMounts": [{"name": "v", "mountPath": "/v"}]}), RARE)
