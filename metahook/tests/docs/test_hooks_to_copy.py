"""The pages about hooks of one's own show the files of examples/: one source, two places."""

import re
from collections.abc import Mapping
from typing import Any

import jsonschema
import pytest
import yaml
from backups import BACKUPS
from greetings import GREETINGS
from notebooks import NOTEBOOKS
from rotations import rotations

from metahook import Controller
from toolkit.documents import blocks, page
from toolkit.root import ROOT

EXAMPLE = ROOT / "examples/greeting"
WRITE = page("write-your-own-hook")
CLUSTER = page("hook-in-a-cluster")
TEST = page("test-your-hook") + page("test-on-a-cluster")


def excerpts(text: str) -> list[tuple[str, str]]:
    """Return the file that each Python block is from, which is the last one named before it, and the block."""
    parts = re.split(r"^From \[(\S+)\]\(\S+\):$", text, flags=re.MULTILINE)
    return [
        (name, block) for name, part in zip(parts[1::2], parts[2::2], strict=True) for block in blocks(part, "python")
    ]


def has(text: str, block: str) -> bool:
    """Return whether *block* is in *text*, as whole lines."""
    return f"\n{block}" in f"\n{text}"


def test_the_page_shows_the_hook_to_copy() -> None:
    assert blocks(WRITE, "python")[0] == (EXAMPLE / "greetings.py").read_text()


def test_the_page_shows_the_composite_controller_to_copy() -> None:
    assert (EXAMPLE / "compositecontroller.yaml").read_text() in blocks(CLUSTER, "yaml")


def test_the_composite_controller_calls_the_service_of_the_hook() -> None:
    composite = yaml.safe_load((EXAMPLE / "compositecontroller.yaml").read_text())
    deployment, service = yaml.safe_load_all((EXAMPLE / "deployment.yaml").read_text())
    pod = deployment["spec"]["template"]
    (container,) = pod["spec"]["containers"]
    metadata = service["metadata"]

    assert composite["spec"]["hooks"]["sync"]["webhook"]["url"] == (
        f"http://{metadata['name']}.{metadata['namespace']}.svc/sync"
    )
    assert service["spec"]["ports"] == [{"port": 80, "targetPort": "hook"}]
    assert service["spec"]["selector"] == pod["metadata"]["labels"] == deployment["spec"]["selector"]["matchLabels"]
    assert [each["containerPort"] for each in container["ports"]] == [
        int(port) for port in re.findall(r'Address\("0.0.0.0", (\d+)\)', (EXAMPLE / "greetings.py").read_text())
    ]
    assert f"docker push {container['image']}\n" in CLUSTER


def test_the_crd_has_what_the_composite_controller_and_the_hook_name() -> None:
    crd, composite = (yaml.safe_load((EXAMPLE / f"{name}.yaml").read_text()) for name in ("crd", "compositecontroller"))
    (version,) = crd["spec"]["versions"]
    parent = composite["spec"]["parentResource"]

    assert (crd["spec"]["names"]["plural"], f"{crd['spec']['group']}/{version['name']}") == (
        parent["resource"],
        parent["apiVersion"],
    )
    status = version["schema"]["openAPIV3Schema"]["properties"]["status"]["properties"]
    assert set(status) == {"state", "message", "observedGeneration"}


def test_the_greeting_to_copy_is_valid() -> None:
    assert is_valid("greeting", yaml.safe_load((EXAMPLE / "hi.yaml").read_text())["spec"])


def is_valid(example: str, spec: Mapping[str, Any]) -> bool:
    """Return whether *spec* fits the schema of the CRD of an *example*, and has no field but those."""
    crd = yaml.safe_load((ROOT / f"examples/{example}/crd.yaml").read_text())
    schema = crd["spec"]["versions"][0]["schema"]["openAPIV3Schema"]["properties"]["spec"]
    return jsonschema.Draft202012Validator({**schema, "additionalProperties": False}).is_valid(dict(spec))


@pytest.mark.parametrize(
    ("example", "hook"),
    [
        ("greeting", GREETINGS),
        ("backup", BACKUPS),
        ("notebook", NOTEBOOKS),
        ("rotation", rotations(b"a key for tests, of 32 bytes or more")),
    ],
)
def test_the_example_spec_of_a_hook_is_valid(example: str, hook: Controller) -> None:
    assert is_valid(example, hook.example_spec)


@pytest.mark.parametrize(("name", "block"), excerpts(TEST))
def test_an_excerpt_is_part_of_the_file_that_it_is_from(name: str, block: str) -> None:
    assert has((EXAMPLE / name).read_text(), block)


def test_every_file_of_tests_has_an_excerpt() -> None:
    assert {name for name, _ in excerpts(TEST)} == {file.name for file in EXAMPLE.glob("test_*.py")}
    assert len(excerpts(TEST)) == len(blocks(TEST, "python"))
