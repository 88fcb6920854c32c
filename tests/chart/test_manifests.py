"""The manifests for installing with kubectl, made from the chart: valid, as the code needs them, and no more rights."""

from collections.abc import Iterator
from pathlib import Path
from typing import Any

import yaml

from app.api.values.names import GROUP, PLURAL
from app.core.desired.manifests.routes import ROUTES
from tests.requests.builders import MYRESOURCE

ROOT = Path(__file__).parents[2]
MANIFESTS = ROOT / "metacontroller"
DEFAULT = [kind for kind in MYRESOURCE.children if kind not in ROUTES]
"""The kinds of children that the values of the chart do not turn off."""

Json = dict[str, Any]


def documents(folder: Path) -> Iterator[Json]:
    for file in sorted(folder.glob("*.yaml")):
        yield from yaml.safe_load_all(file.read_text())


def the(kind: str, name: str = "") -> Json:
    (found,) = [item for item in documents(MANIFESTS) if item["kind"] == kind and name in str(item.get("metadata"))]
    return found


def test_the_kustomization_lists_every_manifest() -> None:
    listed = {name for name in the("Kustomization")["resources"] if not name.startswith("..")}

    assert listed == {file.name for file in MANIFESTS.glob("*.yaml")} - {"kustomization.yaml"}


def test_the_compositecontroller_watches_just_the_kinds_that_the_controller_makes() -> None:
    watched = {(c["apiVersion"], c["resource"]) for c in the("CompositeController")["spec"]["childResources"]}

    assert watched == {(kind.KIND.api_version, kind.KIND.plural) for kind in DEFAULT}
    assert {c["updateStrategy"]["method"] for c in the("CompositeController")["spec"]["childResources"]} == {"InPlace"}


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
