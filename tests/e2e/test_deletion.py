"""Deletes MyResources, and recreates them with the same name."""

from typing import Any

import pytest

from tests.e2e.fresh import differences
from tests.e2e.namespace import PORT, Namespace

MINUTE = 60
"""The resyncAfterSeconds of the hook while a child is missing."""


@pytest.mark.parametrize("ports", [{}, PORT], ids=["without a Service", "with a Service"])
def test_recreated_at_once_it_becomes_ready_with_new_children(here: Namespace, ports: dict[str, Any]) -> None:
    """Under dynamic apply this can take a minute: the old Deployment has the name, and its deletion causes no sync."""
    here.ready(replicas=3, **ports)
    before = here.get("MyResource")["metadata"]["uid"]

    here.delete("MyResource")
    here.eventually(lambda: here.find("MyResource") is None)
    here.make(replicas=3, **ports)
    here.wait_until_ready(within=2 * MINUTE)

    uid = here.get("MyResource")["metadata"]["uid"]
    assert uid != before
    assert differences(here) == []
    assert [owner["uid"] for owner in here.get("Deployment")["metadata"]["ownerReferences"]] == [uid]
