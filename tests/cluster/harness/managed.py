"""Servers that manage their own certificates, behind a Service as in a cluster."""

import base64
import re
import socket
import ssl

from . import certificates, webhook
from .connection import ACCOUNT

SERVICE = "dynamo-webhook"
SECRET = "dynamo-webhook-cert"
LABEL = "nvidia.com/dynamo-webhook-inject-ca"
ROTATE = "nvidia.com/dynamo-webhook-rotate"
RIGHTS = ("cluster_wide.yaml", "managed_certificates.yaml")
CONFIGURATIONS = ("validatingwebhookconfiguration", "mutatingwebhookconfiguration")


class Installation:
    """The objects that a chart would create for servers in a namespace: the Service and both
    configurations, without a caBundle, which `account` may patch. They apply to the namespaces
    whose webhook.VALIDATED_BY label names this server."""

    def __init__(self, kubectl, namespace, validator, port, account=ACCOUNT):
        self.namespace = namespace
        self.validator = validator
        self.host = f"{SERVICE}.{namespace}.svc"  # the host name that API servers call
        self._admin = kubectl
        self._kubectl = kubectl.within(namespace)
        self._port = port
        # Service addresses are not routed here; the API server resolves an external name itself.
        self._kubectl.must("create", "service", "externalname", SERVICE,
                           "--external-name", "localhost")
        self.allow("configurations", "validatingwebhookconfigurations,mutatingwebhookconfigurations", validator, account)
        self.configure()

    def allow(self, name, resources, resource_name, account=ACCOUNT):
        """Lets the servers write the object of this name, in addition to those in deploy/rbac."""
        role = f"{name}-{self.validator}"
        self._admin.must("create", "clusterrole", role, "--verb", "patch", "--resource", resources,
                         "--resource-name", resource_name)
        self._admin.must("create", "clusterrolebinding", role, "--clusterrole", role,
                         "--serviceaccount", f"{self.namespace}:{account}")

    def configure(self):
        """Recreates the configurations."""
        items = webhook.configurations(self._port, None, validator=self.validator)
        for configuration in items["items"]:
            configuration["metadata"]["labels"] = {LABEL: "true"}
            for each in configuration["webhooks"]:
                path = each["clientConfig"]["url"].partition(f":{self._port}")[2]
                each["clientConfig"] = {"service": {
                    "namespace": self.namespace, "name": SERVICE, "port": self._port, "path": path}}
        self._admin.must("create", "--filename", "-", stdin=items)

    def remove(self):
        for each in CONFIGURATIONS:
            self._admin.run("delete", each, self.validator)

    def flags(self):
        return ("--cert-mode", "managed", "--namespace", self.namespace)

    def secret(self):
        """The Secret's data as text, or None if the Secret does not exist."""
        found = self._kubectl.run("get", "secret", SECRET, "--output", "json")
        if not found.ok:
            return None
        return {key: base64.b64decode(value).decode(errors="replace")
                for key, value in found.json().get("data", {}).items()}

    def write_secret(self, data):
        """Overwrites these keys of the Secret."""
        encoded = {key: base64.b64encode(value.encode()).decode() for key, value in data.items()}
        self._kubectl.must("patch", "secret", SECRET, "--type", "merge",
                           "--patch-file", "/dev/stdin", stdin={"data": encoded})

    def delete_secret(self):
        self._kubectl.must("delete", "secret", SECRET)

    def ask_for_rotation(self, what):
        self._kubectl.must("annotate", "secret", SECRET, f"{ROTATE}={what}")

    def bundles(self):
        """The caBundle of each webhook that calls the Service, as text; "" for none."""
        found = []
        for kind in CONFIGURATIONS:
            for each in self._admin.get(kind, self.validator)["webhooks"]:
                encoded = each["clientConfig"].get("caBundle", "")
                found.append(base64.b64decode(encoded).decode())
        return found

    def is_whole(self, servers):
        """Whether the Secret is complete and consistent, and every caBundle verifies the certificate
        that every one of these servers presents, which is the Secret's leaf."""
        secret = self.secret()
        if not secret or not {"ca.crt", "ca.key", "tls.crt", "tls.key"} <= set(secret):
            return False
        leaf = pem_blocks(secret["tls.crt"])[:1]
        if not leaf or not certificates.verifies(secret["ca.crt"], leaf[0], self.host):
            return False
        if any(served(facts) != leaf[0] for facts in servers):
            return False
        return all(bundle and certificates.verifies(bundle, leaf[0], self.host)
                   for bundle in set(self.bundles()))


def pem_blocks(text):
    """The certificates in a PEM text, normalized."""
    found = re.findall("-----BEGIN CERTIFICATE-----.*?-----END CERTIFICATE-----\n?", text, re.S)
    return [each.strip() + "\n" for each in found]


def served(facts):
    """The certificate, as PEM text, that the server of `facts` presents on new connections."""
    unchecked = ssl.SSLContext(ssl.PROTOCOL_TLS_CLIENT)
    unchecked.check_hostname = False
    unchecked.verify_mode = ssl.CERT_NONE
    with socket.create_connection(("127.0.0.1", facts["port"]), 5) as plain:
        with unchecked.wrap_socket(plain) as tls:
            pem = ssl.DER_cert_to_PEM_cert(tls.getpeercert(binary_form=True))
    return pem_blocks(pem)[0]
