"""Drift: which fields differ, who changed them, and how they are repaired."""

import json
from datetime import timedelta
from typing import Any

import pytest

from metahook import (
    LAST_APPLIED,
    ConfigMap,
    Manifest,
    Resend,
    UndeclaredKind,
    drifted_field,
    overridden_field,
    overriding_manager,
    was_resent,
    with_observed_values,
    with_repair,
)
from metahook.simulator.metacontroller.children import merge
from toolkit.builders import NOW
from toolkit.hooks.minimal import config_map, observed_children

Json = dict[str, Any]

A = {"name": "A", "value": "1"}


def drift(desired: Any, observed: Any) -> str | None:
    """Return the drift of a child whose spec is *observed*, and *desired* to be another."""
    return drifted_field(config_map(spec=desired), observed_children(config_map(spec=observed)))


@pytest.mark.parametrize(
    ("desired", "observed"),
    [
        pytest.param({"a": 1}, {"a": 1, "b": 2}, id="a field of others"),
        pytest.param({"a": {}}, {"a": {"b": 1}}, id="an empty object"),
        pytest.param([{"name": "main", "x": 1}], [{"name": "sidecar"}, {"name": "main", "x": 1}], id="by name"),
        pytest.param(
            [{"name": "A", "value": "1"}, {"name": "B", "value": "2"}],
            [{"name": "B", "value": "2"}, {"name": "A", "value": "1"}],
            id="named items in another order",
        ),
        pytest.param([{"port": 80}], [{"port": 80, "nodePort": 30000}], id="by port"),
        pytest.param(
            [{"port": 53, "protocol": "TCP"}],
            [{"port": 53, "protocol": "TCP"}, {"port": 53, "protocol": "UDP"}],
            id="another protocol of a port, after ours",
        ),
        pytest.param(
            [{"port": 53, "protocol": "TCP"}],
            [{"port": 53, "protocol": "UDP"}, {"port": 53, "protocol": "TCP"}],
            id="another protocol of a port, before ours",
        ),
        pytest.param(
            [{"port": 53, "name": "dns"}],
            [{"port": 53, "name": "dns", "protocol": "TCP"}, {"port": 53, "name": "other", "protocol": "UDP"}],
            id="another protocol of a port, where ours is TCP by default",
        ),
        pytest.param([{"port": 80}], [{"port": 80, "protocol": "HTTP"}], id="another protocol by default"),
        pytest.param([{"name": {"a": 1}}], [{"name": {"a": 1, "b": 2}}], id="named by an object"),
        pytest.param([{"key": "a"}], [{"key": "a", "operator": "Equal"}], id="by index"),
        pytest.param(["a", "b"], ["a", "b"], id="plain items"),
        pytest.param([], [], id="empty lists"),
        pytest.param([A, {**A, "value": "2"}], [A, {**A, "value": "2"}], id="two items of one name, as desired"),
        pytest.param({"env": [A, {**A, "value": "2"}]}, {"env": [A, {**A, "value": "2"}]}, id="the same, deeper"),
    ],
)
def test_values_that_the_hook_does_not_set_are_no_drift(desired: Any, observed: Any) -> None:
    assert drift(desired, observed) is None


