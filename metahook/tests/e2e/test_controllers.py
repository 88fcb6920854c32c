"""A CompositeController is started, restarted and stopped while Metacontroller runs; what it is named after."""

import re

import httpx

from metahook.envtest import Cluster
from toolkit.hooks.notes_on_a_cluster import FENCE, Notes, reasons


def metrics(cluster: Cluster) -> str:
    """Return the metrics of Metacontroller."""
    command = cluster.metacontroller.command
    (address,) = (word.partition("=")[2] for word in command if word.startswith("--metrics-address="))
    return httpx.get(f"http://{address}/metrics", trust_env=False).text


def test_an_applied_controller_starts_without_a_restart(notes: Notes) -> None:
    pid = notes.cluster.metacontroller.pid

    notes.start()

    assert notes.word("ConfigMap", FENCE) == "a"
    notes.eventually(lambda: "Started" in reasons(notes.cluster, "CompositeController", notes.controller))
    assert notes.cluster.metacontroller.pid == pid


def test_a_changed_controller_restarts_and_syncs_all_parents(notes: Notes) -> None:
    notes.start_with("one")
    calls = len(notes.calls())

    notes.cluster.patch("CompositeController", notes.controller, {"metadata": {"labels": {"a": "b"}}})
    notes.settle()
    assert len(notes.calls()) == calls
    notes.cluster.patch("CompositeController", notes.controller, {"spec": {"resyncPeriodSeconds": 700}})

    notes.eventually(lambda: len(notes.calls()) > calls)
    assert {"Starting", "Started", "Stopping", "Stopped"} <= reasons(
        notes.cluster, "CompositeController", notes.controller
    )


def test_a_deleted_controller_stops_and_its_children_stay(notes: Notes) -> None:
    notes.start_with("one")
    calls = len(notes.server.calls)
    before = notes.get("ConfigMap", "one")["metadata"]

    notes.stop()
    notes.change_word("b")
    notes.wait_until_no_calls()
    stopped = len(notes.server.calls), notes.word("ConfigMap")
    notes.start()

    notes.eventually(lambda: notes.word("ConfigMap") == "b")
    assert stopped == (calls, "a")
    after = notes.get("ConfigMap", "one")["metadata"]
    assert (after["uid"], after["ownerReferences"]) == (before["uid"], before["ownerReferences"])


def test_the_work_queue_is_named_after_the_controller(notes: Notes) -> None:
    notes.start()

    adds = re.findall(r'workqueue_adds_total\{[^}]*name="([^"]*)"', metrics(notes.cluster))

    assert f"CompositeController-{notes.controller}" in adds
