"""The API server: versions, generations, conflicts, finalizers, admission, names and watches."""

from typing import Any

import pytest

from metahook.simulator.apiserver.store import ApiServer
from metahook.simulator.apiserver.validation import ApiError
from metahook.simulator.clock import Clock
from metahook.simulator.history import History, Write
from metahook.simulator.objects import Key, is_deleting, with_metadata
from toolkit.worlds import DEPLOYMENT, SERVICE, WEB, deployment, foreign, parent, service, with_main

Json = dict[str, Any]


@pytest.fixture
def api() -> ApiServer:
    return ApiServer(Clock(), History())


def stored(api: ApiServer, key: Key = WEB) -> Json:
    found = api.get(key)
    assert found is not None
    return found


def test_a_create_does_not_set_uid_generation_or_times(api: ApiServer) -> None:
    then, soon = "2020-01-01T00:00:00Z", "2030-01-01T00:00:00Z"
    sent = {"uid": "mine", "generation": 7, "creationTimestamp": then, "deletionTimestamp": soon}
    made = api.create(with_metadata(parent(), **sent, resourceVersion="9"), "you")["metadata"]

    assert made["uid"] != "mine"
    assert (made["generation"], made["creationTimestamp"]) == (1, "2026-01-31T12:00:00Z")
    assert "deletionTimestamp" not in made


def test_a_name_exists_once_in_each_namespace(api: ApiServer) -> None:
    api.create(parent(), "you")
    api.create(parent(namespace="there"), "you")

    with pytest.raises(ApiError, match="already exists"):
        api.create(parent(), "you")
    assert len(api.all("Widget")) == 2


def test_a_generated_name_is_unique(api: ApiServer) -> None:
    item = {"apiVersion": "v1", "kind": "ConfigMap", "metadata": {"generateName": "a-"}}
    names = {api.create(item, "you")["metadata"]["name"] for _ in range(3)}

    assert len(names) == 3
    assert all(name.startswith("a-") for name in names)


def test_an_object_without_a_name_is_refused(api: ApiServer) -> None:
    with pytest.raises(ApiError, match="name or generateName is required"):
        api.create({"apiVersion": "v1", "kind": "ConfigMap", "metadata": {}}, "you")


def test_an_update_that_changes_nothing_leaves_the_version(api: ApiServer) -> None:
    before = api.create(parent(), "you")

    assert api.update(before, "you") == before
    assert [write.changed for write in api.history.writes()] == [True, False]


def test_an_update_of_an_older_version_is_a_conflict_and_one_without_a_version_is_not(api: ApiServer) -> None:
    old = api.create(parent(), "you")
    api.update({**old, "spec": {"image": "b"}}, "you")

    with pytest.raises(ApiError, match="has been modified"):
        api.update({**old, "spec": {"image": "c"}}, "you")
    api.update(with_metadata({**old, "spec": {"image": "c"}}, resourceVersion=None), "you")
    assert stored(api)["spec"] == {"image": "c"}


def test_an_update_can_not_change_what_only_the_server_sets(api: ApiServer) -> None:
    old = api.create(parent(), "you")

    new = api.update(with_metadata(old, uid="mine", generation=9, deletionTimestamp="2030-01-01T00:00:00Z"), "you")

    assert new == old


def test_an_update_leaves_the_status_and_a_status_leaves_the_rest(api: ApiServer) -> None:
    old = api.create(parent(), "you")
    updated = api.update_status({**old, "spec": {}, "status": {"a": 1}}, "you")
    assert (updated["spec"], updated["status"], updated["metadata"]["generation"]) == (old["spec"], {"a": 1}, 1)

    new = api.update({**updated, "status": {"a": 2}, "spec": {"image": "b"}}, "you")
    assert (new["spec"], new["status"], new["metadata"]["generation"]) == ({"image": "b"}, {"a": 1}, 2)


def test_labels_do_not_increment_the_generation_and_a_service_has_none(api: ApiServer) -> None:
    labelled = api.update(with_metadata(api.create(parent(), "you"), labels={"a": "b"}), "you")
    made = api.create(foreign(service()), "you")

    assert labelled["metadata"]["generation"] == 1
    assert "generation" not in made["metadata"]


def test_a_request_for_a_missing_object_is_not_found(api: ApiServer) -> None:
    for request in (
        lambda: api.update(parent(), "you"),
        lambda: api.update_status({**parent(), "status": {}}, "you"),
        lambda: api.delete(WEB, "you"),
    ):
        with pytest.raises(ApiError) as raised:
            request()
        assert raised.value.reason == "NotFound"


def test_an_object_of_another_uid_is_not_deleted(api: ApiServer) -> None:
    api.create(parent(), "you")

    with pytest.raises(ApiError) as raised:
        api.delete(WEB, "you", uid="another")
    assert raised.value.reason == "Conflict"
    assert stored(api)


def test_an_object_with_a_finalizer_is_deleted_after_the_finalizer(api: ApiServer) -> None:
    api.create(with_metadata(parent(), finalizers=["example.com/wait"]), "you")
    api.delete(WEB, "you")
    marked = stored(api)
    assert is_deleting(marked)
    assert marked["metadata"]["generation"] == 2

    api.delete(WEB, "you")
    assert stored(api) == marked

    api.update(with_metadata(marked, finalizers=None), "you")
    assert api.get(WEB) is None


def test_admission_mutates_and_refuses_but_gets_no_status(api: ApiServer) -> None:
    def admit(item: Json, live: Json | None) -> Json:
        if live is not None and item["spec"].get("image") == "evil":
            raise ApiError(*FORBIDDEN)
        return {**item, "spec": {**item["spec"], "paused": True}}

    api.admission.append(admit)
    made = api.create(parent(), "you")
    assert made["spec"]["paused"]

    with pytest.raises(ApiError, match="not with us"):
        api.update({**made, "spec": {"image": "evil"}}, "you")
    assert "paused" in api.apply(with_metadata(foreign(deployment()), namespace="default"), "you")["spec"]


