"""The two apply strategies, with the children of careless hooks."""

from contextlib import nullcontext
from typing import Any

import pytest

from metahook import Deployment, Kind
from metahook.protocol.observed import LAST_APPLIED
from metahook.simulator.apiserver.store import ApiServer
from metahook.simulator.apiserver.validation import ApiError
from metahook.simulator.clock import Clock
from metahook.simulator.history import History
from metahook.simulator.metacontroller.children import ServerSideApply, applier
from metahook.simulator.metacontroller.settings import MODES, Mode
from metahook.simulator.objects import key_of, with_metadata
from toolkit.worlds import DEPLOYMENT, deployment, parent

Json = dict[str, Any]


CONFIG_MAP: Json = {"apiVersion": "v1", "kind": "ConfigMap", "metadata": {"name": "a", "namespace": "default"}}


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


@pytest.mark.parametrize("is_replaced", [True, False])
@pytest.mark.parametrize("mode", MODES)
def test_a_child_to_recreate_that_was_deleted_since_it_was_cached_is_left_to_the_next_sync(
    mode: Mode, api: ApiServer, *, is_replaced: bool
) -> None:
    whole, apply = api.create(parent(), "you"), applier(mode, api)
    old, new = ({**CONFIG_MAP, "data": {"word": word}} for word in ("hi", "ho"))
    apply(old, None, whole)
    stale = api.get(key_of(CONFIG_MAP)) or {}
    api.remove(key_of(CONFIG_MAP), "you")
    if is_replaced:
        api.create(old, "you")
        with pytest.raises(ApiError, match="another uid"):
            apply(new, stale, whole, "Recreate")
    else:
        apply(new, stale, whole, "Recreate")

    assert (api.get(key_of(CONFIG_MAP)) is not None) == is_replaced


@pytest.mark.parametrize(("reason", "is_raised"), [("BadRequest", False), ("Forbidden", False), ("Invalid", True)])
def test_a_child_is_not_recreated_without_a_dry_run(
    api: ApiServer, monkeypatch: pytest.MonkeyPatch, reason: str, *, is_raised: bool
) -> None:
    whole, apply = api.create(parent(), "you"), applier("server-side-apply", api)
    apply(CONFIG_MAP, None, whole)

    def refuse(*_: object, **__: object) -> Json:
        raise ApiError(reason, "no dry run")

    monkeypatch.setattr(api, "apply", refuse)
    with pytest.raises(ApiError) if is_raised else nullcontext():
        apply({**CONFIG_MAP, "data": {"a": "b"}}, api.get(key_of(CONFIG_MAP)), whole, "Recreate")

    assert api.get(key_of(CONFIG_MAP))
