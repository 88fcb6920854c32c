"""The control plane: etcd, kube-apiserver with RBAC, kube-controller-manager and Metacontroller, on free ports."""

import json
import secrets
import signal
import ssl
import subprocess
from collections.abc import Mapping, Sequence
from pathlib import Path

import httpx

from metahook.envtest.binaries import Binaries
from metahook.envtest.client import Client, with_token
from metahook.envtest.process import Process, answers, free_port

ADMIN = "admin"
CONTROLLERS = "controllers"
MASTERS = ("system:masters",)
"""The group that may do everything."""

_RUN = (
    "deployment,replicaset,statefulset,daemonset,job,cronjob,garbagecollector,namespace,serviceaccount,disruption,"
    "endpointslice,resourcequota,horizontalpodautoscaling"
)


class ControlPlane:
    """A control plane with its data and logs in *folder*.

    *users* have the groups of each user, besides those of ADMIN and CONTROLLERS. Each user has a token of this run.
    *options* are further options of kube-apiserver, such as ``--audit-policy-file=...``.
    """

    def __init__(
        self, binaries: Binaries, folder: Path, users: Mapping[str, Sequence[str]], options: Sequence[str] = ()
    ) -> None:
        self._binaries = binaries
        self._folder = folder
        self._users = {ADMIN: MASTERS, CONTROLLERS: MASTERS, **users}
        self._tokens = {user: secrets.token_hex() for user in self._users}
        self._options = options
        self.port = free_port()
        self.url = f"https://127.0.0.1:{self.port}"
        self.certificate = folder / "certificates/apiserver.crt"
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
            self._clients[user] = Client(with_token(self.url, self._tokens[user], self.certificate))
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
        groups = {user: ",".join(groups) for user, groups in self._users.items()}
        tokens = [f'{self._tokens[user]},{user},{user},"{groups[user]}"\n' for user in self._users]
        _write_private(self._folder / "tokens.csv", "".join(tokens))
        for user in self._users:
            _write_private(self.kubeconfig(user), json.dumps(self._configuration(user)))
        for command in (("genrsa", "-out", "sa.key", "2048"), ("rsa", "-in", "sa.key", "-pubout", "-out", "sa.pub")):
            subprocess.run([self._binaries.openssl, *command], cwd=self._folder, check=True, capture_output=True)

    def _configuration(self, user: str) -> object:
        cluster = {"server": self.url, "certificate-authority": str(self.certificate)}
        return {
            "apiVersion": "v1",
            "kind": "Config",
            "clusters": [{"name": "it", "cluster": cluster}],
            "users": [{"name": "me", "user": {"token": self._tokens[user]}}],
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
            *self._options,
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


def _write_private(file: Path, text: str) -> None:
    """Write *file*, which only this user can read: other users of the machine can connect to the API server, too."""
    file.touch(mode=0o600)
    file.write_text(text)


def metacontroller(binaries: Binaries, folder: Path, kubeconfig: Path, apply_strategy: str, proxy: str = "") -> Process:
    """Return Metacontroller, not yet started, with its log in *folder*; it calls hooks through *proxy*, if any.

    Metacontroller's CRDs must be established before it starts.
    """
    health = free_port()
    command = [
        *(["env", f"HTTP_PROXY={proxy}", f"HTTPS_PROXY={proxy}"] if proxy else []),
        str(binaries.metacontroller),
        f"--kubeconfig={kubeconfig}",
        f"--apply-strategy={apply_strategy}",
        "--discovery-interval=1s",
        f"--metrics-address=127.0.0.1:{free_port()}",
        f"--health-probe-bind-address=127.0.0.1:{health}",
        "--client-go-qps=500",  # the default of five requests a second would slow tests down
        "--client-go-burst=1000",
        "--zap-log-level=1",
    ]
    name = f"metacontroller-{apply_strategy}"
    return Process(name, command, folder, lambda: answers(f"http://127.0.0.1:{health}/readyz"))


def count_events(client: Client, name: str, reason: str, kind: str = "CompositeController") -> int:
    """Return how often Metacontroller has reported *reason*, such as Started, about the controller *name* of *kind*."""
    selector = f"involvedObject.kind={kind},involvedObject.name={name},reason={reason}"
    # Equal Events are one, with a count; an Event of the newer API has a count of null or none.
    return sum(item.get("count") or 1 for item in client.all("Event", "default", fieldSelector=selector))
