"""Renders the chart with Helm's own engine, without a cluster."""

from collections.abc import Mapping
from functools import cache
from pathlib import Path
from typing import Any

import helm_python as helm

CHART = Path(__file__).parent / "myresource-operator"
RELEASE = "myresource-operator"


def rendered(
    values: Mapping[str, Any] | None = None, *, release: str = RELEASE, namespace: str = RELEASE
) -> dict[str, str]:
    """Return the text of each rendered template, by its path under ``templates/``; empty ones are left out."""
    texts = _chart().render(dict(values or {}), name=release, namespace=namespace)
    prefix = f"{CHART.name}/templates/"
    return {path.removeprefix(prefix): text for path, text in sorted(texts.items()) if text.strip()}


@cache
def _chart() -> helm.Chart:
    """Return the chart, which is loaded once."""
    return helm.Chart.load(CHART)
