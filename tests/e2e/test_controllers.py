"""A CompositeController is started, restarted and stopped while Metacontroller runs; what it is named after."""

import re

import httpx

from metahook.envtest.process import Process
from tests.e2e.foreign import FENCE, Foreign, reasons


def metrics(metacontroller: Process) -> str:
    """Return the metrics of Metacontroller."""
    (address,) = (word.partition("=")[2] for word in metacontroller.command if word.startswith("--metrics-address="))
    return httpx.get(f"http://{address}/metrics", trust_env=False).text


def test_an_applied_controller_starts_without_a_restart(foreign: Foreign, metacontroller: Process) -> None:
    pid = metacontroller.pid

    foreign.start()

    assert foreign.word("ConfigMap", FENCE) == "a"
    foreign.eventually(lambda: "Started" in reasons(foreign.client, "CompositeController", foreign.controller))
    assert metacontroller.pid == pid


def test_a_changed_controller_restarts_and_syncs_all_parents(foreign: Foreign) -> None:
    foreign.start_with("one")
    calls = len(foreign.calls())

    foreign.client.change("CompositeController", "", foreign.controller, {"metadata": {"labels": {"a": "b"}}})
    foreign.settle()
    assert len(foreign.calls()) == calls
    foreign.client.change("CompositeController", "", foreign.controller, {"spec": {"resyncPeriodSeconds": 700}})

    foreign.eventually(lambda: len(foreign.calls()) > calls)
    assert {"Starting", "Started", "Stopping", "Stopped"} <= reasons(
        foreign.client, "CompositeController", foreign.controller
    )


def test_a_deleted_controller_stops_and_its_children_stay(foreign: Foreign) -> None:
    foreign.start_with("one")
    calls = len(foreign.server.calls)
    before = foreign.get("ConfigMap", "one")["metadata"]

    foreign.stop()
    foreign.change_word("b")
    foreign.wait_until_no_calls()
    stopped = len(foreign.server.calls), foreign.word("ConfigMap")
    foreign.start()

    foreign.eventually(lambda: foreign.word("ConfigMap") == "b")
    assert stopped == (calls, "a")
    after = foreign.get("ConfigMap", "one")["metadata"]
    assert (after["uid"], after["ownerReferences"]) == (before["uid"], before["ownerReferences"])


def test_the_work_queue_is_named_after_the_controller(foreign: Foreign, metacontroller: Process) -> None:
    foreign.start()

    adds = re.findall(r'workqueue_adds_total\{[^}]*name="([^"]*)"', metrics(metacontroller))

    assert {f"CompositeController-{foreign.controller}", "CompositeController-myresource"} <= {*adds}
