"""The two apply strategies, with the children of careless hooks."""

from typing import Any

import pytest

from metahook import Deployment, Kind
from metahook.protocol.observed.child import LAST_APPLIED
from metahook.simulator.apiserver.store import ApiServer
from metahook.simulator.apiserver.validation import ApiError
from metahook.simulator.clock import Clock
from metahook.simulator.history import History
from metahook.simulator.metacontroller.children import ServerSideApply, applier
from metahook.simulator.metacontroller.settings import MODES, Mode
from metahook.simulator.objects import with_metadata
from toolkit.worlds import DEPLOYMENT, deployment, parent

Json = dict[str, Any]


@pytest.fixture
def api() -> ApiServer:
    return ApiServer(Clock(), History())


def child(**more: Any) -> Json:
    return with_metadata(deployment(**more), namespace="default")


def test_system_fields_and_a_status_are_never_applied(api: ApiServer) -> None:
    whole = api.create(parent(), "you")
    sent = with_metadata({**child(), "status": {"replicas": 9}}, uid="mine", managedFields=[], resourceVersion="1")

    applier("server-side-apply", api)(sent, None, whole)

    made = api.get(DEPLOYMENT) or {}
    assert made["metadata"]["uid"] != "mine"
    assert "status" not in made


def test_the_annotation_of_dynamic_apply_is_removed_from_the_live_object(api: ApiServer) -> None:
    whole = api.create(parent(), "you")
    applier("dynamic-apply", api)(child(), None, whole)
    stale = api.get(DEPLOYMENT) or {}
    api.update({**stale, "spec": {**stale["spec"], "paused": True}}, "you")

    ServerSideApply(api)(child(), stale, whole)

    made = api.get(DEPLOYMENT) or {}
    assert made["spec"]["paused"]
    assert LAST_APPLIED not in made["metadata"].get("annotations", {})


def test_server_side_apply_creates_a_child_that_was_deleted_since_it_was_cached(api: ApiServer) -> None:
    whole = api.create(parent(), "you")
    applier("dynamic-apply", api)(child(), None, whole)
    stale = api.get(DEPLOYMENT) or {}
    api.remove(DEPLOYMENT, "you")

    ServerSideApply(api)(child(), stale, whole)

    assert api.get(DEPLOYMENT)


def test_dynamic_apply_leaves_a_child_that_was_deleted_since_it_was_cached_to_the_next_sync(api: ApiServer) -> None:
    whole = api.create(parent(), "you")
    apply = applier("dynamic-apply", api)
    apply(child(), None, whole)
    stale = api.get(DEPLOYMENT) or {}
    api.remove(DEPLOYMENT, "you")

    apply(child(replicas=2), stale, whole)

    assert api.get(DEPLOYMENT) is None


@pytest.mark.parametrize("mode", MODES)
def test_an_error_of_the_api_server_is_raised(mode: Mode, api: ApiServer) -> None:
    whole = api.create(parent(), "you")
    apply = applier(mode, api)
    torn = child(selector={"matchLabels": {"app": "other"}})
    with pytest.raises(ApiError, match="does not match template labels"):
        apply(torn, None, whole)

    apply(child(), None, whole)
    with pytest.raises(ApiError, match="immutable"):
        apply(torn, api.get(DEPLOYMENT), whole)


def test_a_kind_is_read_from_its_struct() -> None:
    assert Kind("apps/v1", "Deployment", "deployments") == Deployment.KIND
    assert Deployment.KIND.group_key == "Deployment.apps/v1"
