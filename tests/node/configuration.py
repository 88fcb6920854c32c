"""The configuration files of the node's processes."""

import json
from pathlib import Path

from tests.node import certificates
from tests.node.layout import (
    CLUSTER_DNS,
    CONTAINERD,
    FOLDER,
    KEYS,
    NODE,
    NODE_IP,
    PODS,
    PRIVATE,
    REGISTRIES,
    RUN,
)
from tests.node.programs import cni_folder

PRIVATE_PORT = 5001


def write() -> None:
    """Write all files."""
    for file, value in _yaml().items():
        _write(FOLDER / file, json.dumps(value, indent=1))  # JSON is YAML
    for file, text in _texts().items():
        _write(FOLDER / file, text)


def _write(file: Path, text: str) -> None:
    file.parent.mkdir(parents=True, exist_ok=True)
    file.write_text(text)


def _yaml() -> dict[str, object]:
    return {
        "kubelet.yaml": _kubelet(),
        "proxy.yaml": {
            "apiVersion": "kubeproxy.config.k8s.io/v1alpha1",
            "kind": "KubeProxyConfiguration",
            "clientConnection": {"kubeconfig": str(certificates.kubeconfig("proxy"))},
            "mode": "nftables",
            "clusterCIDR": PODS,
            "hostnameOverride": NODE,
            "conntrack": {"maxPerCore": 0, "min": 0, "tcpEstablishedTimeout": "0s", "tcpCloseWaitTimeout": "0s"},
        },
        "cni/10-bridge.conflist": {"cniVersion": "1.0.0", "name": "bridge", "plugins": [_bridge(), _PORT_MAPPING]},
        "registry.yaml": _registry(443, {}),
        "private.yaml": _registry(
            PRIVATE_PORT, {"auth": {"htpasswd": {"realm": PRIVATE, "path": str(FOLDER / "htpasswd")}}}
        ),
    }


def _kubelet() -> object:
    keys = {"tlsCertFile": f"{KEYS}/kubelet-server.crt", "tlsPrivateKeyFile": f"{KEYS}/kubelet-server.key"}
    return {
        "apiVersion": "kubelet.config.k8s.io/v1beta1",
        "kind": "KubeletConfiguration",
        "authentication": {
            "anonymous": {"enabled": False},
            "webhook": {"enabled": True},
            "x509": {"clientCAFile": f"{KEYS}/ca.crt"},
        },
        "authorization": {"mode": "Webhook"},
        **keys,
        "containerRuntimeEndpoint": f"unix://{CONTAINERD}",
        "failCgroupV1": False,
        "cgroupDriver": "cgroupfs",
        "clusterDomain": "cluster.local",
        "clusterDNS": [CLUSTER_DNS],
        "resolvConf": str(FOLDER / "resolv.conf"),
        "podCIDR": PODS,
        "failSwapOn": False,
        "imageGCHighThresholdPercent": 100,  # the disk is the machine's: its use is no reason to delete images
        "imageGCLowThresholdPercent": 99,
        "evictionHard": {"memory.available": "100Mi", "nodefs.available": "1Gi", "imagefs.available": "1Gi"},
    }


def _bridge() -> object:
    ranges = [[{"subnet": PODS}]]
    addresses = {"type": "host-local", "dataDir": f"{RUN}/ipam", "ranges": ranges, "routes": [{"dst": "0.0.0.0/0"}]}
    return {"type": "bridge", "bridge": "cni0", "isGateway": True, "hairpinMode": True, "ipam": addresses}


_PORT_MAPPING = {"type": "portmap", "capabilities": {"portMappings": True}}


def _registry(port: int, more: dict[str, object]) -> object:
    tls = {"certificate": f"{KEYS}/registry.crt", "key": f"{KEYS}/registry.key"}
    return {
        "version": "0.1",
        "log": {"level": "warn", "accesslog": {"disabled": True}},
        "storage": {"filesystem": {"rootdirectory": str(FOLDER / "registry")}},
        "http": {"addr": f"{NODE_IP}:{port}", "tls": tls},
        **more,
    }


def _texts() -> dict[str, str]:
    return {
        "resolv.conf": f"nameserver {NODE_IP}\n",
        "names": _names(),
        "containerd.toml": _containerd(),
        "registries/_default/hosts.toml": _host(443),
        f"registries/{PRIVATE}/hosts.toml": _host(PRIVATE_PORT),
        "audit.yaml": _AUDIT,
    }


def _names() -> str:
    """Return the Corefile for names outside the cluster: those of the registries, which lead to the node's."""
    answer = f'  template IN A {{\n    answer "{{{{ .Name }}}} 60 IN A {NODE_IP}"\n  }}\n'
    zones = "".join(f"{name}:53 {{\n  bind {NODE_IP}\n{answer}}}\n" for name in REGISTRIES)
    return f"{zones}.:53 {{\n  bind {NODE_IP}\n  template ANY ANY {{\n    rcode NXDOMAIN\n  }}\n}}\n"


def _host(port: int) -> str:
    address = f"https://{NODE_IP}:{port}"
    ca = f'ca = "{KEYS}/ca.crt"\n'  # for the server, too: containerd asks it after a 404 of the host
    return f'server = "{address}"\n{ca}[host."{address}"]\n  capabilities = ["pull", "resolve"]\n  {ca}'


def _containerd() -> str:
    return f"""\
version = 2
root = "{FOLDER}/containerd"
state = "{RUN}/containerd"
disabled_plugins = ["io.containerd.snapshotter.v1.btrfs", "io.containerd.snapshotter.v1.zfs", \
"io.containerd.snapshotter.v1.aufs", "io.containerd.snapshotter.v1.devmapper"]
[grpc]
  address = "{CONTAINERD}"
[plugins."io.containerd.internal.v1.opt"]
  path = "{FOLDER}/containerd/opt"
[plugins."io.containerd.grpc.v1.cri"]
  sandbox_image = "localhost/pause:1"
  netns_mounts_under_state_dir = true # where the namespaces of Pods go with the node
  restrict_oom_score_adj = true # in a container, root may not lower the score
  enable_unprivileged_ports = true
  [plugins."io.containerd.grpc.v1.cri".cni]
    bin_dir = "{cni_folder()}"
    conf_dir = "{FOLDER}/cni"
  [plugins."io.containerd.grpc.v1.cri".registry]
    config_path = "{FOLDER}/registries"
  [plugins."io.containerd.grpc.v1.cri".containerd]
    snapshotter = "overlayfs"
    [plugins."io.containerd.grpc.v1.cri".containerd.runtimes.runc]
      runtime_type = "io.containerd.runc.v2"
"""


_AUDIT = """\
apiVersion: audit.k8s.io/v1
kind: Policy
omitStages: [RequestReceived]
rules:
- {level: None, verbs: [get, list, watch]}
- {level: None, resources: [{group: coordination.k8s.io}]}
- {level: Metadata}
"""
