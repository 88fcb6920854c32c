"""A request over the limit: its MyResource does not change, an Event reports it, and a higher limit resolves it."""

from collections.abc import Iterator

import pytest

from metahook.envtest.binaries import find_binaries
from metahook.simulator.metacontroller.settings import Mode
from tests.e2e.cluster import Cluster, started
from tests.e2e.hook import Hook
from tests.e2e.namespace import Namespace
from tests.requests.watched_objects import config_map

LOW, HIGH = "--max-body=1", "--max-body=32"
NAMES = ("one", "two", "three")
LONG = 600_000


@pytest.fixture(scope="module")
def low(mode: Mode, tmp_path_factory: pytest.TempPathFactory) -> Iterator[Cluster]:
    """Return a cluster whose hook has the lowest limit."""
    cluster = Cluster(find_binaries(), tmp_path_factory.mktemp("large"), records=False)
    cluster.hook = Hook("hook", cluster.folder, LOW)
    with started(cluster, cluster.metacontroller(mode)):
        yield cluster


def test_a_request_over_the_limit_is_an_event_until_the_limit_is_raised(low: Cluster) -> None:
    here = Namespace(low, "large")
    for name in NAMES:
        here.put(config_map(name, a="x" * LONG))
    here.make(envFrom=[{"configMapRef": {"name": name}} for name in NAMES])

    said = 'unsupported status code: 413 body: {"error": "the request is too large", "id": "'
    here.eventually(lambda: any(said in event["message"] for event in here.client.all("Event", here.name)))
    assert not here.get("MyResource").get("status")
    assert '"limit": "max_body"' in low.hook.text()

    low.hook.stop()
    low.hook.command = [HIGH if word == LOW else word for word in low.hook.command]
    low.hook.start()
    here.wait_until_ready()
    here.close()
