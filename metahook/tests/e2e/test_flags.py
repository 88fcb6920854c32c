"""Flags of Metacontroller: leader election, the limit of requests to the API server, and the field manager."""

import re
import signal
import subprocess
import time
from collections.abc import Callable, Iterator
from contextlib import ExitStack
from pathlib import Path

import pytest

from metahook.envtest import Cluster
from metahook.envtest.binaries import find_binaries
from metahook.envtest.control_plane import metacontroller
from metahook.envtest.process import Process
from toolkit.hooks.notes import note
from toolkit.hooks.notes_on_a_cluster import Notes, serve_notes

LEADS = "Starting CompositeController"
"""What the log of a Metacontroller says when it has the Lease."""
QPS, BURST, NOTES = 5, 10, 20
WRITES = 3
"""Requests of Metacontroller for a new Note: the ConfigMap, and two for the status, which is read and written."""

Start = Callable[..., Process]


@pytest.fixture(name="cluster", scope="module")
def _cluster(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Cluster]:
    """Return a cluster without a running Metacontroller."""
    folder = tmp_path_factory.mktemp("flags")
    with Cluster(folder) as made:
        serve_notes(made, folder)
        made.metacontroller.stop()
        yield made


@pytest.fixture(name="start")
def _start(cluster: Cluster, tmp_path: Path) -> Iterator[Start]:
    """Return a function that starts a Metacontroller with more flags; the last of several values counts."""
    with ExitStack() as stack:

        def start(name: str, *flags: str) -> Process:
            process = metacontroller(find_binaries(), tmp_path, cluster.kubeconfig, "server-side-apply")
            process.command += flags
            process.log = tmp_path / f"{name}.log"
            stack.callback(process.stop)
            process.start()
            return process

        yield start


@pytest.fixture(name="there")
def _there(cluster: Cluster, start: Start) -> Iterator[Notes]:
    """Return a namespace for Notes, which is closed while Metacontroller still runs."""
    del start
    made = Notes(cluster)
    yield made
    made.close()


def test_one_of_two_metacontrollers_syncs_and_the_other_takes_over(there: Notes, start: Start) -> None:
    flags = ["--leader-election", "--leader-election-namespace=default"]
    pair = [start(name, *flags) for name in ("first", "second")]
    there.start_with("one")
    (leader,) = (each for each in pair if LEADS in each.text())
    (other,) = (each for each in pair if each is not leader)

    def holder() -> str:
        lease = there.cluster.get("Lease", "metacontroller")
        assert lease
        return str(lease["spec"]["holderIdentity"])

    before, only = holder(), LEADS not in other.text()
    leader.stop(signal.SIGKILL)
    there.change_word("b")
    there.eventually(lambda: there.word("Note") == "b")

    assert only
    assert LEADS in other.text()
    assert holder() != before


def test_the_limit_of_requests_to_the_api_server_is_no_limit_of_retries(there: Notes, start: Start) -> None:
    def seconds(prefix: str) -> float:
        names = [f"{prefix}-{number}" for number in range(NOTES)]
        begin = time.monotonic()
        for name in names:
            there.create(note(name))
        there.eventually(lambda: all(there.word("Note", name) == "a" for name in names))
        return time.monotonic() - begin

    slow = start("slow", f"--client-go-qps={QPS}", f"--client-go-burst={BURST}")
    there.start(ignoreStatusChanges=True)
    limited = seconds("limited")
    reasons = {item["reason"] for item in there.cluster.list("Event", there.name)}
    slow.stop()  # a sync that waits for a request then fails, so the Events are read before
    start("fast")
    fast = seconds("fast")

    assert limited >= (NOTES * WRITES - BURST) / QPS - 1
    assert fast < limited
    assert {call.status for call in there.server.calls} == {200}
    assert "SyncError" not in reasons


def test_the_field_manager_of_server_side_apply_has_the_name_of_the_flag(there: Notes, start: Start) -> None:
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
