"""An upgrade with the values of 0.2.0: it succeeds, or a sentence names each value that was removed."""

import shutil
from pathlib import Path
from typing import Any

import helm_python as helm
import pytest
import yaml

from charts.rendering import CHART, rendered
from tests.chart.sets import REMOVED, VALUES, Json, nested, refusal
from tests.docs.documents import ROOT

EARLIER: Json = yaml.safe_load((ROOT / "tests/data/values-0.2.0.yaml").read_text())
GONE = sorted(REMOVED)


def test_a_release_can_be_upgraded_with_its_values_or_every_removed_one_is_named_at_once(tmp_path: Path) -> None:
    """With --reuse-values, Helm renders the chart with the values of the release in place of its ``values.yaml``."""
    copy = shutil.copytree(CHART, tmp_path / CHART.name)

    def render(values: Json) -> None:
        (copy / "values.yaml").write_text(yaml.safe_dump(nested(values)))
        with helm.Chart.load(copy) as chart:
            chart.render({}, name="r", namespace="r")

    assert set(EARLIER) - set(VALUES) <= set(GONE)
    render(EARLIER)
    with pytest.raises((helm.HelmRenderError, helm.HelmValuesError)) as error:
        render(EARLIER | dict.fromkeys(GONE, "x"))
    assert [path for path in GONE if f"{path} was removed: " not in str(error.value)] == []


@pytest.mark.parametrize("path", GONE)
def test_a_value_that_was_removed_is_refused_by_a_sentence_that_names_it_but_for_earlier_defaults(path: str) -> None:
    others: list[Any] = ["x", 0, 1, False, True, ["x"], {"x": 1}]
    for value in others:
        message = refusal(nested({path: value}))
        assert f"{path} was removed: " in message
        assert f"--set {path}=null" in message
    for default in REMOVED[path].get("accepted", ()):
        assert rendered(nested({path: int(default)})) == rendered({})
