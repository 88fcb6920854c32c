"""The CRDs whose parents are generated: that of each example, of every type, and of every rule."""

from typing import Any

import yaml

from metahook import Conditions, Kind, crd
from toolkit.every_type import EveryType
from toolkit.root import ROOT

FILES = [
    *sorted(ROOT.glob("examples/*/*crd.yaml")),
    ROOT / "tests/data/every_rule.yaml",
]

EVERY_TYPE = crd(Kind("example.com/v1", "Type", "types"), EveryType, Conditions)

CRDS: dict[str, dict[str, Any]] = {
    item["metadata"]["name"]: item for item in [*(yaml.safe_load(file.read_text()) for file in FILES), EVERY_TYPE]
}
EVERY_RULE = CRDS["rules.example.com"]


def schema(crd: dict[str, Any]) -> dict[str, Any]:
    """Return the schema of the stored version."""
    (found,) = [version["schema"]["openAPIV3Schema"] for version in crd["spec"]["versions"] if version["storage"]]
    assert isinstance(found, dict)
    return found
