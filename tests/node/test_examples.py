"""The examples of docs/fields.md and examples/ run, with stand-ins for their images."""

from collections.abc import Iterator

import pytest
import yaml

from docs.fields import examples
from metahook.simulator.objects import Json
from tests.documents import ROOT
from tests.e2e.namespace import Place

pytestmark = pytest.mark.tools

NEED_MORE = {
    "image-0": "an image of the reader",
    "readinessprobe-1": "an image of the reader",
    "volumes-0": "a PersistentVolume",
    "volumemounts-0": "a PersistentVolume",
    "dependencies-0": "an object of another operator",
    "nodeselector-0": "a node with another architecture",
    "affinity-0": "other Pods, and nodes in a region",
    "topologyspreadconstraints-0": "nodes in two zones",
    "dependencies": "an object of another operator",
    "full": "four nodes with a device",
}
"""What the node lacks for an example."""


def specs() -> Iterator[tuple[str, Json]]:
    """Yield the name of each example, and its spec."""
    for field, items in examples().items():
        yield from ((f"{field.lower()}-{at}", item["spec"]) for at, item in enumerate(items))
    for file in sorted(ROOT.glob("examples/*.yaml")):
        yield file.stem, yaml.safe_load(file.read_text())["spec"]


SPECS = dict(specs())
RUNNING = [name for name in SPECS if name not in NEED_MORE]


@pytest.fixture(scope="module", autouse=True)
def _made(here: Place) -> None:
    """Create all MyResources at once, after what they name."""
    for name in RUNNING:
        manifest = here.manifest(name, **SPECS[name])
        here.needs(manifest)
        here.client.create(manifest)


@pytest.mark.parametrize("name", RUNNING)
def test_an_example_is_ready(here: Place, name: str) -> None:
    here.wait_for_status("Ready", "Available", name, 180)


def test_every_example_that_needs_more_is_one() -> None:
    assert set(NEED_MORE) <= set(SPECS)
