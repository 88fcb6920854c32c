"""The CA of the node, its certificates, and the kubeconfigs that use them."""

import json
import subprocess
from collections.abc import Sequence
from pathlib import Path

from tests.node.layout import API, CONTEXT, FIRST_SERVICE, FOLDER, KEYS, NODE, NODE_IP, PRIVATE, REGISTRIES
from tests.node.programs import path

USERS = {
    "admin": "/O=system:masters/CN=admin",
    "controller-manager": "/CN=system:kube-controller-manager",
    "scheduler": "/CN=system:kube-scheduler",
    "proxy": "/CN=system:kube-proxy",
    "kubelet": f"/O=system:nodes/CN=system:node:{NODE}",
}
"""The subjects of those who have a kubeconfig."""

_API_NAMES = ("localhost", "kubernetes", "kubernetes.default", "kubernetes.default.svc")


def create() -> None:
    """Create everything that is missing."""
    _openssl("req -x509 -newkey rsa:2048 -nodes -days 365 -subj /CN=node-ca -keyout ca.key -out ca.crt")
    _certificate("apiserver", "/CN=kube-apiserver", names=_API_NAMES, ips=(NODE_IP, FIRST_SERVICE, "127.0.0.1"))
    _certificate("apiserver-kubelet", "/O=system:masters/CN=apiserver-kubelet")
    _certificate("registry", "/CN=registry", names=(*REGISTRIES, PRIVATE), ips=(NODE_IP,))
    _certificate("kubelet-server", f"/CN={NODE}", names=(NODE,), ips=(NODE_IP,))
    for user, subject in USERS.items():
        _certificate(user, subject)
        _write_private(FOLDER / f"{user}.conf", json.dumps(_kubeconfig(user)))
    _openssl("genrsa -out sa.key 2048")
    _openssl("rsa -in sa.key -pubout -out sa.pub")


def kubeconfig(user: str) -> Path:
    """Return the path of the kubeconfig of *user*."""
    return FOLDER / f"{user}.conf"


def _certificate(name: str, subject: str, *, names: Sequence[str] = (), ips: Sequence[str] = ()) -> None:
    alternatives = ",".join([*(f"DNS:{each}" for each in names), *(f"IP:{each}" for each in ips)])
    extensions = ["extendedKeyUsage=clientAuth,serverAuth"] + [f"subjectAltName={alternatives}"] * bool(alternatives)
    (KEYS / f"{name}.ext").write_text("\n".join(extensions))
    _openssl(f"req -newkey rsa:2048 -nodes -keyout {name}.key -subj {subject} -out {name}.csr")
    sign = f"x509 -req -in {name}.csr -CA ca.crt -CAkey ca.key -CAcreateserial"
    _openssl(f"{sign} -days 365 -out {name}.crt -extfile {name}.ext")


def _openssl(arguments: str) -> None:
    subprocess.run([path("openssl"), *arguments.split()], cwd=KEYS, check=True, capture_output=True)


def _kubeconfig(user: str) -> object:
    files = {"client-certificate": str(KEYS / f"{user}.crt"), "client-key": str(KEYS / f"{user}.key")}
    return {
        "apiVersion": "v1",
        "kind": "Config",
        "clusters": [{"name": "node", "cluster": {"server": API, "certificate-authority": str(KEYS / "ca.crt")}}],
        "users": [{"name": user, "user": files}],
        "contexts": [{"name": CONTEXT, "context": {"cluster": "node", "user": user}}],
        "current-context": CONTEXT,
    }


def _write_private(file: Path, text: str) -> None:
    file.touch(mode=0o600)
    file.write_text(text)
