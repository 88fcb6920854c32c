"""Flags of Metacontroller: leader election, the limit of requests to the API server, and the field manager."""

import itertools
import re
import signal
import subprocess
import time
from collections.abc import Callable, Iterator
from contextlib import ExitStack
from pathlib import Path

import pytest

from metahook.envtest.binaries import find_binaries
from metahook.envtest.client import Client
from metahook.envtest.process import Process
from tests.e2e.cluster import Cluster, started
from tests.e2e.control_plane import METACONTROLLER
from tests.e2e.foreign import Foreign
from toolkit.hooks.notes import note

NAMESPACE = "metacontroller"
LEADS = "Starting CompositeController"
"""What the log of a Metacontroller says when it has the Lease."""
QPS, BURST, NOTES = 5, 10, 20
WRITES = 3
"""Requests of Metacontroller for a new Note: the ConfigMap, and two for the status, which is read and written."""
_RBAC = "rbac.authorization.k8s.io"

_NUMBERS = itertools.count(1)

Start = Callable[..., Process]


@pytest.fixture(name="cluster", scope="module")
def _cluster(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Cluster]:
    """Return a cluster without a running Metacontroller."""
    made = Cluster(find_binaries(), tmp_path_factory.mktemp("flags"))
    with started(made):
        _allow_leases(made.client)
        yield made


def _allow_leases(client: Client) -> None:
    """Let Metacontroller write Leases in NAMESPACE."""
    client.apply({"apiVersion": "v1", "kind": "Namespace", "metadata": {"name": NAMESPACE}})
    role = {"apiVersion": f"{_RBAC}/v1", "metadata": {"name": "leases", "namespace": NAMESPACE}}
    rule = {"apiGroups": ["coordination.k8s.io"], "resources": ["leases"], "verbs": ["get", "create", "update"]}
    client.apply({**role, "kind": "Role", "rules": [rule]})
    reference = {"apiGroup": _RBAC, "kind": "Role", "name": "leases"}
    subject = {"kind": "User", "apiGroup": _RBAC, "name": METACONTROLLER}
    client.apply({**role, "kind": "RoleBinding", "roleRef": reference, "subjects": [subject]})


@pytest.fixture(name="start")
def _start(cluster: Cluster, tmp_path: Path) -> Iterator[Start]:
    """Return a function that starts a Metacontroller with more flags; the last of several values counts."""
    with ExitStack() as stack:

        def start(name: str, *flags: str) -> Process:
            process = cluster.metacontroller("server-side-apply")
            process.command += flags
            process.log = tmp_path / f"{name}.log"
            stack.callback(process.stop)
            process.start()
            return process

        yield start


@pytest.fixture(name="there")
def _there(cluster: Cluster, start: Start) -> Iterator[Foreign]:
    """Return a namespace for Notes, which is closed while Metacontroller still runs."""
    del start
    made = Foreign(cluster, f"t{next(_NUMBERS)}")
    yield made
    made.close()


def test_one_of_two_metacontrollers_syncs_and_the_other_takes_over(there: Foreign, start: Start) -> None:
    flags = ["--leader-election", f"--leader-election-namespace={NAMESPACE}"]
    pair = [start(name, *flags) for name in ("first", "second")]
    there.start_with("one")
    (leader,) = (each for each in pair if LEADS in each.text())
    (other,) = (each for each in pair if each is not leader)

    def holder() -> str:
        lease = there.client.get("Lease", NAMESPACE, "metacontroller")
        assert lease
        return str(lease["spec"]["holderIdentity"])

    before, only = holder(), LEADS not in other.text()
    leader.stop(signal.SIGKILL)
    there.change_word("b")
    there.eventually(lambda: there.word("Note") == "b")

    assert only
    assert LEADS in other.text()
    assert holder() != before


def test_the_limit_of_requests_to_the_api_server_is_no_limit_of_retries(there: Foreign, start: Start) -> None:
    def seconds(prefix: str) -> float:
        names = [f"{prefix}-{number}" for number in range(NOTES)]
        begin = time.monotonic()
        for name in names:
            there.put(note(name))
        there.eventually(lambda: all(there.word("Note", name) == "a" for name in names))
        return time.monotonic() - begin

    slow = start("slow", f"--client-go-qps={QPS}", f"--client-go-burst={BURST}")
    there.start(ignoreStatusChanges=True)
    limited = seconds("limited")
    reasons = {item["reason"] for item in there.client.all("Event", there.name)}
    slow.stop()  # a sync that waits for a request then fails, so the Events are read before
    start("fast")
    fast = seconds("fast")

    assert limited >= (NOTES * WRITES - BURST) / QPS - 1
    assert fast < limited
    assert {call.status for call in there.server.calls} == {200}
    assert "SyncError" not in reasons


def test_the_field_manager_of_server_side_apply_has_the_name_of_the_flag(there: Foreign, start: Start) -> None:
    start("named", "--apply-strategy-ssa-field-manager=notes")
    there.start_with("one")

    entries = there.get("ConfigMap", "one")["metadata"]["managedFields"]
    assert [(entry["manager"], entry["operation"]) for entry in entries] == [("notes", "Apply")]


DEFAULTS = {
    "apply-strategy": '"dynamic-apply"',
    "apply-strategy-ssa-field-manager": '"metacontroller"',
    "cache-flush-interval": "30m0s",
    "client-go-burst": "10",
    "client-go-qps": "5",
    "discovery-interval": "30s",
    "events-burst": "25",
    "events-qps": str(1 / 300),
    "metrics-address": '":9999"',
    "workers": "5",
}
"""What metahook/docs/from-controller-runtime.md says of flags that are not set."""


def test_flags_have_the_defaults_of_the_pages() -> None:
    program = find_binaries().metacontroller
    shown = subprocess.run([program, "--help"], capture_output=True, text=True, check=False).stderr
    defaults = dict(re.findall(r"^  -([\w-]+)[^\n]*\n[^\n]*\(default ([^()]*)\)$", shown, re.MULTILINE))

    assert {name: defaults[name] for name in DEFAULTS} == DEFAULTS
