"""Generated pages are up to date, with an example for every field and a section for every reason."""

import re
from typing import Any

import pytest
import yaml

from app.api.crd import schema
from app.cli.main import main
from app.core.reasons import REASONS
from docs.fields import SPEC, below, examples
from docs.made import FOLDER, pages
from tests.api.apiserver import SCHEMA, refusals, stored
from tests.build import Json, sync

FIELDS = list(SPEC["properties"])
GIVEN = [(field, example) for field, found in examples().items() for example in found]
each_example = pytest.mark.parametrize(
    ("field", "example"), [pytest.param(*case, id=f"{number} {case[0]}") for number, case in enumerate(GIVEN)]
)


@pytest.mark.parametrize("name", list(pages()))
def test_a_page_equals_the_generated_one(name: str) -> None:
    assert (FOLDER / name).read_text() == pages()[name]


def test_every_field_has_a_section_with_its_examples() -> None:
    page = pages()["fields.md"]
    blocks = re.findall(r"^## (\w+)$|^```yaml\n(.*?)^```$", page, re.DOTALL | re.MULTILINE)
    shown: dict[str, list[Json]] = {}
    for heading, block in blocks:
        if heading:
            shown[heading] = []
        else:
            shown[list(shown)[-1]].append(yaml.safe_load(block))

    assert list(shown) == FIELDS
    assert shown == examples()


@each_example
def test_an_example_uses_its_field_and_the_api_server_accepts_it(field: str, example: Json) -> None:
    assert field in example["spec"]
    assert refusals(stored(example), SCHEMA) == []


@each_example
def test_an_example_runs_and_changes_something(field: str, example: Json) -> None:
    def made(spec: Json) -> Json:
        metadata = {"name": "web", "namespace": "default", "uid": "a", "generation": 1}
        answer: Json = sync(stored({**example, "metadata": metadata, "spec": spec}))
        return answer

    without = {key: value for key, value in example["spec"].items() if key != field}
    starts = "DependencyNotFollowed" if field == "dependencies" else "Building"
    assert made(example["spec"])["status"]["conditions"][0]["reason"] == starts
    if field not in {"image", "imagePullPolicy", "strategy", "configReload"}:
        assert made(example["spec"])["children"] != made(without)["children"]


def kind(name: str) -> str:
    """Return *name*, or one name for the three probes, which have the same fields."""
    return "probe" if name.endswith("Probe") else name


def shapes(item: Any, parent: str = "") -> set[tuple[str, str]]:
    """Return the names of all fields in *item*, each with the name of its parent."""
    if isinstance(item, list):
        return {pair for inner in item for pair in shapes(inner, parent)}
    if isinstance(item, dict):
        return {(kind(parent), key) for key in item} | {
            pair for key, inner in item.items() for pair in shapes(inner, key)
        }
    return set()


def test_every_nested_field_is_in_an_example() -> None:
    used = {pair for _, example in GIVEN for pair in shapes(example["spec"], "spec")}
    paths = [path.replace("[]", "").split(".") for path, _ in below(schema()["properties"]["spec"], "spec")]
    known = {(kind(path[-2]), path[-1]) for path in paths}

    assert len(known) > 120
    assert known - used == set()


def test_every_reason_has_a_section_with_what_explain_prints(capsys: pytest.CaptureFixture[str]) -> None:
    sections = dict(
        re.findall(r"^### (\w+)\n\n(.*?)(?=^### |\Z)", pages()["troubleshoot.md"], re.DOTALL | re.MULTILINE)
    )

    assert list(sections) == list(REASONS)
    for name, section in sections.items():
        with pytest.raises(SystemExit):
            main(["explain", name])
        words = re.sub(r"^(Message|Why|What to do) +", "", capsys.readouterr().out, flags=re.MULTILINE).splitlines()[:5]
        text = section.replace("&lt;", "<").replace("&gt;", ">")

        assert all(line.removeprefix(f"{name}: ") in text for line in words)
