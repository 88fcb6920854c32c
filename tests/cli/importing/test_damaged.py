"""Whatever stands in whichever place of an object, its import raises nothing."""

import random
from typing import Any

import pytest
import yaml

from app.cli.importing.conversion import imported
from app.cli.importing.kubernetes import UnacceptableError
from tests.docs.documents import ROOT
from tests.requests.builders import Json, my_resource, sync
from toolkit.mutations import REPLACEMENTS, Path, places, replaced
from toolkit.slow import short_or_whole

FULL = yaml.safe_load((ROOT / "examples/full.yaml").read_text())["spec"]
GATEWAY = {"host": "a.example.com", "gateway": {"name": "shared"}}
CHILDREN: list[Json] = [
    *sync(my_resource(spec={**FULL, "expose": GATEWAY}))["children"],
    *(child for child in sync(my_resource(spec=FULL))["children"] if child["kind"] == "Ingress"),
]
DAMAGES: list[tuple[int, Path, str]] = [
    (index, path, name)
    for index, child in enumerate(CHILDREN)
    for path in places(child)
    for name in REPLACEMENTS
    if path and path[0] not in ("apiVersion", "kind") and path not in [("metadata",), ("metadata", "name")]
]
"""The command checks what they leave out."""


def read(objects: list[Json]) -> bool:
    """Import the Deployment among *objects*; tell whether all of them have the shape of their kind."""
    (deployment,) = (each for each in objects if each["kind"] == "Deployment")
    try:
        imported(deployment, [each for each in objects if each is not deployment], ())
    except UnacceptableError:
        return False
    return True


@pytest.mark.slow
def test_no_damage_is_an_exception(random_seed: int) -> None:
    chance = random.Random(random_seed)  # noqa: S311 - no secret
    read_ = {True: 0, False: 0}
    for index, path, name in chance.sample(DAMAGES, short_or_whole(150, 4000)):
        change: Any = REPLACEMENTS[name]
        damaged = [replaced(child, path, change) if place == index else child for place, child in enumerate(CHILDREN)]
        read_[read(damaged)] += 1

    assert all(read_.values())
