"""The settings that a CompositeController and CRDs give."""

from typing import Any

import pytest
from msgspec import structs

from metahook import ConfigMap, Kind
from metahook.simulator import NotSimulated, Settings, UnknownResource
from metahook.simulator.metacontroller.settings import METHODS, HookSettings
from toolkit.controllers import decorator

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
CHILD = {"apiVersion": "v1", "resource": "configmaps"}


def composite(**more: Any) -> dict[str, Any]:
    parent = {"apiVersion": "example.com/v1", "resource": "greetings", **more.pop("parent", {})}
    children = [{"apiVersion": "v1", "resource": "configmaps"}]
    spec = {"generateSelector": True, "parentResource": parent, "childResources": children, "hooks": {"sync": V2}}
    return {"spec": {**spec, **more}}


def test_the_kinds_are_those_of_the_crds_and_of_every_cluster() -> None:
    read = Settings.read(composite(), [CRD])

    assert (read.parent, read.children) == (GREETING, (ConfigMap.KIND,))
    assert {GREETING, LATER} <= read.kinds


@pytest.mark.parametrize("given", [("controller.yaml",), (composite(), ["crd.yaml"])])
def test_a_path_in_place_of_an_object_is_refused(given: Any) -> None:
    with pytest.raises(TypeError, match=r"takes objects, not a str: read a file with yaml.safe_load"):
        Settings.read(*given)


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
    ("strategy", "method"), [({}, "OnDelete"), *(({"updateStrategy": {"method": each}}, each) for each in METHODS)]
)
def test_a_child_is_never_updated_unless_its_update_method_says_so(strategy: dict[str, Any], method: str) -> None:
    children = [{"apiVersion": "v1", "resource": "configmaps", **strategy}]

    read = Settings.read(composite(childResources=children), [CRD])

    assert read.update_method(ConfigMap.KIND) == method


def test_a_resource_that_the_cluster_does_not_serve_is_an_error_with_the_remedy() -> None:
    with pytest.raises(UnknownResource, match=r"no greetings in example\.com/v1: write the plural"):
        Settings.read(composite())


def test_null_is_the_same_as_absence() -> None:
    nothing = {"labelSelector": None, "ignoreStatusChanges": None}
    nulls = composite(
        parent=nothing, childResources=None, resyncPeriodSeconds=None, hooks={"sync": V2, "customize": None}
    )

    of_nulls, of_none = (
        structs.asdict(structs.replace(Settings.read(each, [CRD]), manifest={}))
        for each in (nulls, composite(childResources=[]))
    )
    assert of_nulls == of_none


@pytest.mark.parametrize(
    ("hook", "settings"),
    [
        ({}, HookSettings("v1", loose=True)),
        ({"version": "v1", "webhook": {"responseUnMarshallMode": "strict"}}, HookSettings("v1", loose=False)),
        ({"version": "v2"}, HookSettings("v2", loose=False)),
        ({"version": "v2", "webhook": {"responseUnMarshallMode": "loose"}}, HookSettings("v2", loose=True)),
    ],
)
def test_a_hook_has_metacontrollers_version_and_decoding(hook: dict[str, Any], settings: HookSettings) -> None:
    read = Settings.read(composite(hooks={"finalize": {"webhook": {}, **hook}}), [CRD])

    assert read.hook("finalize") == settings
    assert (read.has_finalize, read.has_sync) == (True, False)


def test_a_crd_says_whether_its_kind_is_cluster_scoped() -> None:
    crd = {"spec": {**CRD["spec"], "scope": "Cluster"}}

    assert Settings.read(composite(), [CRD]).parent.namespaced
    assert not Settings.read(composite(), [crd]).parent.namespaced


def test_a_decorator_has_several_resources_with_selectors_of_their_own() -> None:
    annotations = {"annotationSelector": {"matchAnnotations": {"a": "b"}}, "ignoreStatusChanges": True}
    spec = {
        "resources": [
            {"apiVersion": "example.com/v1", "resource": "greetings", "labelSelector": {"matchLabels": {"c": "d"}}},
            {"apiVersion": "v1", "resource": "configmaps", **annotations},
        ],
        "attachments": [{"apiVersion": "v1", "resource": "services", "updateStrategy": {"method": "InPlace"}}],
        "hooks": {"sync": V2},
    }

    read = Settings.read({"kind": "DecoratorController", "metadata": {"name": "both"}, "spec": spec}, [CRD])

    assert (read.api, read.name, read.parent) == ("decorator", "both", GREETING)
    assert [(each.kind, each.ignore_status_changes) for each in read.parents] == [
        (GREETING, False),
        (ConfigMap.KIND, True),
    ]
    greeting, config_map = (each.matches for each in read.parents)
    assert greeting({"metadata": {"labels": {"c": "d"}}})
    assert not greeting({"metadata": {"annotations": {"a": "b"}}})
    assert config_map({"metadata": {"annotations": {"a": "b"}}})
    assert not config_map({"metadata": {"labels": {"a": "b"}}})


@pytest.mark.parametrize(
    ("controller", "message"),
    [
        pytest.param(
            composite(childResources=[{**CHILD, "updateStrategy": {"method": "Inplace"}}]),
            r"childResources\[0\].updateStrategy.method is not a method: set it to InPlace, OnDelete",
            id="method",
        ),
        *(
            pytest.param(
                composite(childResources=[{**CHILD, "updateStrategy": {"method": f"Rolling{instead}"}}]),
                rf"childResources\[0\]\.updateStrategy\.method is Rolling{instead}, .* set it to {instead}$",
                id=f"rolling {instead}",
            )
            for instead in ("InPlace", "Recreate")
        ),
        pytest.param({**composite(), "kind": "Deployment"}, "Deployment is not a controller: pass a Comp", id="kind"),
        pytest.param(composite(hooks={"customize": V2}), "has neither sync nor finalize: add sync", id="no hook"),
        pytest.param(
            composite(parent={"labelSelector": {"matchExpressions": [{"key": "a", "operator": "In"}]}}),
            "greetings: a selector has an operator without values",
            id="selector",
        ),
    ],
)
def test_a_controller_that_metacontroller_would_not_run_is_an_error_with_the_remedy(
    controller: dict[str, Any], message: str
) -> None:
    with pytest.raises(NotSimulated, match=message):
        Settings.read(controller, [CRD])


def test_a_decorator_of_no_resource_is_an_error_with_the_remedy() -> None:
    with pytest.raises(NotSimulated, match=r"spec\.resources is empty: name a resource to decorate"):
        Settings.read(decorator("copier", []))


def test_what_is_simulated_in_another_way_is_a_gap_with_its_name() -> None:
    again = {"spec": {**CRD["spec"], "group": "example.org"}}
    etag = composite(hooks={"sync": {**V2, "webhook": {"etag": {"enabled": True}}}})

    assert Settings.read(composite(), [CRD]).gaps == ()
    assert [gap.partition(" is ")[0] for gap in Settings.read(etag, [CRD, again]).gaps] == [
        "spec.hooks.sync.webhook.etag",
        "Greeting",
    ]
