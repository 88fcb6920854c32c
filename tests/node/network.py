"""The network namespace of the node, and the sysctls of the machine that its processes change."""

import shutil
import subprocess
from contextlib import suppress
from pathlib import Path

from tests.node.layout import FOLDER, HOST_IP, LINK, NAMESPACE, NODE_IP

_RESOLVER = Path("/etc/netns") / NAMESPACE
"""``ip netns exec`` replaces files of /etc by those in this folder."""
_SYSCTLS = (
    *("vm.overcommit_memory", "vm.panic_on_oom", "kernel.panic", "kernel.panic_on_oops"),
    "fs.inotify.max_user_instances",
)
_BEFORE = FOLDER / "sysctls"


def create() -> None:
    """Create the namespace, with a link to the machine and no route out of it."""
    for arguments in (
        f"netns add {NAMESPACE}",
        f"link add {LINK} type veth peer name eth0 netns {NAMESPACE}",
        f"addr add {HOST_IP}/24 dev {LINK}",
        f"link set {LINK} up",
        f"-n {NAMESPACE} link set lo up",
        f"-n {NAMESPACE} addr add {NODE_IP}/24 dev eth0",
        f"-n {NAMESPACE} link set eth0 up",
        f"-n {NAMESPACE} route add default via {HOST_IP}",  # the machine forwards nothing: this spares other errors
    ):
        _run("ip", *arguments.split())
    inside = ["nsenter", f"--net=/run/netns/{NAMESPACE}"]
    _run(*inside, "sysctl", "-qw", "net.ipv4.ip_forward=1", "net.bridge.bridge-nf-call-iptables=1")
    _run(*inside, "iptables", "-P", "FORWARD", "ACCEPT")
    _RESOLVER.mkdir(parents=True, exist_ok=True)
    shutil.copy(FOLDER / "resolv.conf", _RESOLVER)


def remove() -> None:
    """Remove what is there of it."""
    _run("ip", "netns", "del", NAMESPACE, check=False)
    _run("ip", "link", "del", LINK, check=False)
    shutil.rmtree(_RESOLVER, ignore_errors=True)
    with suppress(OSError):  # it is not empty, or there is none
        _RESOLVER.parent.rmdir()


def raise_sysctls() -> None:
    """Store the values that the kubelet changes, and raise the number of watched files, which many kubelets need."""
    _BEFORE.write_bytes(_run("sysctl", *_SYSCTLS))
    if int(_run("sysctl", "-n", _SYSCTLS[-1])) < 1024:
        _run("sysctl", "-qw", f"{_SYSCTLS[-1]}=1024")


def restore_sysctls() -> None:
    """Restore the stored values."""
    if _BEFORE.exists():
        _run("sysctl", "-qp", str(_BEFORE), check=False)
        _BEFORE.unlink()


def _run(*command: str, check: bool = True) -> bytes:
    errors = None if check else subprocess.DEVNULL
    return subprocess.run(command, check=check, stdout=subprocess.PIPE, stderr=errors).stdout
