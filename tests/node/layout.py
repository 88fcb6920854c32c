"""Where the files of the node are, and its names and addresses."""

import os
from pathlib import Path

FOLDER = Path(os.environ.get("NODE_DIR") or "/var/lib/myresource-node").resolve()
"""The folder of everything that the node writes. Sockets are in it, so its path must be short."""

MARK = FOLDER / "made-by-make-cluster"
"""Says that the folder is the node's, and may be deleted."""
KUBECONFIG = FOLDER / "admin.conf"
LOGS = FOLDER / "log"
RUN = FOLDER / "run"
KEYS = FOLDER / "pki"
CONTAINERD = RUN / "containerd.sock"

CONTEXT = "node"
NODE = "node-1"
NAMESPACE = "myresource-node"
"""The network namespace."""
LINK = "myresource0"
"""The host's end of the link to the namespace: at most 15 characters."""

HOST_IP = "10.199.0.1"
NODE_IP = "10.199.0.2"
PODS = "10.244.0.0/24"
SERVICES = "10.96.0.0/16"
FIRST_SERVICE = "10.96.0.1"
CLUSTER_DNS = "10.96.0.10"
API = f"https://{NODE_IP}:6443"

PRIVATE = "private.example.com"
REGISTRIES = ("docker.io", "registry-1.docker.io", "ghcr.io", "registry.k8s.io", "registry.example.com")
"""The registries whose names lead to that of the node."""
