"""The examples of docs/reference/fields.md and examples/ run, with the images that they name."""

from collections.abc import Iterator

import pytest
import yaml

from metahook.simulator.objects import Json
from tests.docs.documents import ROOT
from tests.e2e.namespace import Place
from website.fields import examples

pytestmark = pytest.mark.own

NEED_MORE = {
    "volumes-0": "a PersistentVolume",
    "volumemounts-0": "a PersistentVolume",
    "dependencies-0": "an object of another operator",
    "nodeselector-0": "a node with another architecture",
    "affinity-0": "other Pods, and nodes in a region",
    "topologyspreadconstraints-0": "nodes in two zones",
    "dependencies": "an object of another operator",
    "full": "four nodes with a device",
}
"""What a cluster may lack for an example."""


def specs() -> Iterator[tuple[str, Json]]:
    """Yield the name of each example, and its spec."""
    for field, items in examples().items():
        yield from ((f"{field.lower()}-{at}", item["spec"]) for at, item in enumerate(items))
    for file in sorted(ROOT.glob("examples/*.yaml")):
        yield file.stem, yaml.safe_load(file.read_text())["spec"]


RUNNING = {
    name: spec
    for name, spec in specs()
    if name not in NEED_MORE and not spec["image"].startswith("registry.example.com/")  # which is the reader's own
}


@pytest.fixture(scope="module", autouse=True)
def _made(here: Place) -> None:
    """Create all MyResources at once, after what they name."""
    for name, spec in RUNNING.items():
        manifest = here.manifest(name, **spec)
        here.needs(manifest)
        here.client.create(manifest)


@pytest.mark.parametrize("name", RUNNING)
def test_an_example_is_ready(here: Place, name: str, patience: float) -> None:
    here.wait_for_status("Ready", "Available", name, patience)
