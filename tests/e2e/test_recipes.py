"""Runs the recipes of the docs: saves their files, and runs their commands with the real kubectl, in their order."""

import re
from pathlib import Path

import pytest

from tests.docs.recipes import RECIPES, File, steps
from tests.e2e.cluster import Cluster
from tests.e2e.namespace import Namespace
from tests.e2e.real_kubectl import RealKubectl

_VARYING = [
    (r"\d{4}-\d\d-\d\dT[\d:]+Z", "TIME"),
    (r"-deployment-[a-z0-9]{8,10}(-[a-z0-9]{5})?\b", "-deployment-HASH"),
    (r" \(\d+ times\)|\(combined from similar events\): ", ""),
    (r" {2,}", "  "),
]


def _same_each_time(printed: str, namespace: str = "default") -> set[str]:
    """Return the lines of *printed* without what differs in each run: the namespace, times, hashes, counts, widths."""
    text = re.sub(rf"\b{namespace}\b", "default", printed)
    for pattern, word in _VARYING:
        text = re.sub(pattern, word, text)
    return set(text.splitlines())


@pytest.mark.parametrize("page", RECIPES)
def test_a_recipe_ends_ready_and_no_pod_was_missing_on_the_way(
    here: Namespace, cluster: Cluster, kubectl: RealKubectl, tmp_path: Path, page: str
) -> None:
    for step in steps(page):
        if isinstance(step, File):
            (tmp_path / step.name).write_text(step.text)
            continue
        printed = kubectl.run(step.line, here.name, tmp_path)
        if step.output:
            assert _same_each_time(printed, here.name) == _same_each_time(step.output)

    (item,) = here.client.all("MyResource", here.name)
    name = item["metadata"]["name"]
    here.wait_until_ready(name)
    assert not any(version.deleted for version in cluster.record.of("Service", here.name, name))
    pods = here.available(name)
    assert min(pods[pods.index(pods[-1]) :]) == pods[-1] == item["spec"]["replicas"]
    assert here.touched(name).writes == []
