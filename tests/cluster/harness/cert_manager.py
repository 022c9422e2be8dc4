"""Simulates cert-manager in the test cluster: its definitions, as strict as for the fields that
the chart uses, and its work on demand: issues certificates into Secrets, and injects CAs by
annotation."""

import base64

from .certificates import Authority
from .managed import CONFIGURATIONS

GROUP = "cert-manager.io"
INJECT = f"{GROUP}/inject-ca-from"
DURATION = {"type": "string", "pattern": r"^([0-9]+(\.[0-9]+)?(ns|us|ms|s|m|h))+$"}
NAME = {"type": "string", "minLength": 1, "maxLength": 253}


def _object(required, **properties):
    return {"type": "object", "required": list(required), "properties": properties}


def _one_of(*words):
    return {"type": "string", "enum": list(words)}


CERTIFICATE = _object(
    ("secretName", "issuerRef"),
    secretName=NAME, commonName={"type": "string", "maxLength": 64}, isCA={"type": "boolean"},
    duration=DURATION, renewBefore=DURATION, dnsNames={"type": "array", "items": NAME},
    usages={"type": "array", "items": _one_of("digital signature", "key encipherment", "server auth", "client auth")},
    privateKey=_object((), algorithm=_one_of("RSA", "ECDSA", "Ed25519"), size={"type": "integer"},
                       rotationPolicy=_one_of("Never", "Always")),
    issuerRef=_object(("name",), name=NAME, kind={"type": "string"}, group={"type": "string"}))
ISSUER = _object((), selfSigned=_object(()), ca=_object(("secretName",), secretName=NAME))
KINDS = (("Certificate", "Namespaced", CERTIFICATE), ("Issuer", "Namespaced", ISSUER), ("ClusterIssuer", "Cluster", ISSUER))


def _definition(kind, scope, spec):
    plural = f"{kind.lower()}s"
    schema = _object(("spec",), apiVersion={"type": "string"}, kind={"type": "string"}, metadata={"type": "object"},
                     spec=spec)
    return {"apiVersion": "apiextensions.k8s.io/v1", "kind": "CustomResourceDefinition",
            "metadata": {"name": f"{plural}.{GROUP}"},
            "spec": {"group": GROUP, "scope": scope,
                     "names": {"kind": kind, "plural": plural, "singular": kind.lower()},
                     "versions": [{"name": "v1", "served": True, "storage": True,
                                   "schema": {"openAPIV3Schema": schema}}]}}


class CertManager:
    """The definitions exist from the start until remove()."""

    def __init__(self, admin, directory):
        self._admin, self._directory = admin, directory
        self._authorities = {}  # by the Secret or ClusterIssuer that holds them
        items = [_definition(*each) for each in KINDS]
        admin.must("apply", "--filename", "-", stdin={"apiVersion": "v1", "kind": "List", "items": items})
        admin.until_established(*(each["metadata"]["name"] for each in items))

    def remove(self):
        self._admin.run("delete", "--ignore-not-found", "--timeout", "20s",
                        *(f"crd/{_definition(*each)['metadata']['name']}" for each in KINDS))

    def reconcile(self, namespace):
        """Issues or renews every Certificate of the namespace, CAs first, and injects."""
        found = self._admin.within(namespace).get(f"certificates.{GROUP}")["items"]
        for each in sorted(found, key=lambda one: not one["spec"].get("isCA", False)):
            authority = self._issue(namespace, each["metadata"]["name"], each["spec"])
            self._inject(f"{namespace}/{each['metadata']['name']}", authority.certificate.read_bytes())

    def _issue(self, namespace, name, spec):
        directory = self._directory / f"{namespace}-{name}"
        if spec.get("isCA"):
            issuer = self._issuer(namespace, spec["issuerRef"])
            if "selfSigned" not in issuer["spec"]:
                raise AssertionError(f"{name}: a CA must be signed by itself here")
            key = (namespace, spec["secretName"])
            if key not in self._authorities:
                self._authorities[key] = Authority(directory, spec["commonName"])
            authority = self._authorities[key]
            files = authority.certificate, directory / "ca.key"
        else:
            authority = self._authority(namespace, spec["issuerRef"])
            names = ",".join(f"DNS:{each}" for each in spec["dnsNames"])
            files = authority.issue("/CN=webhook", f"{name}.crt", f"{name}.key", "serverAuth", names)
        certificate, key = (path.read_bytes() for path in files)
        data = {"tls.crt": certificate, "tls.key": key, "ca.crt": authority.certificate.read_bytes()}
        self._admin.within(namespace).must("apply", "--filename", "-", stdin={
            "apiVersion": "v1", "kind": "Secret", "type": "kubernetes.io/tls", "metadata": {"name": spec["secretName"]},
            "data": {name: base64.b64encode(content).decode() for name, content in data.items()}})
        return authority

    def _issuer(self, namespace, reference):
        kind = reference.get("kind", "Issuer").lower() + "s"
        return self._admin.within(namespace).get(f"{kind}.{reference.get('group', GROUP)}", reference["name"])

    def _authority(self, namespace, reference):
        issuer = self._issuer(namespace, reference)
        if issuer["kind"] == "Issuer":
            return self._authorities[namespace, issuer["spec"]["ca"]["secretName"]]
        key = ("", reference["name"])
        if key not in self._authorities:
            self._authorities[key] = Authority(self._directory / f"cluster-{reference['name']}", reference["name"])
        return self._authorities[key]

    def _inject(self, certificate, authority):
        for kind in CONFIGURATIONS:
            for each in self._admin.get(kind)["items"]:
                if each["metadata"].get("annotations", {}).get(INJECT) != certificate:
                    continue
                for webhook in each["webhooks"]:
                    webhook["clientConfig"]["caBundle"] = base64.b64encode(authority).decode()
                self._admin.must("replace", "--filename", "-", stdin=each)
