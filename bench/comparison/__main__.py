"""Compares the CPU time of this hook with that of simpler ones over HTTP: ``make bench``.

Each server gets short slices of requests by turns, in several rounds, with the load on another core. Ratios are those
within a round, so that they depend little on the machine. Judged are those of a changed request of 6 KB, that of a sync
to ``json.loads`` of its body, and those of commands.
"""

import argparse
import gc
import os
from collections.abc import Callable, Iterable, Iterator
from contextlib import ExitStack
from statistics import median
from typing import NamedTuple

from bench.comparison import commands, steps
from bench.comparison.bodies import BODIES, body
from bench.comparison.requests import Requests, requests
from bench.comparison.servers import COMMANDS, FASTAPI, HOOK, PLAIN_ROUTE, Server, on_core, running
from bench.process import cpu, memory
from toolkit.served.senders import send

ROUNDS = 5
SLICE, WARM_UP = 0.5, 0.5
"""Seconds of load for a server at a time, and before that of requests that it may remember."""
CONNECTIONS = 5
"""The workers that Metacontroller has by default."""
CHANGED, UNCHANGED = "changed", "unchanged"

JUDGED = ("6 KB", CHANGED)
MOST = {FASTAPI: 1.6, PLAIN_ROUTE: 1.1}
"""CPU of this hook for a changed request of 6 KB, relative to that of another server."""

Scenario = tuple[str, str]
"""The size of the requests, and whether each was sent before, to the byte."""
SCENARIOS: list[Scenario] = [(size, kind) for size in BODIES for kind in (CHANGED, UNCHANGED)]
STATES = {"2 KB": "Building"}
"""The state in the response, where it is not Ready."""


class NotAnswered(Exception):
    """A request was refused, not answered, or answered with another state."""


class Sample(NamedTuple):
    """A server in one round: CPU in microseconds for a request, and the median of the times to respond in ms."""

    cpu: float
    p50: float


Rounds = list[dict[str, Sample]]
"""By round: the sample of each server."""


def main() -> int:
    """Compare, print a table and the verdict; return 1 if this hook takes too long, or a server fails."""
    parser = argparse.ArgumentParser(prog="python -m bench.comparison", description=__doc__)
    parser.add_argument("--rounds", type=int, default=ROUNDS, help="default: %(default)s")
    rounds = max(1, parser.parse_args().rounds)
    usable = sorted(os.sched_getaffinity(0))
    if len(usable) == 1:
        print("server and load share ONE core: the ratios are blurred")
    gc.disable()  # a pause of the client would look like one of the server
    try:
        found = _compare(rounds, server_core=usable[-1], load_core=usable[0])
    except (NotAnswered, TimeoutError) as error:
        print(f"stopped: {error}")
        return 1
    of_commands = commands.ratios()
    print(*commands.table(of_commands), "", sep="\n")
    every, at_rest, bodies = steps.syncs()
    multiple = steps.multiple_of_json(every, bodies)
    print(verdict("a sync", multiple, "json.loads of its body", steps.MOST), steps.report(every, at_rest), sep="\n")
    print(idle(usable[-1]), "", *table(found), sep="\n")
    judged = {peer: ratio(found[JUDGED], peer) for peer in MOST}
    print(*[verdict(" ".join(JUDGED), each, peer, MOST[peer]) for peer, each in judged.items()], sep="\n")
    are_quick = all(each <= commands.MOST[line] for line, each in of_commands.items())
    return 0 if are_quick and multiple <= steps.MOST and all(judged[peer] <= MOST[peer] for peer in MOST) else 1


def _compare(rounds: int, *, server_core: int, load_core: int) -> dict[Scenario, Rounds]:
    """Return the samples of each scenario. The first server is another one in each round."""
    with on_core(load_core), ExitStack() as stack:
        prepared = {size: requests(size) for size in BODIES}
        first = body("6 KB", 0)
        servers = [stack.enter_context(running(name, first, server_core)) for name in COMMANDS]
        for server in servers:
            _check(server)
        found: dict[Scenario, Rounds] = {scenario: [] for scenario in SCENARIOS}
        for number in range(rounds):
            first_server = number % len(servers)
            turns = [*servers[first_server:], *servers[:first_server]]
            for scenario, samples in found.items():
                samples.append({each.name: _sample(each, scenario, prepared[scenario[0]]) for each in turns})
        return found


def _check(server: Server) -> None:
    """Raise NotAnswered unless *server* answers each size as a sync hook does."""
    for size in BODIES:
        answer = server.answer(body(size, 0)).json()
        state, kinds = answer["status"]["state"], [item["kind"] for item in answer["children"]]
        if state != STATES.get(size, "Ready") or "Deployment" not in kinds:
            message = f"{server.name} answered a request of {size} with the state {state}, and {kinds}"
            raise NotAnswered(message)


def _sample(server: Server, scenario: Scenario, prepared: Requests) -> Sample:
    following = prepared.changed if scenario[1] == CHANGED else prepared.unchanged
    send(server.port, following, senders=CONNECTIONS, seconds=WARM_UP)
    before = cpu(server.process.pid)
    results = send(server.port, following, senders=CONNECTIONS, seconds=SLICE, least=CONNECTIONS)
    used, answered = cpu(server.process.pid) - before, results.codes["200"]
    if not answered or results.codes.total() > answered:
        message = f"{server.name}, {' '.join(scenario)}: {dict(results.codes)}"
        raise NotAnswered(message)
    return Sample(1e6 * used / answered, results.percentile(0.5))


def table(found: dict[Scenario, Rounds]) -> Iterator[str]:
    """Yield the lines of the table in Markdown: CPU, its ratio to each other server, and the times to respond."""
    others = [name for name in COMMANDS if name != HOOK]
    yield _line(("requests", "CPU", *(f"CPU / {name}" for name in others), *(f"p50 of {name}" for name in COMMANDS)))
    yield _line(["---"] * (2 + len(others) + len(COMMANDS)))
    for scenario, rounds in found.items():
        yield _line(
            (
                " ".join(scenario),
                f"{_median(rounds, HOOK, lambda sample: sample.cpu):,.0f} us",
                *(_spread(_ratios(rounds, name)) for name in others),
                *(f"{_median(rounds, name, lambda sample: sample.p50):.2f} ms" for name in COMMANDS),
            )
        )


def idle(core: int) -> str:
    """Return the sentence about a hook that has answered one request, on *core*."""
    with running(HOOK, body("6 KB", 0), core) as server:
        pid = server.process.pid
        return f"idle: {memory(pid)} MiB; started with {cpu(pid):.2f} s of CPU"


def verdict(what: str, found: float, other: str, most: float) -> str:
    """Return the sentence about a ratio that is judged."""
    words = "within" if found <= most else "NOT within"
    return f"{what}: {found:.2f} x the CPU of {other}, {words} {most:g} x"


def ratio(rounds: Rounds, peer: str) -> float:
    """Return the CPU of this hook relative to that of *peer*: the median of the *rounds*."""
    return median(_ratios(rounds, peer))


def _ratios(rounds: Rounds, peer: str) -> list[float]:
    return [each[HOOK].cpu / each[peer].cpu for each in rounds]


def _median(rounds: Rounds, name: str, figure: Callable[[Sample], float]) -> float:
    return median(figure(each[name]) for each in rounds)


def _spread(ratios: list[float]) -> str:
    return f"{median(ratios):.2f} ({min(ratios):.2f}-{max(ratios):.2f})"


def _line(cells: Iterable[str]) -> str:
    return f"| {' | '.join(cells)} |"


if __name__ == "__main__":
    raise SystemExit(main())