FORBIDDEN = ("Forbidden", "not with us")


def test_the_first_apply_creates_and_the_next_ones_merge_and_record_owners(api: ApiServer) -> None:
    child = with_metadata(deployment(replicas=2), namespace="default")
    api.apply(child, "us")
    api.update(with_metadata(stored(api, DEPLOYMENT), annotations={"theirs": "1"}), "another-client")
    scaled = stored(api, DEPLOYMENT)
    scaled["spec"]["replicas"] = 5
    api.update(scaled, "another-client")
    (entry,) = stored(api, DEPLOYMENT)["metadata"]["managedFields"]
    assert "f:replicas" not in entry["fieldsV1"]["f:spec"]

    merged = api.apply(child, "us")
    assert merged["spec"]["replicas"] == 2
    assert merged["metadata"]["annotations"] == {"theirs": "1"}
    assert "f:replicas" in merged["metadata"]["managedFields"][0]["fieldsV1"]["f:spec"]

    again = api.apply(child, "us")
    assert again["metadata"]["resourceVersion"] == merged["metadata"]["resourceVersion"]


def test_an_apply_that_removes_the_last_finalizer_completes_the_deletion(api: ApiServer) -> None:
    child = with_metadata(deployment(), namespace="default")
    api.apply(with_metadata(child, finalizers=["example.com/wait"]), "us")
    api.delete(DEPLOYMENT, "you")
    assert api.get(DEPLOYMENT) is not None

    api.apply(child, "us")

    assert api.get(DEPLOYMENT) is None


def test_a_selector_can_not_be_changed(api: ApiServer) -> None:
    made = api.create(with_metadata(deployment(), namespace="default"), "you")

    with pytest.raises(ApiError, match="immutable"):
        api.update(with_metadata({**made, "spec": foreign(deployment())["spec"]}), "you")


def test_annotations_have_at_most_256_kib_together(api: ApiServer) -> None:
    most = 256 * 1024
    api.create(with_metadata(parent(), annotations={"a": "x" * (most - 1)}), "you")

    with pytest.raises(ApiError, match="Too long"):
        api.create(with_metadata(parent("other"), annotations={"a": "x" * most}), "you")


def test_a_placed_object_is_stored_unchecked_and_keeps_the_status(api: ApiServer) -> None:
    api.place(with_metadata({**parent(), "status": {"a": 1}}, uid="mine"))
    api.place(with_metadata(parent(image="b"), uid="mine"))

    found = stored(api)
    assert (found["metadata"]["uid"], found["status"], found["spec"]["image"]) == ("mine", {"a": 1}, "b")


def test_watchers_get_only_changes(api: ApiServer) -> None:
    changes: list[Write] = []
    api.watch(changes.append)
    made = api.create(foreign(service()), "you")
    api.update(made, "you")
    api.delete(SERVICE, "you")
    with pytest.raises(ApiError):
        api.delete(SERVICE, "you")

    assert [str(write) for write in changes] == ["create Service web", "delete Service web"]
    assert [write.refused is None for write in api.history.writes()] == [True, True, True, False]


def test_a_status_that_differs_only_in_a_null_changes_nothing(api: ApiServer) -> None:
    made = api.create(foreign(deployment()), "you")
    stored_once = api.update_status({**made, "status": {"replicas": 1}}, "you")

    assert api.update_status({**stored_once, "status": {"replicas": 1, "conditions": None}}, "you") == stored_once


def test_listeners_get_every_entry_at_once(api: ApiServer) -> None:
    heard: list[object] = []
    api.history.listeners.append(heard.append)
    api.create(parent(), "you")

    assert heard == api.history.entries


NAMED = "must be a name of letters, digits, '-', '_' and '.', with or without a prefix and '/'"
HTTP = {"port": 80, "name": "http"}


def of_service(*ports: Json) -> Json:
    return {**service(), "spec": {"ports": list(ports)}}


@pytest.mark.parametrize(
    ("item", "why"),
    [
        pytest.param(with_metadata(service(), labels={"a b": "c"}), f"metadata.labels: a b: {NAMED}", id="a label"),
        pytest.param(
            with_metadata(service(), labels={"a": "b c"}), "metadata.labels: a: must be", id="a label's value"
        ),
        pytest.param(
            {"apiVersion": "v1", "kind": "ConfigMap", "metadata": {"name": "a"}, "data": {"a/b": ""}},
            "data: a key must be letters",
            id="a key of data",
        ),
        pytest.param(
            of_service(HTTP, {"port": 81}), "spec.ports: each of several ports must have a name", id="a port without"
        ),
        pytest.param(
            of_service(HTTP, {"port": 81, "name": "http"}), "Duplicate value: two have the same name", id="a name twice"
        ),
        pytest.param(of_service(HTTP, {"port": 80, "name": "b"}), "two have the same port", id="a port twice"),
        pytest.param(
            deployment(selector={"matchLabels": {}}), "spec.selector: Required value", id="a selector of nothing"
        ),
        pytest.param(
            with_main(volumeMounts=[{"name": "page", "mountPath": "/"}]), "page is no volume of the Pod", id="a mount"
        ),
    ],
)
def test_what_the_real_one_refuses_is_refused(api: ApiServer, item: Json, why: str) -> None:
    with pytest.raises(ApiError) as raised:
        api.create(with_metadata(item, namespace="default"), "you")

    assert raised.value.reason == "Invalid"
    assert why in str(raised.value)
