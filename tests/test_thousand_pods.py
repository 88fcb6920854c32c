"""A sync with a thousand Pods that are not ready, as a real API server returns them: a short response, in little time.

CPU times are compared within one run, so that any machine will do.
"""

import json
import time
from collections.abc import Callable
from typing import Any

import pytest

from metahook.protocol.request_builder import sync_request
from tests.requests.builders import MYRESOURCE, NOW, my_resource
from tests.requests.large import with_all_fields
from tests.requests.pods import container, crashing, pod, running, shown, unfinished
from toolkit.slow import short_or_whole

Json = dict[str, Any]

PODS = 1000
MOST_BYTES = 16 * 1024
"""Of a response."""
TRIES = 3

STATES: dict[str, Callable[[], Json]] = {
    "all crash": crashing,
    "just started": lambda: container(state=running(1)),
    "ready": lambda: container(state=running(3000), ready=True),
}


def request(container_status: Json) -> bytes:
    """Return a sync request whose Pods have this container status."""
    parent = my_resource(replicas=PODS, readinessProbe={"httpGet": {"port": 80}})
    deployment = unfinished(parent, replicas=PODS, updatedReplicas=PODS)
    pods = shown(*(with_all_fields(pod(container_status), number) for number in range(PODS)))
    return sync_request(parent, {"Deployment.apps/v1": {"a": deployment}, "Service.v1": {}}, pods)


def cpu(call: Callable[[], object]) -> float:
    """Return the CPU seconds of a call: the least of a few."""
    spent = []
    for _ in range(TRIES):
        start = time.process_time()
        call()
        spent.append(time.process_time() - start)
    return min(spent)


@pytest.mark.slow
@pytest.mark.parametrize("state", short_or_whole(["ready"], [*STATES]))
def test_a_thousand_pods_cost_less_than_the_standard_library_takes_to_parse_them(state: str) -> None:
    body = request(STATES[state]())

    assert len(MYRESOURCE.handle_sync(body, NOW).body) <= MOST_BYTES
    assert cpu(lambda: MYRESOURCE.handle_sync(body, NOW).body) <= cpu(lambda: json.loads(body))
