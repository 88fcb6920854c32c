"""The patches that put a recorder in front of the hook in a cluster."""

from typing import Any

import yaml

from tests.docs.documents import ROOT

Json = dict[str, Any]

CLIENT_CA = "--tls-client-ca=/etc/myresource/tls/ca.crt"
TLS: Json = {"mode": "certManager", "token": {"secretName": "hook-token"}}
MUTUAL: Json = {"tls": {**TLS, "clientCertificate": {"names": ["metacontroller"]}}}
TOKEN_ALONE: Json = {"tls": {**TLS, "clientCertificate": {"enabled": False}}}
VALUES: dict[str, Json] = {"plain": {}, "mutual TLS and a token": MUTUAL, "a token alone": TOKEN_ALONE}


def patch(values: Json, image: str = "hook:1") -> Json:
    """Return the patch that docs/clusters/record.md gives for a chart with *values*."""
    name = "record-tls-patch.yaml" if values else "record-patch.yaml"
    found: Json = yaml.safe_load((ROOT / "examples/recordings" / name).read_text().replace("IMAGE", image))
    recorder = found["spec"]["template"]["spec"]["containers"][1]
    if values is TOKEN_ALONE:
        recorder["args"].remove(CLIENT_CA)
    return found
