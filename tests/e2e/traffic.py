"""Runs scenarios on a real control plane, in both modes, and records the requests to the hook.

Run it with ``python -m tests.e2e.traffic``. An optional argument names another directory, to compare two recordings.

The recording replaces tests/data/traffic once all scenarios ended as expected, and the hook of this checkout gives the
recorded response to each request.
"""

import json
import signal
import sys
import tempfile
import time
from concurrent.futures import ThreadPoolExecutor
from datetime import timedelta
from pathlib import Path

from metahook.envtest.binaries import Binaries, Missing, find_binaries
from metahook.simulator.metacontroller.settings import MODES, Mode
from metahook.simulator.objects import Json
from tests.e2e.cluster import Cluster
from tests.e2e.namespace import Namespace
from tests.e2e.statuses import condition
from tests.e2e.traffic_scenarios import SCENARIOS, Moment
from tests.recorded.normalization import TOUCHED, Normaliser
from tests.recorded.traffic import FOLDER, WITHOUT_PODS, Recorded, store


def main() -> None:
    """Record the scenarios. Started processes are stopped even if the command is interrupted."""
    signal.signal(signal.SIGTERM, signal.default_int_handler)
    try:
        kept = [item for mode in MODES for item in recorded(find_binaries(), mode)]
    except Missing as missing:
        sys.exit(str(missing))
    folder = Path(sys.argv[1]) if sys.argv[1:] else FOLDER
    store(kept, folder)
    print(f"{len(kept)} requests in {folder}")  # noqa: T201 - a command says what it did


def recorded(binaries: Binaries, mode: Mode) -> list[Recorded]:
    """Return the recorded requests of all scenarios in *mode*, each on a control plane of its own."""
    with tempfile.TemporaryDirectory() as folder:
        cluster = Cluster(binaries, Path(folder))
        cluster.hook.command.append(WITHOUT_PODS)
        cluster.recorder.command = [
            word if word != "app" else "tests.e2e.unredacted" for word in cluster.recorder.command
        ]
        metacontroller = cluster.metacontroller(mode)
        try:
            cluster.start()
            metacontroller.start()
            with ThreadPoolExecutor() as threads:
                led = threads.map(lambda life: _led(Namespace(cluster, life), mode), SCENARIOS)
                return [item for items in led for item in items]
        finally:
            metacontroller.stop()
            cluster.stop()


def _led(here: Namespace, mode: Mode) -> list[Recorded]:
    """Run the scenario that *here* is named after, and return its recorded requests."""
    starts: list[int] = []
    asked: list[Recorded] = []
    for number, step in enumerate(SCENARIOS[here.name]):
        starts.append(_next_second())
        before = len(here.exchanges())
        step.act(here)
        here.wait_for_status(*step.ends, within=100)
        _come_to_rest(here)
        moments = _moments(here.exchanges()[before:])
        assert condition(moments["rest"]["response"], "Ready")["reason"] == step.ends[1], step.name
        asked += [Recorded(f"{mode}/{here.name}-{number}-{step.name}-{kept}", moments[kept]) for kept in step.keeps]
    for item in asked:
        item.answer.get("status", {}).pop("override", None)
    normalise = Normaliser(starts)
    return [_normalised(_checked(_at_its_second(item)), normalise) for item in asked]


def _at_its_second(item: Recorded) -> Recorded:
    """Return *item* with the time at which the hook gave the response: the next second may have begun until then."""
    later = item.now.replace(microsecond=0) + timedelta(seconds=1)
    return item if item.holds() else item.with_content({**item.content, "time": later.isoformat()})


def _normalised(item: Recorded, normalise: Normaliser) -> Recorded:
    """Return *item* without chance, with the response that follows from the rest.

    Normalization leaves out managedFields, and with them the times and the managers of some changes.
    """
    without_chance = item.with_content(normalise(item.content))
    return without_chance.with_content({**without_chance.content, "response": without_chance.answered_now()})


def _come_to_rest(here: Namespace) -> None:
    """Cause syncs until one changes nothing."""
    for touch in range(20):
        here.wait_until_quiet(1)
        word = f"{len(here.exchanges())}-{touch}"
        here.edit("MyResource", {"metadata": {"annotations": {TOUCHED: word}}}, "web")
        here.eventually(lambda word=word: _touched(here.exchanges()) == word)  # type: ignore[misc]  # a lambda's default has no type
        if _at_rest(here.exchanges()[-1]):
            return
    message = f"{here.name} does not come to rest"
    raise TimeoutError(message)


def _at_rest(exchange: Json) -> bool:
    """Return whether the status in the response equals the observed one."""
    said: Json = exchange["response"]["status"]
    there: Json = exchange["request"]["parent"]["status"]
    return {**there, "observedGeneration": None} == {**said, "observedGeneration": None}


def _touched(exchanges: list[Json]) -> str | None:
    found: str | None = exchanges[-1]["request"]["parent"]["metadata"].get("annotations", {}).get(TOUCHED)
    return found


def _next_second() -> int:
    """Wait for the next whole second, so that the step before has no equal time; return it."""
    start = int(time.time()) + 1
    time.sleep(start - time.time())
    return start


def _moments(exchanges: list[Json]) -> dict[Moment, Json]:
    """Return the exchanges of a step by moment."""
    customized = [item for item in exchanges if item["path"] == "/customize"]
    synced = [item for item in exchanges if item["path"] == "/sync"]
    return {**({"customize": customized[0]} if customized else {}), "first": synced[0], "rest": synced[-1]}


def _checked(item: Recorded) -> Recorded:
    """Return *item*; fail if the hook of this checkout gives another response."""
    assert item.holds(), f"{item.name}: {json.dumps(item.content)}"
    return item


if __name__ == "__main__":
    main()
