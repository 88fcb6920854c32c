"""Starts and stops the node: etcd, the control plane, containerd, the kubelet, kube-proxy, DNS and a registry."""

import shutil
import subprocess
from collections.abc import Iterator
from pathlib import Path

from tests.node import certificates, cgroup, configuration, daemon, network
from tests.node.images import IMAGES
from tests.node.layout import (
    API,
    CLUSTER_DNS,
    CONTAINERD,
    FOLDER,
    KEYS,
    KUBECONFIG,
    LOGS,
    MARK,
    NODE,
    NODE_IP,
    RUN,
    SERVICES,
)
from tests.node.programs import path
from tests.programs import Missing

_FOLDERS = (LOGS, RUN, KEYS, FOLDER / "etcd", FOLDER / "kubelet")
_PODS_FIRST = ("kube-proxy", "kubelet", "kube-scheduler", "kube-controller-manager")
"""They stop before the Pods, which they would start again."""


def prepare() -> None:
    """Create the folders of a new node; raise Missing if there are files of others."""
    if FOLDER.exists() and any(FOLDER.iterdir()):
        message = f"{FOLDER} is not empty and not of a node: set NODE_DIR to a folder that make cluster may delete"
        raise Missing(message)
    for folder in _FOLDERS:
        folder.mkdir(parents=True, exist_ok=True)
    FOLDER.chmod(0o700)  # it has keys
    MARK.touch()


def start() -> None:
    """Start the node, and wait until its DNS serves; raise Late."""
    certificates.create()
    configuration.write()
    network.create()
    network.raise_sysctls()
    _start_control_plane()
    _start_kubelet()
    _start_dns()


def _start_control_plane() -> None:
    daemon.start("etcd", [path("etcd"), f"--data-dir={FOLDER}/etcd", "--unsafe-no-fsync"])
    for name in ("registry", "private"):
        daemon.start(name, [path("registry"), "serve", FOLDER / f"{name}.yaml"])
    daemon.start("names", [path("coredns"), "-conf", FOLDER / "names"])
    daemon.start("kube-apiserver", [path("kube-apiserver"), *_apiserver()])
    daemon.wait_for("the API server", lambda: _succeeds("get", "--raw=/readyz"))
    daemon.start("kube-controller-manager", [path("kube-controller-manager"), *_controller_manager()])
    daemon.start("kube-scheduler", [path("kube-scheduler"), *_as_user("scheduler")])


def _start_kubelet() -> None:
    _share_mounts(FOLDER / "kubelet")
    daemon.start("containerd", [path("containerd"), f"--config={FOLDER}/containerd.toml"])
    daemon.wait_for("containerd", lambda: _ctr("version").returncode == 0)
    for image in IMAGES.glob("*.tar"):
        _ctr("images", "import", str(image)).check_returncode()
    kubeconfig = certificates.kubeconfig("kubelet")
    options = [f"--config={FOLDER}/kubelet.yaml", f"--kubeconfig={kubeconfig}", f"--root-dir={FOLDER}/kubelet"]
    daemon.start("kubelet", [path("kubelet"), *options, f"--hostname-override={NODE}", f"--node-ip={NODE_IP}"])
    daemon.start("kube-proxy", [path("kube-proxy"), f"--config={FOLDER}/proxy.yaml"])
    daemon.wait_for("the node", lambda: _succeeds("wait", "--for=condition=Ready", f"node/{NODE}", "--timeout=5s"))


def _start_dns() -> None:
    text = (Path(__file__).parent / "coredns.yaml").read_text().replace("CLUSTER_DNS", CLUSTER_DNS)
    _kubectl("apply", "-f", "-", text=text).check_returncode()
    rollout = ("rollout", "status", "deployment/coredns", "--namespace=kube-system", "--timeout=5s")
    daemon.wait_for("the DNS of the cluster", lambda: _succeeds(*rollout))


def _apiserver() -> list[str]:
    return [
        "--etcd-servers=http://127.0.0.1:2379",
        f"--advertise-address={NODE_IP}",
        "--bind-address=0.0.0.0",
        f"--client-ca-file={KEYS}/ca.crt",
        f"--tls-cert-file={KEYS}/apiserver.crt",
        f"--tls-private-key-file={KEYS}/apiserver.key",
        f"--kubelet-client-certificate={KEYS}/apiserver-kubelet.crt",
        f"--kubelet-client-key={KEYS}/apiserver-kubelet.key",
        "--kubelet-preferred-address-types=InternalIP",
        f"--service-cluster-ip-range={SERVICES}",
        "--authorization-mode=Node,RBAC",
        "--enable-admission-plugins=NodeRestriction",
        "--service-account-issuer=https://kubernetes.default.svc.cluster.local",
        f"--service-account-key-file={KEYS}/sa.pub",
        f"--service-account-signing-key-file={KEYS}/sa.key",
        "--allow-privileged",
        f"--audit-policy-file={FOLDER}/audit.yaml",
        f"--audit-log-path={LOGS}/audit.log",
    ]


def _controller_manager() -> list[str]:
    key = f"--service-account-private-key-file={KEYS}/sa.key"
    return [*_as_user("controller-manager"), "--use-service-account-credentials", key, f"--root-ca-file={KEYS}/ca.crt"]


def _as_user(user: str) -> list[str]:
    options = ("kubeconfig", "authentication-kubeconfig", "authorization-kubeconfig")
    files = [f"--{option}={certificates.kubeconfig(user)}" for option in options]
    return [*files, "--leader-elect=false", "--bind-address=127.0.0.1"]


def stop() -> None:
    """Stop what runs of the node, restore the machine, and delete the folder of the node, if there is one."""
    if not MARK.exists():
        return
    if RUN.exists():
        up = daemon.running()
        daemon.stop([name for name in up if name in _PODS_FIRST])
        if CONTAINERD.exists():
            _stop_containers()
        daemon.stop([name for name in up if name not in _PODS_FIRST])
    _unmount()
    network.remove()
    cgroup.remove_empty()
    network.restore_sysctls()
    shutil.rmtree(FOLDER, ignore_errors=True)


def _stop_containers() -> None:
    for what, options in (("tasks", ["--force"]), ("containers", [])):
        for name in _ctr(what, "ls", "-q").stdout.split():
            _ctr(what, "rm", *options, name)


def _unmount() -> None:
    for mounted in sorted(_mounts(), reverse=True):
        subprocess.run([path("umount"), "--lazy", mounted], check=False)


def _mounts() -> Iterator[str]:
    for line in Path("/proc/mounts").read_text().splitlines():
        where = line.split()[1]
        if where.startswith(f"{FOLDER}/"):
            yield where


def _share_mounts(folder: Path) -> None:
    """Let the mounts of the kubelet's volumes reach the containers."""
    subprocess.run([path("mount"), "--bind", folder, folder], check=True)
    subprocess.run([path("mount"), "--make-rshared", folder], check=True)


def _succeeds(*arguments: str) -> bool:
    return _kubectl(*arguments).returncode == 0


def _kubectl(*arguments: str, text: str = "") -> subprocess.CompletedProcess[str]:
    command = [str(path("kubectl")), f"--kubeconfig={KUBECONFIG}", f"--server={API}", *arguments]
    return subprocess.run(command, input=text, text=True, capture_output=True, check=False)


def _ctr(*arguments: str) -> subprocess.CompletedProcess[str]:
    command = [str(path("ctr")), f"--address={CONTAINERD}", "--namespace=k8s.io", *arguments]
    return subprocess.run(command, text=True, capture_output=True, check=False)
