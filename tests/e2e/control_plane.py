"""The control plane of these tests: Metacontroller has the role of metacontroller/, and there is an audit log."""

import json
from pathlib import Path

from metahook.envtest.binaries import Binaries
from metahook.envtest.control_plane import ControlPlane

METACONTROLLER = "system:serviceaccount:metacontroller:metacontroller"
"""The ServiceAccount that metacontroller/clusterrolebinding-metacontroller.yaml binds the role to."""

USERS = {METACONTROLLER: ("system:serviceaccounts", "system:serviceaccounts:metacontroller")}
"""The groups of the users besides the administrators."""

_AUDITED = [
    {"group": "mygroup.example.com"},
    {"group": "apps", "resources": ["deployments", "deployments/status", "deployments/scale"]},
    {"group": "", "resources": ["services", "services/status"]},
    {"group": "policy", "resources": ["poddisruptionbudgets", "poddisruptionbudgets/status"]},
    {"group": "autoscaling", "resources": ["horizontalpodautoscalers", "horizontalpodautoscalers/status"]},
    {"group": "networking.k8s.io", "resources": ["ingresses"]},
    {"group": "gateway.networking.k8s.io", "resources": ["httproutes"]},
]
_AUDIT = {
    "apiVersion": "audit.k8s.io/v1",
    "kind": "Policy",
    "omitStages": ["RequestReceived"],
    "omitManagedFields": True,
    "rules": [
        {"level": "RequestResponse", "verbs": ["create", "update", "patch", "delete"], "resources": _AUDITED},
        {"level": "Metadata", "users": [METACONTROLLER]},
        {"level": "None"},
    ],
}


def audited_control_plane(binaries: Binaries, folder: Path, audit_log: Path) -> ControlPlane:
    """Return a control plane with its files in *folder* that writes *audit_log*."""
    policy = folder / "audit.json"
    policy.write_text(json.dumps(_AUDIT))
    options = (
        f"--audit-policy-file={policy}",
        f"--audit-log-path={audit_log}",
        "--audit-log-maxsize=4000",  # the tests read it as one file
    )
    return ControlPlane(binaries, folder, USERS, options)