@pytest.mark.parametrize(
    ("desired", "observed", "path"),
    [
        pytest.param({"replicas": 3}, {"replicas": 7}, "spec.replicas", id="another value"),
        pytest.param({"replicas": 3}, {}, "spec.replicas", id="no value"),
        pytest.param({"replicas": 3}, None, "spec", id="nothing at all"),
        pytest.param({"a": {"b": 1}}, {"a": "b"}, "spec.a", id="no object"),
        pytest.param({"a": [1]}, {"a": {"0": 1}}, "spec.a", id="no list"),
        pytest.param(
            {"c": [{"name": "main", "x": 1}]}, {"c": [{"name": "main", "x": 2}]}, "spec.c[main].x", id="named"
        ),
        pytest.param(
            {"p": [{"port": 53, "protocol": "TCP"}]},
            {"p": [{"port": 53, "protocol": "UDP"}, {"port": 53, "protocol": "SCTP"}]},
            "spec.p[53].protocol",
            id="only other protocols of a port",
        ),
        pytest.param(
            {"p": [{"port": 53, "protocol": "TCP", "targetPort": 1}]},
            {"p": [{"port": 53, "protocol": "TCP", "targetPort": 2}, {"port": 53, "protocol": "UDP"}]},
            "spec.p[53].targetPort",
            id="another value beside another protocol",
        ),
        pytest.param(
            {"env": [A]}, {"env": [A, {**A, "value": "2"}]}, "spec.env[A].value", id="a variable again, which wins"
        ),
        pytest.param({"c": [{"name": "main"}]}, {"c": [{"name": "other"}]}, "spec.c[main]", id="a name is missing"),
        pytest.param({"c": [{"name": "main"}]}, {"c": [{"name": ["main"]}, 5]}, "spec.c[main]", id="odd items"),
        pytest.param({"t": [{"key": "a"}]}, {"t": [{"key": "a"}, {"key": "b"}]}, "spec.t", id="one more, by index"),
        pytest.param({"t": [{"key": "a"}]}, {"t": [{"key": "b"}]}, "spec.t[0].key", id="another, by index"),
        pytest.param({"args": ["a", "b"]}, {"args": ["b", "a"]}, "spec.args[0]", id="plain items in another order"),
        pytest.param({"args": ["a", "b"]}, {"args": ["a", "c"]}, "spec.args[1]", id="another plain item"),
        pytest.param({"args": []}, {"args": ["a"]}, "spec.args", id="an empty list means empty"),
        pytest.param({"selector": {"a": "1"}}, {"selector": {"a": "1", "b": "2"}}, "spec.selector", id="a selector"),
    ],
)
def test_drift_is_the_path_of_the_first_value_that_differs(desired: Any, observed: Any, path: str) -> None:
    assert drift(desired, observed) == path


X = {"name": "X", "value": "$(A)"}


@pytest.mark.parametrize(
    ("desired", "observed", "left"),
    [
        pytest.param({"replicas": 3, "x": 1}, {"replicas": 7, "x": 1}, {"replicas": 7, "x": 1}, id="another value"),
        pytest.param({"replicas": 3, "x": 1}, {"x": 1, "theirs": 2}, {"x": 1}, id="no value"),
        pytest.param({"a": {"b": 1, "c": 2}}, {"a": {"b": 3, "c": 2}}, {"a": {"b": 3, "c": 2}}, id="deeper"),
        pytest.param({"a": {"b": 1}}, {"a": "b"}, {"a": "b"}, id="no object"),
        pytest.param(
            {"c": [{"name": "main", "x": 1}]},
            {"c": [{"name": "sidecar"}, {"name": "main", "x": 2, "theirs": 3}]},
            {"c": [{"name": "main", "x": 2}]},
            id="named",
        ),
        pytest.param(
            {"c": [{"name": "a"}, {"name": "b"}]},
            {"c": [{"name": "b"}]},
            {"c": [{"name": "b"}]},
            id="a name is missing",
        ),
        pytest.param({"t": [{"key": "a"}]}, {"t": [{"key": "b"}]}, {"t": [{"key": "b"}]}, id="by index"),
        pytest.param({"args": ["a"]}, {"args": ["b", "a"]}, {"args": ["b", "a"]}, id="plain items"),
        pytest.param({"env": [A, X]}, {"env": [X, A]}, {"env": [X, A]}, id="the order of variables"),
        pytest.param({"selector": {"a": "1"}}, {"selector": {"a": "1", "b": "2"}}, None, id="a selector"),
        pytest.param({"t": [], "b": 1}, {"t": [{"x": None, "y": 1}], "b": None}, {"t": [{"y": 1}]}, id="no nulls"),
    ],
)
def test_observed_values_in_place_of_those_that_differ_change_nothing(desired: Any, observed: Any, left: Any) -> None:
    live, asked = config_map(spec=observed), config_map(spec=desired)

    yielded = with_observed_values(asked, observed_children(live))

    assert yielded == config_map(spec=left or observed)
    if "None" not in str(observed):
        assert drifted_field(yielded, observed_children(live)) is None
        assert merge(live, asked, yielded) == live


