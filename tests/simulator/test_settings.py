"""The settings that a CompositeController and CRDs give."""

from typing import Any

import pytest

from metahook import ConfigMap, Kind
from metahook.simulator import NotSimulated, Settings, UnknownResource

CRD = {
    "spec": {
        "group": "example.com",
        "names": {"kind": "Greeting", "plural": "greetings"},
        "versions": [{"name": "v1"}, {"name": "v2"}],
    }
}
GREETING = Kind("example.com/v1", "Greeting", "greetings")
LATER = Kind("example.com/v2", "Greeting", "greetings")
V2 = {"version": "v2"}


def composite(**more: Any) -> dict[str, Any]:
    parent = {"apiVersion": "example.com/v1", "resource": "greetings", **more.pop("parent", {})}
    children = [{"apiVersion": "v1", "resource": "configmaps"}]
    spec = {"generateSelector": True, "parentResource": parent, "childResources": children, "hooks": {"sync": V2}}
    return {"spec": {**spec, **more}}


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
    hooks = {"sync": V2, "customize": V2}
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


def test_null_is_the_same_as_absence() -> None:
    nothing = {"labelSelector": None, "ignoreStatusChanges": None}
    nulls = composite(
        parent=nothing, childResources=None, resyncPeriodSeconds=None, hooks={"sync": V2, "customize": None}
    )

    assert Settings.read(nulls, [CRD]) == Settings.read(composite(childResources=[]), [CRD])


def config_maps(method: str) -> list[dict[str, Any]]:
    return [{"apiVersion": "v1", "resource": "configmaps", "updateStrategy": {"method": method}}]


@pytest.mark.parametrize(
    ("spec", "message"),
    [
        *(
            pytest.param(
                {"childResources": config_maps(method)},
                r"childResources\[0\].updateStrategy.method is not simulated: set it to InPlace or OnDelete, or use",
                id=method,
            )
            for method in ("Recreate", "RollingRecreate", "RollingInPlace", "Inplace")
        ),
        *(
            pytest.param(
                {"generateSelector": value}, "generateSelector is not simulated unless", id=f"selector-{value}"
            )
            for value in (False, None)
        ),
        pytest.param({"hooks": {"sync": V2, "finalize": V2}}, "hooks.finalize is not simulated: leave it", id="hook"),
        pytest.param({"hooks": {"sync": {"version": "v1"}}}, "sync.version is not simulated: set it to v2", id="v1"),
        pytest.param({"hooks": {"sync": {"webhook": {}}}}, "sync.version is not simulated: set it", id="no-version"),
        pytest.param(
            {"hooks": {"sync": V2, "customize": {"version": "v1"}}},
            "customize.version is not simulated",
            id="customize",
        ),
    ],
)
def test_a_setting_that_is_not_simulated_is_an_error_with_the_remedy(spec: dict[str, Any], message: str) -> None:
    with pytest.raises(NotSimulated, match=message):
        Settings.read(composite(**spec), [CRD])


@pytest.mark.parametrize("method", ["InPlace", "OnDelete"])
def test_the_simulated_update_methods_are_no_errors(method: str) -> None:
    """The negative control of the settings that are errors."""
    hooks = {"sync": V2, "customize": V2, "finalize": None}

    assert Settings.read(composite(childResources=config_maps(method), hooks=hooks), [CRD]).has_customize
