"""References between the objects of one render, and whether they resolve."""

# Created by the program at run time or by the user: named in values, not rendered.
POD_FIELDS = {"secret": ("Secret", "secretName"), "configMap": ("ConfigMap", "name")}


def named(rendered):
    """{(kind, namespace, name)} of the objects, and of the Secrets that cert-manager creates for them."""
    found = set()
    for each in rendered:
        metadata = each["metadata"]
        found.add((each["kind"], metadata.get("namespace"), metadata["name"]))
        if each["kind"] == "Certificate":
            found.add(("Secret", metadata["namespace"], each["spec"]["secretName"]))
    return found


def pods(rendered):
    """(namespace, labels, pod specification) of each Deployment."""
    for each in rendered:
        if each["kind"] == "Deployment":
            template = each["spec"]["template"]
            yield each["metadata"]["namespace"], template["metadata"]["labels"], template["spec"]


def dangling(rendered, given=()):
    """Dangling references, one per line; `given` has the names of Secrets and ConfigMaps that the user
    creates."""
    there = named(rendered)
    lines = []

    def need(who, kind, namespace, name):
        if (kind, namespace, name) not in there and name not in given:
            lines.append(f"{who}: no {kind} {namespace}/{name}")

    for each in rendered:
        metadata, kind = each["metadata"], each["kind"]
        who = f"{kind} {metadata['name']}"
        namespace = metadata.get("namespace")
        if kind.endswith("Binding") and "roleRef" in each:
            role = each["roleRef"]
            need(who, role["kind"], namespace if role["kind"] == "Role" else None, role["name"])
            for subject in each["subjects"]:
                need(who, subject["kind"], subject["namespace"], subject["name"])
        elif kind == "ValidatingAdmissionPolicyBinding":
            need(who, "ValidatingAdmissionPolicy", None, each["spec"]["policyName"])
        elif kind == "ServiceAccount":
            for secret in each.get("imagePullSecrets", []):
                need(who, "Secret", namespace, secret["name"])
        elif kind == "HorizontalPodAutoscaler":
            target = each["spec"]["scaleTargetRef"]
            need(who, target["kind"], namespace, target["name"])
        elif kind.endswith("WebhookConfiguration"):
            for webhook in each["webhooks"]:
                service = webhook["clientConfig"]["service"]
                need(who, "Service", service["namespace"], service["name"])
        elif kind == "Certificate" and each["spec"]["issuerRef"]["kind"] == "Issuer":
            need(who, "Issuer", namespace, each["spec"]["issuerRef"]["name"])
        elif kind == "Issuer" and "ca" in each["spec"]:
            need(who, "Secret", namespace, each["spec"]["ca"]["secretName"])
    for namespace, _, pod in pods(rendered):
        need("a pod", "ServiceAccount", namespace, pod["serviceAccountName"])
        for secret in pod.get("imagePullSecrets", []):
            need("a pod", "Secret", namespace, secret["name"])
        for volume in pod.get("volumes", []):
            for field, (kind, key) in POD_FIELDS.items():
                if field in volume:
                    need("a pod", kind, namespace, volume[field][key])
        for container in pod["containers"]:
            volumes = {volume["name"] for volume in pod.get("volumes", [])}
            lines += [f"a pod: no volume {mount['name']}" for mount in container.get("volumeMounts", [])
                      if mount["name"] not in volumes]
            for source in container.get("envFrom", []):
                need("a pod", "Secret", namespace, source["secretRef"]["name"])
    return lines + _selections(rendered)


def _matches(selector, labels):
    wanted = selector.get("matchLabels", selector if "matchExpressions" not in selector else {})
    return bool(wanted) and all(labels.get(key) == value for key, value in wanted.items())


def _selections(rendered):
    """Selectors without a match, and ports that the selected pods do not have."""
    lines = []
    all_pods = list(pods(rendered))
    services = [each for each in rendered if each["kind"] == "Service"]

    def selected(who, namespace, selector):
        found = [(labels, pod) for at, labels, pod in all_pods
                 if at == namespace and _matches(selector, labels)]
        if not found:
            lines.append(f"{who}: selects no pod")
        return [port["name"] for _, pod in found for each in pod["containers"] for port in each["ports"]]

    for each in rendered:
        kind, metadata, spec = each["kind"], each["metadata"], each.get("spec", {})
        who = f"{kind} {metadata['name']}"
        wanted, ports = [], None
        if kind == "Service":
            ports = selected(who, metadata["namespace"], spec["selector"])
            wanted = [port["targetPort"] for port in spec["ports"]]
        elif kind == "PodDisruptionBudget":
            selected(who, metadata["namespace"], spec["selector"])
        elif kind == "NetworkPolicy":
            ports = selected(who, metadata["namespace"], spec["podSelector"])
            wanted = [port["port"] for rule in spec["ingress"] for port in rule["ports"]]
        elif kind == "ServiceMonitor":
            found = [service for service in services
                     if _matches(spec["selector"], service["metadata"]["labels"])]
            if len(found) != 1:
                lines.append(f"{who}: selects {len(found)} Services")
            ports = [port["name"] for service in found for port in service["spec"]["ports"]]
            wanted = [endpoint["port"] for endpoint in spec["endpoints"]]
        elif kind == "Deployment":
            if not _matches(spec["selector"], spec["template"]["metadata"]["labels"]):
                lines.append(f"{who}: does not select its own pods")
            for container in spec["template"]["spec"]["containers"]:
                names = [port["name"] for port in container["ports"]]
                for probe in ("livenessProbe", "readinessProbe"):
                    if container[probe]["httpGet"]["port"] not in names:
                        lines.append(f"{who}: {probe} has no port")
        if ports is not None:
            lines += [f"{who}: no port {port}" for port in wanted if port not in ports]
    return lines
