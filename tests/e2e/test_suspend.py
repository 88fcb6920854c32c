"""What keeps a MyResource at rest: it is suspended, whoever changes its children, or it sleeps at its times."""

from datetime import datetime, timedelta
from typing import Any

import pytest

from app.core.previous_status import REPEATED
from metahook.clock import utc_now
from metahook.envtest.client import STRATEGIC
from metahook.envtest.process import Process
from metahook.protocol.observed import LAST_APPLIED
from metahook.simulator.metacontroller.settings import Mode
from metahook.simulator.objects import Json
from tests.api.examples.schedule import schedule, window
from tests.e2e.fresh import differences
from tests.e2e.namespace import PORT, Namespace, child
from tests.e2e.test_apply_strategy import OF_THE_POD
from tests.e2e.test_autoscaling import BY_MEMORY, HPA, scale
from tests.e2e.test_drift import OURS
from tests.e2e.trace import TRANSIENT


def content(item: Json) -> Json:
    """Return what a user would notice of *item*: all but its status and the records of writes."""
    metadata = {key: item["metadata"].get(key) for key in ("labels", "ownerReferences", "finalizers")}
    annotations = {key: text for key, text in item["metadata"]["annotations"].items() if key != LAST_APPLIED}
    annotations.pop("deployment.kubernetes.io/revision", None)
    return {**{key: value for key, value in item.items() if key != "status"}, "metadata": {**metadata, **annotations}}


def suspend(here: Namespace) -> None:
    here.change(suspend=True)
    here.wait_for_status("Suspended", "Suspended")
    here.wait_until_quiet()


@pytest.mark.each_mode
def test_each_change_by_others_stays_until_resume(here: Namespace, mode: Mode, metacontroller: Process) -> None:
    here.ready(**PORT, **OF_THE_POD)
    suspend(here)
    done, edited = here.since(), {}

    for kind, change, _ in OURS.values():
        edited[kind] = here.client.change(kind, here.name, child(kind), change, how=STRATEGIC, manager="kubectl-edit")
        here.wait_until_quiet()

        assert content(here.get(kind)) == content(edited[kind])
    writes = {str(request) for request in done.children}

    # Under dynamic-apply, Metacontroller's annotation on the child is a copy of the response.
    recorded = {"update deployments web-deployment", "update services web"}
    assert writes == (recorded if mode == "dynamic-apply" else set())
    assert len(done.children) <= len(OURS)
    metacontroller.restart()
    assert here.touched().writes == []
    assert content(here.get("Service")) == content(edited["Service"])

    here.change(suspend=None)
    here.wait_until_ready()
    assert differences(here) == []
    assert here.touched().writes == []


LATE = timedelta(seconds=30)
"""The most by which a transition may be late: the machine of the tests is busy."""

LEFT_OVER = 3
"""Timers of earlier waits, which Metacontroller can't cancel: those for a child that differs for 30 or 60 seconds."""


def asleep_until(end: datetime, **fields: Any) -> Json:
    """Return a schedule with one window, which began two hours ago."""
    return schedule(window(f"{utc_now() - timedelta(hours=2):%H:%M}", f"{end:%H:%M}"), **fields)


def text(time: datetime) -> str:
    return f"{time:%Y-%m-%dT%H:%M:%SZ}"


def override(here: Namespace) -> Json:
    found: Json = here.get("MyResource", "web")["status"].get("override", {})
    return found


def replicas(here: Namespace) -> int:
    found: int = here.get("Deployment")["spec"]["replicas"]
    return found


def syncs_without(here: Namespace, replicas: int) -> list[Json]:
    """Return the syncs so far whose response has no Deployment with so many *replicas*."""
    found = (each for each in here.exchanges() if each["path"].startswith("/sync"))
    return [each for each in found if each["response"]["children"][0]["spec"].get("replicas") != replicas]


def scaled_at(here: Namespace, expected: int, moment: datetime) -> None:
    """Check that the Deployment is scaled at this *moment*, and that nothing polls until then.

    The hook asks for a sync at that moment. How late it comes depends on the machine.
    """
    start, moment = utc_now(), moment.replace(microsecond=0)
    assert replicas(here) != expected

    def scaled() -> list[float]:
        versions = here.versions("Deployment", child("Deployment"))
        since = (each for each in versions if each.at > start.timestamp())
        return [each.at for each in since if each.item["spec"]["replicas"] == expected]

    here.eventually(lambda: bool(scaled()), (moment - start + LATE).total_seconds())
    assert scaled()[0] >= moment.timestamp()
    here.wait_until_quiet()

    before = syncs_without(here, expected)
    waiting = [datetime.fromisoformat(each["time"]) for each in before]
    resync = timedelta(seconds=before[-1]["response"]["resyncAfterSeconds"])
    assert waiting[-1] + resync <= moment + timedelta(seconds=1)  # it is in whole seconds
    assert sum(each > start for each in waiting) <= LEFT_OVER


def test_each_transition_comes_at_its_time_and_between_them_nothing_is_written(here: Namespace) -> None:
    woken = utc_now() + timedelta(hours=6)
    falls_asleep = utc_now() + timedelta(seconds=30)
    here.ready(replicas=2, podDisruptionBudget="Auto", **asleep_until(woken, overrideUntil=text(falls_asleep)))
    status = here.get("MyResource", "web")["status"]["schedule"]
    assert status == {"state": "Awake", "nextTransition": text(falls_asleep)}
    assert here.touched().writes == []

    scaled_at(here, 0, falls_asleep)
    here.wait_for_status("Sleeping", "Sleeping")
    assert here.get("MyResource", "web")["status"]["schedule"] == {
        "state": "Asleep",
        "replicas": 0,
        "nextTransition": text(woken.replace(second=0)),
    }
    here.eventually(lambda: not here.pods())
    assert here.find("PodDisruptionBudget", "web")
    assert here.touched().writes == []

    here.change(replicas=3)
    here.wait_for_status("Sleeping", "Sleeping")
    wakes_up, past = utc_now() + timedelta(seconds=20), utc_now() - timedelta(hours=1)
    here.change(**asleep_until(past, overrideState="Asleep", overrideUntil=text(wakes_up)))
    here.wait_for_status("Sleeping", "Sleeping")
    here.wait_until_quiet()
    scaled_at(here, 3, wakes_up)
    here.wait_until_ready()
    seen = [each for each in here.history() if each[1] not in TRANSIENT]
    assert seen[-2:] == [("Building", "Building"), ("Ready", "Available")]
    assert here.touched().writes == []


def test_an_autoscaled_one_falls_asleep_at_its_time_although_others_change_its_autoscaler(here: Namespace) -> None:
    falls_asleep = utc_now() + timedelta(seconds=20)
    here.ready(autoscaling=BY_MEMORY, **asleep_until(utc_now() + timedelta(hours=6), overrideUntil=text(falls_asleep)))
    scale(here, 4)
    for most in range(7, 20):
        if override(here).get("count", 0) == REPEATED:
            break
        here.edit(HPA, {"spec": {"maxReplicas": most}}, "web")
        here.eventually(lambda: here.get(HPA, "web")["spec"]["maxReplicas"] == 6)
        here.wait_until_quiet()
    before = override(here)
    assert (before.get("count", 0), replicas(here)) == (REPEATED, 4)

    scaled_at(here, 0, falls_asleep)
    assert replicas(here) == 0
    assert override(here) == before