def test_under_server_side_apply_a_field_that_another_manager_owns_is_left_out() -> None:
    """Server-side apply would set the observed value, which can be old, over a newer one."""
    container: Any = {'k:{"name":"main"}': {"f:image": {}}}
    theirs = {"manager": "other", "operation": "Update", "fieldsV1": {"f:spec": {"f:replicas": {}, "f:c": container}}}
    own: Any = {"f:spec": {"f:c": {'k:{"name":"main"}': {"f:x": {}}}}}
    ours = {"manager": "metacontroller", "operation": "Apply", "fieldsV1": own}
    observed = config_map(spec={"replicas": 3, "c": [{"name": "main", "image": "b", "x": 2}]})
    asked = config_map(spec={"replicas": 1, "c": [{"name": "main", "image": "a", "x": 1}]})
    observed["metadata"]["managedFields"] = [theirs, ours]

    applied = with_observed_values(asked, observed_children(observed))
    observed["metadata"]["annotations"] = {LAST_APPLIED: "{}"}
    dynamic = with_observed_values(asked, observed_children(observed))

    assert applied["spec"] == {"c": [{"name": "main", "x": 2}]}
    assert dynamic["spec"] == observed["spec"]


B = {"name": "B", "value": "$(A) $(ELSEWHERE)"}
C = {"name": "C", "value": "2"}


@pytest.mark.parametrize(
    ("desired", "observed", "path"),
    [
        pytest.param([A, B], [B, A], "spec.env", id="used too early"),
        pytest.param([B, A], [A, B], "spec.env", id="used though it should not be"),
        pytest.param([A, B], [A, {"name": "X"}, B], None, id="others between"),
        pytest.param([C, A, B], [A, B, C], None, id="the order of others"),
    ],
)
def test_a_variable_stays_on_its_side_of_one_that_it_uses(desired: Any, observed: Any, path: str | None) -> None:
    assert drift({"env": desired}, {"env": observed}) == path


@pytest.mark.parametrize(
    ("value", "is_use"),
    [
        ("$(A)", True),
        ("x$(A)y", True),
        ("$$$(A)", True),
        ("$x$(A)", True),
        ("$(B$(A)", False),
        ("$$(A)", False),
        ("$$$$(A)", False),
        ("$(A", False),
        ("$(A $(", False),
        ("$((A)", False),
        ("$(A))", True),
        ("$()$(A)", True),
        ("\n$\n$(A)", True),
        ("$(\nA)", False),
        ("A) $(", False),
        ("$", False),
        ("", False),
    ],
)
def test_a_reference_is_what_kubernetes_expands(value: str, *, is_use: bool) -> None:
    user = {"name": "USER", "value": value}

    found = drift({"env": [A, user]}, {"env": [user, A]})

    assert found == ("spec.env" if is_use else None)


@pytest.mark.parametrize(
    "env",
    [
        pytest.param([{"name": "WORKERS", "value": 4}, {"name": "X", "value": "$(WORKERS)"}], id="a number"),
        pytest.param([{"name": "B", "value": {"from": "A"}}, A], id="an object"),
        pytest.param([{"path": "a", "value": "$(b)"}, {"path": "b", "value": "1"}], id="by path"),
        pytest.param([{"port": 1, **A}, {"port": 2, "name": "B", "value": "$(A)"}], id="by port"),
    ],
)
def test_a_list_that_is_only_called_env_has_no_order(env: Any) -> None:
    assert drift({"env": env}, {"env": env}) is None
    assert drift({"env": env}, {"env": env[::-1]}) is None


def test_variables_from_elsewhere_do_not_stop_the_order_of_the_others() -> None:
    secret = {"name": "S", "valueFrom": {"secretKeyRef": {"name": "s", "key": "k"}}}

    assert drift({"env": [A, secret, B]}, {"env": [B, secret, A]}) == "spec.env"


# A child of any kind


@pytest.mark.parametrize(
    ("desired", "observed", "path"),
    [
        pytest.param({"data": {"a": "1"}}, {"data": {"a": "1", "b": "2"}}, None, id="a key of others"),
        pytest.param({"data": {"a": "1"}}, {"data": {"a": "2"}}, "data.a", id="another value"),
        pytest.param({"data": {"a": "1"}}, {}, "data", id="no data"),
        pytest.param({"immutable": True}, {"data": {}}, "immutable", id="a field at the top"),
        pytest.param({}, {"data": {"a": "1"}}, None, id="nothing but metadata"),
    ],
)
def test_a_child_without_a_spec_drifts_in_the_fields_that_it_has(desired: Any, observed: Any, path: str | None) -> None:
    children = observed_children(config_map(**observed))

    assert drifted_field(config_map(**desired), children) == path


