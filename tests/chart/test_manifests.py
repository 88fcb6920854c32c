"""The manifests for installing with kubectl, made from the chart: valid, as the code needs them, and no more rights."""

from collections.abc import Iterator
from pathlib import Path
from typing import Any

import kubernetes_validate
import pytest
import yaml

from app.api.values.names import API_VERSION, GROUP, PLURAL
from app.core.desired.manifests.routes import ROUTES
from charts.version import VERSION
from tests.requests.builders import MYRESOURCE
from tests.schemas.kubernetes import validate

ROOT = Path(__file__).parents[2]
MANIFESTS = ROOT / "metacontroller"
DEFAULT = [kind for kind in MYRESOURCE.children if kind not in ROUTES]
"""The kinds of children that the values of the chart do not turn off."""
OURS = ("Kustomization", "CompositeController", "CustomResourceDefinition")

Json = dict[str, Any]


def documents(folder: Path) -> Iterator[Json]:
    for file in sorted(folder.glob("*.yaml")):
        yield from yaml.safe_load_all(file.read_text())


def the(kind: str, name: str = "") -> Json:
    (found,) = [item for item in documents(MANIFESTS) if item["kind"] == kind and name in str(item.get("metadata"))]
    return found


@pytest.mark.parametrize(
    "item",
    [
        pytest.param(item, id=f"{item['kind']} {item['metadata']['name']}")
        for item in documents(MANIFESTS)
        if item["kind"] not in OURS
    ],
)
def test_every_manifest_of_kubernetes_own_kinds_is_valid(item: Json) -> None:
    validate(item, "1.34")


def test_a_manifest_with_a_typing_mistake_would_be_caught() -> None:
    broken = {**the("Service"), "spec": {"selctor": {}}}

    with pytest.raises(kubernetes_validate.ValidationError):
        validate(broken, "1.34")


def test_the_kustomization_lists_every_manifest() -> None:
    listed = {name for name in the("Kustomization")["resources"] if not name.startswith("..")}

    assert listed == {file.name for file in MANIFESTS.glob("*.yaml")} - {"kustomization.yaml"}


def test_the_compositecontroller_is_set_as_the_design_says() -> None:
    spec = the("CompositeController")["spec"]

    assert spec["generateSelector"] is True
    assert spec["resyncPeriodSeconds"] == 600
    assert spec["parentResource"] == {"apiVersion": API_VERSION, "resource": PLURAL, "ignoreStatusChanges": True}
    assert set(spec["hooks"]) == {"sync", "customize"}
    for hook in spec["hooks"].values():
        assert hook["version"] == "v2"
        assert hook["webhook"]["responseUnMarshallMode"] == "strict"
        assert f"?rev={VERSION}-" in hook["webhook"]["url"]


def test_the_compositecontroller_watches_just_the_kinds_that_the_controller_makes() -> None:
    watched = {(c["apiVersion"], c["resource"]) for c in the("CompositeController")["spec"]["childResources"]}

    assert watched == {(kind.KIND.api_version, kind.KIND.plural) for kind in DEFAULT}
    assert {c["updateStrategy"]["method"] for c in the("CompositeController")["spec"]["childResources"]} == {"InPlace"}


def test_the_hooks_address_is_that_of_the_service() -> None:
    service, controller = the("Service"), the("CompositeController")
    host = f"http://{service['metadata']['name']}.{service['metadata']['namespace']}.svc"

    assert service["spec"]["ports"][0]["port"] == 80
    for name, hook in controller["spec"]["hooks"].items():
        assert hook["webhook"]["url"].split("?")[0] == f"{host}/{name}"


def test_metacontroller_may_write_just_what_it_must() -> None:
    rules = the("ClusterRole", "-metacontroller")["rules"]
    may = {
        (group, resource): set(rule["verbs"])
        for rule in rules
        for group in rule["apiGroups"]
        for resource in rule["resources"]
    }
    writes = {"create", "update", "patch", "delete"}

    assert {key for key, verbs in may.items() if verbs & writes} == {
        (GROUP, f"{PLURAL}/status"),
        ("", "events"),
        *((kind.KIND.api_version.rpartition("/")[0], kind.KIND.plural) for kind in DEFAULT),
    }
    assert not {"*", "escalate", "bind", "impersonate"} & {verb for verbs in may.values() for verb in verbs}
    assert "*" not in {part for key in may for part in key}


@pytest.mark.parametrize("role", ["view", "edit", "admin"])
def test_users_get_rights_for_myresources_alone(role: str) -> None:
    found = the("ClusterRole", f"operator-{role}")

    assert found["metadata"]["labels"][f"rbac.authorization.k8s.io/aggregate-to-{role}"] == "true"
    for rule in found["rules"]:
        assert rule["apiGroups"] == [GROUP]
        assert {resource.partition("/")[0] for resource in rule["resources"]} == {PLURAL}


def test_users_who_view_can_change_nothing_and_users_who_edit_no_status() -> None:
    view, edit = (the("ClusterRole", f"operator-{role}")["rules"] for role in ("view", "edit"))

    assert {verb for rule in view for verb in rule["verbs"]} == {"get", "list", "watch"}
    assert not [rule for rule in edit if f"{PLURAL}/status" in rule["resources"]]


def test_the_hook_itself_gets_no_token_and_no_rights() -> None:
    pod = the("Deployment")["spec"]["template"]["spec"]

    assert pod["automountServiceAccountToken"] is False
    assert pod["serviceAccountName"] == the("ServiceAccount")["metadata"]["name"]
    assert the("ClusterRoleBinding")["subjects"] == [
        {"kind": "ServiceAccount", "name": "metacontroller", "namespace": "metacontroller"}
    ]


def test_the_hook_runs_as_the_restricted_standard_asks() -> None:
    pod = the("Deployment")["spec"]["template"]["spec"]
    (container,) = pod["containers"]

    assert pod["securityContext"]["runAsNonRoot"] is True
    assert pod["securityContext"]["seccompProfile"] == {"type": "RuntimeDefault"}
    assert container["securityContext"]["capabilities"] == {"drop": ["ALL"]}
    assert container["securityContext"]["allowPrivilegeEscalation"] is False
    assert container["securityContext"]["readOnlyRootFilesystem"] is True
