"""The settings that a CompositeController and CRDs give."""

from typing import Any

import pytest

from metahook import Kind
from metahook.kinds import ConfigMap
from metahook.simulator import Settings, UnknownResource

CRD = {
    "spec": {
        "group": "example.com",
        "names": {"kind": "Greeting", "plural": "greetings"},
        "versions": [{"name": "v1"}, {"name": "v2"}],
    }
}
GREETING = Kind("example.com/v1", "Greeting", "greetings")
LATER = Kind("example.com/v2", "Greeting", "greetings")


def composite(**more: Any) -> dict[str, Any]:
    parent = {"apiVersion": "example.com/v1", "resource": "greetings", **more.pop("parent", {})}
    children = [{"apiVersion": "v1", "resource": "configmaps"}]
    return {"spec": {"parentResource": parent, "childResources": children, "hooks": {"sync": {}}, **more}}


def test_the_kinds_are_those_of_the_crds_and_of_every_cluster() -> None:
    read = Settings.read(composite(), [CRD])

    assert (read.parent, read.children) == (GREETING, (ConfigMap.KIND,))
    assert {GREETING, LATER} <= read.kinds


def test_what_the_composite_controller_does_not_set_has_metacontrollers_default() -> None:
    read = Settings.read(composite(), [CRD])

    assert (read.ignore_status_changes, read.has_customize, read.resync_period) == (False, False, 1800)
    assert read.label_selector == {}


def test_what_the_composite_controller_sets_is_read() -> None:
    selector = {"matchLabels": {"a": "b"}}
    hooks: dict[str, Any] = {"sync": {}, "customize": {}}
    set_all = composite(
        parent={"ignoreStatusChanges": True, "labelSelector": selector}, resyncPeriodSeconds=60, hooks=hooks
    )

    read = Settings.read(set_all, [CRD], "server-side-apply")

    assert (read.ignore_status_changes, read.has_customize, read.resync_period) == (True, True, 60)
    assert (read.mode, read.label_selector) == ("server-side-apply", selector)


@pytest.mark.parametrize(
    ("strategy", "never_updated"),
    [
        pytest.param({}, (ConfigMap.KIND,), id="the default"),
        pytest.param({"updateStrategy": {"method": "OnDelete"}}, (ConfigMap.KIND,), id="OnDelete"),
        pytest.param({"updateStrategy": {"method": "InPlace"}}, (), id="InPlace"),
    ],
)
def test_a_child_is_never_updated_unless_its_update_method_says_so(
    strategy: dict[str, Any], never_updated: tuple[Kind, ...]
) -> None:
    children = [{"apiVersion": "v1", "resource": "configmaps", **strategy}]

    assert Settings.read(composite(childResources=children), [CRD]).on_delete == never_updated


def test_a_resource_that_the_cluster_does_not_serve_is_an_error_with_the_remedy() -> None:
    with pytest.raises(UnknownResource, match=r"no greetings in example\.com/v1: pass their CRD"):
        Settings.read(composite())
