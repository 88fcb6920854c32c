"""TLS with client certificates, and a token: what the hook and Metacontroller each need for them."""

import base64
from pathlib import Path

from metahook.envtest.client import Client
from metahook.simulator.objects import Json
from tests.e2e.installed import controller
from toolkit.served.tls import Pki, write_pair

TOKEN = "a-token-of-metacontroller"  # noqa: S105 - of a test
CERTIFICATE, CALLER = "metacontroller-certificate", "metacontroller-token"
"""Secrets of Metacontroller."""


class Protection:
    """Certificates of one CA, and a token; *folder* has the hook's files."""

    def __init__(self, folder: Path) -> None:
        folder.mkdir()
        self._pki = Pki(folder)
        self._tokens = folder / "token"
        self._tokens.write_text(TOKEN)
        client = folder / "client.crt", folder / "client.key"
        write_pair(self._pki.ca.issue_cert("metacontroller@example.com"), *client)
        self._client = dict(zip(("tls.crt", "tls.key"), (file.read_bytes() for file in client), strict=True))

    @property
    def options(self) -> list[str]:
        """The options of the hook."""
        pki = self._pki
        tls = [f"--tls-cert={pki.cert}", f"--tls-key={pki.key}", f"--tls-client-ca={pki.client_ca}"]
        return [*tls, f"--tokens={self._tokens}"]

    def install(self, client: Client) -> None:
        """Create the Secrets of Metacontroller."""
        for name, data in ((CERTIFICATE, self._client), (CALLER, {"token": TOKEN.encode()})):
            encoded = {key: base64.b64encode(value).decode() for key, value in data.items()}
            metadata = {"name": name, "namespace": "default"}
            client.apply({"apiVersion": "v1", "kind": "Secret", "metadata": metadata, "data": encoded})

    def controller(self, address: str) -> Json:
        """Return the CompositeController for the hook at *address*."""
        item = controller(f"https://{address}")
        certificate, token = ({"name": name, "namespace": "default"} for name in (CERTIFICATE, CALLER))
        config = {
            "host": address,
            "caBundle": {"inline": self._pki.client_ca.read_text()},
            "clientTLS": {"secretRef": certificate},
            "authorization": {"secretRef": {**token, "key": "token"}},
        }
        return {**item, "spec": {**item["spec"], "endpointConfigs": [config]}}
