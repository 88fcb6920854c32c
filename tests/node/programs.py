"""The programs that a node needs, and where they are looked up."""

import os
import shutil
from pathlib import Path

from metahook.envtest.binaries import assets
from tests.programs import Missing

CHART = "metacontroller-helm-4.17.2.tgz"
"""Metacontroller's chart, as ``helm pull`` stores it."""

KUBERNETES = (
    *("etcd", "kube-apiserver", "kube-controller-manager", "kube-scheduler", "kube-proxy", "kubelet", "kubectl"),
    "metacontroller",
)
NODE = ("coredns", "registry", CHART)
CNI = ("bridge", "host-local", "loopback", "portmap")
SYSTEM = (
    *("containerd", "ctr", "runc", "buildah", "helm", "ip", "nsenter", "nft", "iptables", "conntrack", "openssl"),
    *("busybox", "mount", "umount", "sysctl"),
)
_CNI_FOLDERS = ("/opt/cni/bin", "/usr/lib/cni")


def node_folder() -> Path:
    """Return the folder of the programs that no package has: that of ``NODE_BIN``, or that of the control plane's."""
    return Path(os.environ.get("NODE_BIN") or assets())


def cni_folder() -> Path:
    """Return the folder of the CNI plugins: that of ``CNI_BIN``, or the first of the usual ones that exists."""
    named = os.environ.get("CNI_BIN")
    folders = [Path(folder) for folder in ([named] if named else _CNI_FOLDERS)]
    return next((folder for folder in folders if (folder / CNI[0]).exists()), folders[-1])


def find(name: str) -> Path | None:
    """Return the path of a program or of Metacontroller's chart, or None."""
    if name == "metacontroller" and "METACONTROLLER_BIN" in os.environ:
        return _existing(Path(os.environ["METACONTROLLER_BIN"]))
    if name in CNI:
        return _existing(cni_folder() / name)
    folders = {**dict.fromkeys(KUBERNETES, assets()), **dict.fromkeys(NODE, node_folder())}
    found = _existing(folders[name] / name) if name in folders else None
    on_path = shutil.which(name)
    return found or (Path(on_path) if on_path else None)


def _existing(path: Path) -> Path | None:
    return path if path.is_file() else None


def path(name: str) -> Path:
    """Return the path of a program; raise Missing."""
    found = find(name)
    if found is None:
        raise Missing(_message([name]))
    return found


def require() -> None:
    """Raise Missing if a program is missing, or the user is not root."""
    missing = [name for name in (*KUBERNETES, *NODE, *CNI, *SYSTEM) if find(name) is None]
    if missing:
        raise Missing(_message(missing))
    if os.geteuid() != 0:
        message = "a node needs root, because it runs containers and has a network of its own: run make cluster as root"
        raise Missing(message)


def _message(names: list[str]) -> str:
    return f"not found: {', '.join(names)}; docs/testing.md says where to get them and where they are looked up"
