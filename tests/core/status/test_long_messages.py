"""A message is cut at 1024 characters, so what it lists is cut before, and its last words are those of its remedy."""

from datetime import timedelta

import pytest

from app.api.scalars import MAX_MESSAGE
from tests.core.desired.test_dependencies import NIGHTLY, NONE, answered, waiting
from tests.core.desired.test_name_occupants import asked, service
from tests.core.status.test_rollback import asking, late, taken
from tests.core.test_leftovers import owning
from tests.requests.builders import NOW, NOW_TEXT, Json, condition, finished, my_resource, sync

FINALIZERS = [f"{number}.{'a' * 200}.example.com/x" for number in range(9)]
UNMET = answered(NONE, parent=waiting(*({**NIGHTLY, "name": f"{'x' * 240}{number}"} for number in range(16))))


def rolled_back() -> Json:
    """Return the answer once an image of 500 characters came back for another one."""
    parent = asking(f"{'a' * 500}:2")
    deployment = late(parent, ready=f"{'b' * 500}:1")
    return sync(parent, taken(sync(parent, deployment), deployment))


def with_fields_of_others() -> Json:
    """Return the answer while others set many fields with long names."""
    parent = my_resource("n" * 52, ports=[{"name": "http", "containerPort": 80}])
    children = finished(parent)
    keys = [f"example.com/{number}{'x' * 60}" for number in range(50)]
    owner = owning({"f:spec": {f"f:{key}": {} for key in keys}}, manager="m" * 128)
    for child in children:
        child["metadata"]["managedFields"] = [owner]
        child["spec"] |= dict.fromkeys(keys, "1")
    return sync(parent, *children)


def not_deleted() -> Json:
    """Return the answer a minute after the Service was to be deleted, which finalizers keep."""
    parent = my_resource()
    deployment, kept = finished(my_resource(ports=[{"containerPort": 80}]))
    kept["metadata"] |= {"deletionTimestamp": NOW_TEXT, "finalizers": FINALIZERS}
    first = sync(parent, deployment, kept)
    return sync({**parent, "status": first["status"]}, deployment, kept, now=NOW + timedelta(minutes=1))


@pytest.mark.parametrize(
    ("answer", "kind", "end"),
    [
        pytest.param(UNMET, "Ready", "; and others.", id="dependencies"),
        pytest.param(UNMET, "DependenciesReady", "; and others.", id="dependencies, in their own condition"),
        pytest.param(asked(service(going=True, finalizers=FINALIZERS)), "Ready", "and others.", id="finalizers"),
        pytest.param(not_deleted(), "Ready", "service web -n default", id="finalizers of what is not desired"),
        pytest.param(rolled_back(), "Ready", "does not end it.", id="images"),
        pytest.param(with_fields_of_others(), "ForeignFields", " -n default", id="fields of others"),
    ],
)
def test_the_last_words_of_a_long_message_are_whole(answer: Json, kind: str, end: str) -> None:
    message = condition(answer, kind)["message"]

    assert len(message) <= MAX_MESSAGE
    assert message.endswith(end)
