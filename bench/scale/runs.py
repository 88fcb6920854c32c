"""The runs: each in a new cluster, with one operator and its events."""

import tempfile
from collections.abc import Iterator, Sequence
from pathlib import Path
from typing import NamedTuple

from bench.scale.cluster import Cluster, Make, cluster
from bench.scale.events import Events, created, of_any_operator, of_this_operator
from bench.scale.features import FEATURES, Feature
from bench.scale.measurement import Measurement
from bench.scale.operators import BehindMetacontroller, GoOperator, Operator
from bench.scale.report import Row
from metahook.envtest.binaries import Binaries
from metahook.envtest.control_plane import ControlPlane

WITHOUT_PODS, OURS, GO = "this operator, without Pod diagnosis", "this operator", "operator in Go"
"""The names of the runs for all events."""


class Run(NamedTuple):
    """A run, and the name of what it measures."""

    name: str
    make: Make
    events: Events


def all_events(apply_strategy: str) -> Sequence[Run]:
    """Return the runs for all events."""
    without_pods = FEATURES[0]
    return (
        Run(WITHOUT_PODS, _with(without_pods, apply_strategy), _created(without_pods)),
        Run(OURS, _behind_metacontroller(apply_strategy), of_this_operator),
        Run(GO, _go_operator, of_any_operator),
    )


def all_features(apply_strategy: str) -> Sequence[Run]:
    """Return the runs that compare what features cost."""
    return [Run(each.name, _with(each, apply_strategy), _created(each)) for each in FEATURES]


def measure(binaries: Binaries, run: Run, size: int, spread: int) -> Iterator[Row]:
    """Yield a row for each event of *run*; raise MissingGo, or TimeoutError if an event is not over in time."""
    with tempfile.TemporaryDirectory() as folder, cluster(binaries, Path(folder), run.make, size, spread) as it:
        for measurement in run.events(it):
            yield Row(run.name, size, spread, measurement)


def _with(feature: Feature, apply_strategy: str) -> Make:
    return _behind_metacontroller(apply_strategy, *feature.options)


def _behind_metacontroller(apply_strategy: str, *options: str) -> Make:
    def make(binaries: Binaries, folder: Path, control_plane: ControlPlane) -> Operator:
        return BehindMetacontroller(binaries, folder, control_plane, apply_strategy, options)

    return make


def _go_operator(_: Binaries, folder: Path, control_plane: ControlPlane) -> Operator:
    return GoOperator(folder, control_plane)


def _created(feature: Feature) -> Events:
    def events(cluster: Cluster) -> Iterator[Measurement]:
        yield created(cluster, feature.spec)

    return events
