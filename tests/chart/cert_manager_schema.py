"""JSON schemas of cert-manager's kinds that allow only the fields that the chart uses.

Written from the CRDs of cert-manager 1.21, so that a typing mistake is found without them.
"""

from tests.chart.controller_schema import TEXT, Json, closed

DURATION: Json = {"type": "string", "pattern": "^[1-9][0-9]*h$"}

_METADATA = closed(["name", "namespace", "labels"], name=TEXT, namespace=TEXT, labels={"type": "object"})
_ISSUER_REF = closed(["name"], name=TEXT, kind={"enum": ["Issuer", "ClusterIssuer"]}, group=TEXT)
_USAGES = {"enum": ["digital signature", "key encipherment", "server auth", "client auth"]}


def _kind(kind: str, spec: Json) -> Json:
    return closed(
        ["apiVersion", "kind", "metadata", "spec"],
        apiVersion={"const": "cert-manager.io/v1"},
        kind={"const": kind},
        metadata=_METADATA,
        spec=spec,
    )


CERTIFICATE = _kind(
    "Certificate",
    closed(
        ["secretName", "issuerRef", "privateKey"],
        secretName=TEXT,
        issuerRef=_ISSUER_REF,
        commonName={**TEXT, "maxLength": 64},
        dnsNames={"type": "array", "minItems": 1, "items": TEXT},
        duration=DURATION,
        isCA={"const": True},
        usages={"type": "array", "items": _USAGES},
        privateKey=closed(
            ["algorithm", "size", "rotationPolicy"],
            algorithm={"enum": ["ECDSA"]},
            size={"enum": [256, 384, 521]},
            rotationPolicy={"enum": ["Always", "Never"]},
        ),
    ),
)

ISSUER = _kind(
    "Issuer",
    {
        "oneOf": [
            closed(["selfSigned"], selfSigned=closed([])),
            closed(["ca"], ca=closed(["secretName"], secretName=TEXT)),
        ]
    },
)