def test_metadata_is_not_compared() -> None:
    desired = config_map()
    desired["metadata"] = {**desired["metadata"], "labels": {"a": "1"}, "annotations": {"b": "2"}}

    assert drifted_field(desired, observed_children(config_map())) is None


def test_a_child_that_is_not_observed_drifts_in_its_name() -> None:
    desired = config_map(spec={"replicas": 1})

    assert drifted_field(desired, observed_children()) == "metadata.name"
    assert with_observed_values(desired, observed_children()) == desired
    assert overriding_manager(desired, "spec.replicas", observed_children()) is None
    assert overriding_manager(desired, "spec.replicas", observed_children(config_map())) is None


def test_a_child_of_an_undeclared_kind_is_no_drift_but_an_error() -> None:
    with pytest.raises(UndeclaredKind, match="add Secret to children="):
        drifted_field({**config_map(), "kind": "Secret"}, observed_children())


# Who changed a field, as managedFields and the record of dynamic-apply tell

OWNER: Json = {"f:metadata": {"f:ownerReferences": {'k:{"uid":"uid-of-hello"}': {}}}}


def entry(manager: str, fields: Json, time: str = "2026-01-31T12:00:00Z", **more: Any) -> Json:
    return {"manager": manager, "operation": "Update", "time": time, "fieldsV1": fields, **more}


def manager(path: str, *entries: Json) -> str | None:
    """Return who set *path* of a child with these *entries* in its managedFields."""
    made = config_map()
    made["metadata"]["managedFields"] = list(entries)
    return overriding_manager(made, path, observed_children(made))


REPLICAS: Json = {"f:spec": {"f:replicas": {}}}
MAIN = 'k:{"name":"main"}'
STAMP = "example.com/applied"


@pytest.mark.parametrize(
    ("path", "fields"),
    [
        ("spec.replicas", REPLICAS),
        ("spec.c[main].image", {"f:spec": {"f:c": {MAIN: {".": {}, "f:image": {}}}}}),
        ("spec.c[main]", {"f:spec": {"f:c": {MAIN: {".": {}, "f:image": {}}}}}),
        ("spec.ports[80].name", {"f:spec": {"f:ports": {'k:{"port":80,"protocol":"TCP"}': {"f:name": {}}}}}),
        ("spec.selector", {"f:spec": {"f:selector": {}}}),
        ("spec.args[1]", {"f:spec": {"f:args": {}}}),
        (f"metadata.annotations.{STAMP}", {"f:metadata": {"f:annotations": {f"f:{STAMP}": {}}}}),
    ],
)
def test_the_owner_of_a_field_set_it(path: str, fields: Json) -> None:
    other = entry("other", {"f:spec": {"f:replica": {}, "f:c": {'k:{"name":"mai"}': {"f:image": {}}}}})
    wrong = entry("wrong", dict.fromkeys(fields, "no fields"))

    assert manager(path, entry("metacontroller", OWNER), other, wrong, entry("scaler", fields)) == "scaler"


def test_of_several_it_is_the_one_that_came_last() -> None:
    later = entry("later", REPLICAS, "2026-01-31T12:00:01Z")

    assert manager("spec.replicas", later, entry("earlier", REPLICAS), entry("metacontroller", REPLICAS)) == "later"


def test_what_only_metacontroller_set_no_one_overrode_whatever_it_is_called() -> None:
    assert manager("spec.replicas", entry("metacontroller", REPLICAS)) is None
    assert manager("spec.replicas", entry("mc", {**OWNER, **REPLICAS})) is None
    assert manager("spec.replicas", entry("mc", REPLICAS)) == "mc"


