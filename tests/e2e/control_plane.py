"""The control plane: etcd, kube-apiserver with RBAC and an audit log, and kube-controller-manager, on free ports."""

import json
import signal
import ssl
import subprocess
from pathlib import Path

import httpx

from tests.e2e.binaries import Binaries
from tests.e2e.client import Client, with_token
from tests.e2e.processes import Process, answers
from tests.serving import free_port

ADMIN = "admin"
CONTROLLERS = "controllers"
METACONTROLLER = "system:serviceaccount:metacontroller:metacontroller"
"""The ServiceAccount that metacontroller/clusterrolebinding-metacontroller.yaml binds the role to."""

_RUN = (
    "deployment,replicaset,garbagecollector,namespace,serviceaccount,disruption,endpointslice,resourcequota,"
    "horizontalpodautoscaling"
)

_AUDITED = [
    {"group": "mygroup.example.com"},
    {"group": "apps", "resources": ["deployments", "deployments/status", "deployments/scale"]},
    {"group": "", "resources": ["services", "services/status"]},
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


class ControlPlane:
    """A control plane with its data and logs in *folder*. The token of a user is the user name."""

    def __init__(self, binaries: Binaries, folder: Path) -> None:
        self._binaries = binaries
        self._folder = folder
        self.port = free_port()
        self.url = f"https://127.0.0.1:{self.port}"
        self.certificate = folder / "certificates/apiserver.crt"
        self.audit_log = folder / "audit.log"
        self._store = f"http://127.0.0.1:{free_port()}"
        self.etcd = Process("etcd", self._etcd(), folder, lambda: answers(f"{self._store}/health"))
        self.apiserver = Process("kube-apiserver", self._apiserver(), folder, self._serves)
        self.controllers = Process("kube-controller-manager", self._controllers(), folder, lambda: True)
        self._clients: dict[str, Client] = {}

    def start(self) -> None:
        """Start everything except kube-controller-manager, which discovers new kinds late if it already runs."""
        self._write_files()
        self.etcd.start()
        self.apiserver.start()

    def stop(self) -> None:
        """Stop everything."""
        for process in (self.controllers, self.apiserver, self.etcd):
            process.stop(signal.SIGKILL)  # otherwise the API server waits a minute for its watches to end
        for client in self._clients.values():
            client.http.close()

    def client(self, user: str = ADMIN) -> Client:
        """Return a client that authenticates as *user*."""
        if user not in self._clients:
            self._clients[user] = Client(with_token(self.url, user, self.certificate))
        return self._clients[user]

    def kubeconfig(self, user: str) -> Path:
        """Return the path of a kubeconfig that authenticates as *user*."""
        return self._folder / f"{user.rpartition(':')[2]}.kubeconfig"

    def _serves(self) -> bool:
        if not self.certificate.exists():
            return False
        try:
            return self.client().http.get("/readyz").is_success
        except (httpx.TransportError, ssl.SSLError):
            return False

    def _write_files(self) -> None:
        users = [f'{user},{user},{user},"system:masters"' for user in (ADMIN, CONTROLLERS)]
        groups = '"system:serviceaccounts,system:serviceaccounts:metacontroller"'
        users.append(f"{METACONTROLLER},{METACONTROLLER},{METACONTROLLER},{groups}")
        (self._folder / "tokens.csv").write_text("\n".join(users) + "\n")
        (self._folder / "audit.json").write_text(json.dumps(_AUDIT))
        for user in (ADMIN, CONTROLLERS, METACONTROLLER):
            self.kubeconfig(user).write_text(json.dumps(self._configuration(user)))
        for command in (("genrsa", "-out", "sa.key", "2048"), ("rsa", "-in", "sa.key", "-pubout", "-out", "sa.pub")):
            subprocess.run([self._binaries.openssl, *command], cwd=self._folder, check=True, capture_output=True)

    def _configuration(self, user: str) -> object:
        cluster = {"server": self.url, "certificate-authority": str(self.certificate)}
        return {
            "apiVersion": "v1",
            "kind": "Config",
            "clusters": [{"name": "it", "cluster": cluster}],
            "users": [{"name": "me", "user": {"token": user}}],
            "contexts": [{"name": "it", "context": {"cluster": "it", "user": "me"}}],
            "current-context": "it",
        }

    def _etcd(self) -> list[str]:
        peers = f"http://127.0.0.1:{free_port()}"
        return [
            str(self._binaries.etcd),
            "--data-dir=etcd",
            f"--listen-client-urls={self._store}",
            f"--advertise-client-urls={self._store}",
            f"--listen-peer-urls={peers}",
            f"--initial-advertise-peer-urls={peers}",
            f"--initial-cluster=default={peers}",
            "--unsafe-no-fsync",  # the data need not survive a crash of the machine
        ]

    def _apiserver(self) -> list[str]:
        return [
            str(self._binaries.apiserver),
            "--cert-dir=certificates",
            f"--secure-port={self.port}",
            "--bind-address=127.0.0.1",
            f"--etcd-servers={self._store}",
            "--external-hostname=localhost",
            "--service-account-issuer=https://localhost",
            "--service-account-key-file=sa.pub",
            "--service-account-signing-key-file=sa.key",
            "--token-auth-file=tokens.csv",
            "--authorization-mode=RBAC",
            "--service-cluster-ip-range=10.0.0.0/16",
            "--audit-policy-file=audit.json",
            f"--audit-log-path={self.audit_log}",
            "--audit-log-maxsize=4000",  # the tests read it as one file
        ]

    def _controllers(self) -> list[str]:
        return [
            str(self._binaries.controller_manager),
            f"--kubeconfig={self.kubeconfig(CONTROLLERS)}",
            "--leader-elect=false",
            "--use-service-account-credentials=false",
            "--service-account-private-key-file=sa.key",
            "--kube-api-qps=2000",  # the control plane must not be throttled
            "--kube-api-burst=2000",
            f"--secure-port={free_port()}",
            "--bind-address=127.0.0.1",
            "--horizontal-pod-autoscaler-sync-period=5s",
            f"--controllers={_RUN}",
        ]
