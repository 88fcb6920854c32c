"""An upgrade with the values of 0.2.0: it succeeds, or a sentence names each value that was removed."""

import shutil
from pathlib import Path
from typing import Any

import helm_python as helm
import pytest
import yaml

from charts.rendering import CHART, rendered
from tests.chart.sets import REMOVED, VALUES, Json, refusal
from tests.docs.documents import ROOT

EARLIER: Json = yaml.safe_load((ROOT / "tests/data/values-0.2.0.yaml").read_text())
GONE = sorted(REMOVED)
DEFAULTS = [(path, int(value)) for path, gone in REMOVED.items() for value in gone.get("accepted", ())]
"""Each value that was removed, with each default that a release had."""


def nested(values: Json) -> Json:
    """Return *values*, which are by path, as Helm takes them."""
    found: Json = {}
    for path, value in values.items():
        *groups, name = path.split(".")
        inner = found
        for group in groups:
            inner = inner.setdefault(group, {})
        inner[name] = value
    return found


def reused(values: Json, folder: Path) -> str:
    """Return the error message of an upgrade with --reuse-values after *values*, or "" if there is none.

    Helm then renders the chart with *values* in place of its own ``values.yaml``, which this does in *folder*.
    """
    shutil.copytree(CHART, folder / CHART.name)
    (folder / CHART.name / "values.yaml").write_text(yaml.safe_dump(nested(values)))
    with helm.Chart.load(folder / CHART.name) as chart:
        try:
            chart.render({}, name="r", namespace="r")
        except (helm.HelmRenderError, helm.HelmValuesError) as error:
            return str(error)
    return ""


def test_a_release_with_the_defaults_can_be_upgraded_with_its_values(tmp_path: Path) -> None:
    assert set(EARLIER) - set(VALUES) <= set(GONE)
    assert reused(EARLIER, tmp_path) == ""


@pytest.mark.parametrize(("path", "default"), DEFAULTS)
def test_an_earlier_default_of_a_value_that_was_removed_changes_nothing(path: str, default: int) -> None:
    assert rendered(nested({path: default})) == rendered({})


@pytest.mark.parametrize("path", GONE)
@pytest.mark.parametrize("value", ["x", 0, 1, False, True, ["x"], {"x": 1}], ids=str)
def test_a_value_that_was_removed_is_refused_by_a_sentence_that_names_it(path: str, value: Any) -> None:
    message = refusal(nested({path: value}))

    assert f"{path} was removed: " in message
    assert f"--set {path}=null" in message


def test_every_removed_value_that_a_release_has_is_named_at_once(tmp_path: Path) -> None:
    message = reused(EARLIER | dict.fromkeys(GONE, "x"), tmp_path)

    assert GONE
    assert [path for path in GONE if f"{path} was removed: " not in message] == []