@pytest.mark.parametrize(
    ("record", "overrider"),
    [({"spec": {"replicas": 3}}, ""), ({"spec": {"replicas": 2}}, None), ({"spec": {}}, None), ({}, None)],
    ids=str,
)
def test_what_nobody_owns_was_removed_if_it_was_applied_as_it_is_desired(record: Json, overrider: str | None) -> None:
    live = config_map(spec={})
    live["metadata"] |= {
        "managedFields": [entry("metacontroller", OWNER)],
        "annotations": {LAST_APPLIED: json.dumps(record)},
    }

    assert overriding_manager(config_map(spec={"replicas": 3}), "spec.replicas", observed_children(live)) == overrider


def test_the_field_that_another_manager_changed_is_found_among_all_that_differ() -> None:
    live = config_map(spec={"a": 0, "b": ["x"], "c": [{"name": "main"}]})
    live["metadata"]["managedFields"] = [
        entry("metacontroller", {"f:spec": {"f:a": {}}}),
        entry("editor", {"f:spec": {"f:c": {MAIN: {".": {}, "f:image": {}}}}}),
    ]
    desired = config_map(spec={"a": 1, "b": [], "c": [{"name": "main", "image": "x"}]})

    assert drifted_field(desired, observed_children(live)) == "spec.a"
    assert overridden_field(desired, observed_children(live)) == ("spec.c[main].image", "editor")
    assert overridden_field(live, observed_children(live)) is None


KEY = "example.com/repair"


def with_metadata(**metadata: Any) -> Manifest:
    child = config_map()
    return {**child, "metadata": {**child["metadata"], **metadata}}


def observed(**metadata: Any) -> ConfigMap:
    found = observed_children(with_metadata(**metadata)).get(ConfigMap, "hello")
    assert found
    return found


def resend(seconds: float = 0) -> Resend:
    return Resend("data.a of ConfigMap hello", NOW, NOW + timedelta(seconds=seconds))


def test_a_child_without_labels_and_annotations_needs_no_repair() -> None:
    assert with_repair(config_map(), observed(), KEY) == config_map()
    assert with_repair(with_metadata(labels={}), observed(labels={"a": "1"}), KEY) == with_metadata(labels={})


def test_a_child_that_is_not_observed_needs_no_repair() -> None:
    assert with_repair(with_metadata(labels={"a": "1"}), None, KEY, resend()) == with_metadata(labels={"a": "1"})


def test_while_a_label_is_missing_the_child_carries_the_annotation_beside_its_own() -> None:
    desired = with_metadata(labels={"a": "1"}, annotations={"b": "2"})

    missing, whole = with_repair(desired, observed(), KEY), with_repair(desired, observed(labels={"a": "1"}), KEY)

    assert missing["metadata"]["annotations"].keys() == {"b", KEY}
    assert whole == desired


def test_a_label_with_another_value_is_repaired_too() -> None:
    repaired = with_repair(with_metadata(labels={"a": "1"}), observed(labels={"a": "2"}), KEY)

    assert KEY in repaired["metadata"]["annotations"]


def test_an_annotation_that_is_to_be_restored_is_repaired_under_server_side_apply_alone() -> None:
    desired, applied = with_metadata(annotations={"a": "1", "b": "2"}), {LAST_APPLIED: "{}"}

    assert KEY in with_repair(desired, observed(), KEY, restored=["a"])["metadata"]["annotations"]
    assert with_repair(desired, observed(annotations={"a": "0"}), KEY, restored=["a"]) == desired
    assert with_repair(desired, observed(annotations=applied), KEY, restored=["a"]) == desired
    assert with_repair(desired, observed(), KEY) == desired


def test_a_value_is_sent_again_every_ten_minutes() -> None:
    tokens = [
        with_repair(config_map(), observed(), KEY, resend(seconds))["metadata"]["annotations"][KEY]
        for seconds in (0, 599, 600)
    ]

    assert tokens[0] == tokens[1] != tokens[2]


def test_what_was_sent_again_is_found_on_the_child_whenever_it_was() -> None:
    sent = with_repair(with_metadata(labels={"a": "1"}), observed(), KEY, resend())["metadata"]["annotations"]

    assert was_resent(observed(annotations=sent), KEY, resend(9999))
    assert not was_resent(observed(annotations=sent), KEY, Resend("data.b of ConfigMap hello", NOW, NOW))
    assert not was_resent(observed(), KEY, resend())
