"""Measures this hook and its peers over HTTP, in short slices by turns, with server and load on different cores."""

import gc
import time
from collections.abc import Iterator
from contextlib import ExitStack, contextmanager
from statistics import median

from bench.comparison.load import Client, NotAnswered
from bench.comparison.machine import Cores, cores, description, on_core
from bench.comparison.peers import Peer, Server, peers, running
from bench.comparison.requests import Requests, requests
from bench.comparison.results import (
    CHANGED,
    UNCHANGED,
    Measured,
    Process,
    Results,
    Sample,
    Scenario,
    figures,
    percentile,
)

SIZES = ("2 KB", "6 KB", "15 KB", "200 KB", "4 MB")
SCENARIOS = (
    *(Scenario(size, kind, 5) for size in SIZES for kind in (CHANGED, UNCHANGED)),
    *(Scenario("6 KB", kind, connections) for kind in (CHANGED, UNCHANGED) for connections in (1, 20)),
)

SLICE = 0.5
"""Seconds of load for a server at a time."""

TICK = 0.01
"""Seconds: the unit in which Linux counts CPU."""

STARTS = 5
STATES = {"2 KB": "Building"}
"""The state in the response, where it is not Ready."""


def compare(rounds: int, sizes: tuple[str, ...]) -> Results:
    """Measure the scenarios with requests of *sizes* in so many *rounds*."""
    used = cores()
    with on_core(used.load), _without_gc(), ExitStack() as stack:
        prepared = {size: requests(size) for size in sizes}
        first = next(iter(prepared.values())).all[0].unchanged
        found = peers()
        starts = _starts(found, first, used)
        servers = [stack.enter_context(running(peer, first, used.server)) for peer in found]
        _check(servers, prepared)
        scenarios = [each for each in SCENARIOS if each.size in sizes]
        samples = _samples(scenarios, servers, prepared, rounds)
        measured = [Measured(scenario, figures(each)) for scenario, each in samples.items()]
        processes = {each.name: Process(round(each.memory(), 1), starts[each.name]) for each in servers}
        return Results(description(used), rounds, measured, processes)


@contextmanager
def _without_gc() -> Iterator[None]:
    """Collect no garbage: a pause of the client would look like one of the server."""
    gc.disable()
    try:
        yield
    finally:
        gc.enable()


def _starts(found: list[Peer], request: bytearray, used: Cores) -> dict[str, float]:
    """Return how long each server takes to its first answer, in milliseconds: the median of some starts, by turns."""
    times: dict[str, list[float]] = {peer.name: [] for peer in found}
    for _ in range(STARTS):
        for peer in found:
            with running(peer, request, used.server) as server:
                times[peer.name].append(server.start)
    return {name: round(median(each), 1) for name, each in times.items()}


def _check(servers: list[Server], prepared: dict[str, Requests]) -> None:
    """Raise NotAnswered unless each server answers as a sync hook does."""
    for server in servers:
        for size, each in prepared.items():
            state, expected = server.state(each.changed()), STATES.get(size, "Ready")
            if state != expected:
                message = f"{server.name} answered a request of {size} with the state {state}, not {expected}"
                raise NotAnswered(message)


def _samples(
    scenarios: list[Scenario], servers: list[Server], prepared: dict[str, Requests], rounds: int
) -> dict[Scenario, list[dict[str, Sample]]]:
    """Return the samples by scenario and round. The first server of a scenario is another one in each round."""
    samples: dict[Scenario, list[dict[str, Sample]]] = {scenario: [] for scenario in scenarios}
    for number in range(rounds):
        first = number % len(servers)
        for scenario in scenarios:
            turns = [*servers[first:], *servers[:first]]
            samples[scenario].append({each.name: _slice(each, scenario, prepared[scenario.size]) for each in turns})
    return samples


def _slice(server: Server, scenario: Scenario, prepared: Requests) -> Sample:
    """Return a sample of *server*, after requests that open the connections or that it may remember."""
    client = Client(server.port, scenario.connections)
    next_request = prepared.changed if scenario.kind == CHANGED else prepared.unchanged
    warm_up = scenario.connections if scenario.kind == CHANGED else max(scenario.connections, len(prepared.all))
    try:
        client.send(next_request, lambda sent: sent >= warm_up)
        before, end = server.cpu(), time.perf_counter() + SLICE
        took = client.send(next_request, lambda sent: sent > 0 and time.perf_counter() > end)
        used = max(server.cpu() - before, TICK)
    except (ConnectionError, NotAnswered) as error:
        message = f"{server.name}, {scenario}: {error}{'' if server.is_running() else '; its process has ended'}"
        raise NotAnswered(message) from error
    finally:
        client.close()
    milliseconds = [1000 * seconds for seconds in took]
    return Sample(1e6 * used / len(took), percentile(milliseconds, 0.5), percentile(milliseconds, 0.99))
