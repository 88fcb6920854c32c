"""Runs hooks on a real control plane: etcd, kube-apiserver, kube-controller-manager and Metacontroller, as processes.

The rule of this package: everything it starts listens on a free loopback port, has its files in one folder, and ends
with the ``with`` block. It downloads nothing: the binaries are where envtest looks for them.

    cluster          the control plane with Metacontroller and your hooks, which this process serves, and their objects
    control_plane    etcd, kube-apiserver, kube-controller-manager, and Metacontroller with one of its apply strategies
    client           the requests of one user, as ``kubectl`` makes them, and the kinds that are served
    process          a command that is started, awaited and stopped, and ports for it
    binaries         where the binaries are

Nouns: a *cluster* has a control plane and one Metacontroller; a *hook server* answers its calls. There are no nodes: a
Pod stays Pending.

Imports server and protocol. Needs the extra ``test``. Start at :mod:`metahook.envtest.cluster`.
"""

from metahook.envtest.binaries import Missing, missing_binaries
from metahook.envtest.client import Refused, UnknownKind
from metahook.envtest.cluster import Cluster
from metahook.envtest.process import Ended

__all__ = ["Cluster", "Ended", "Missing", "Refused", "UnknownKind", "missing_binaries"]
