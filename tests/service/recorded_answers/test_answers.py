"""What the hook answers over the wire is what answers.yaml has, which ``--update-golden`` writes."""

import asyncio
import sys
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path

import pytest
import yaml

from tests.service.operator import serve_with, served
from tests.service.recorded_answers.caller_requests import HEALTH, TOKEN, TOKENS
from tests.service.recorded_answers.exchange import Answer, Exchange, answers
from tests.service.recorded_answers.my_resource_requests import CONNECTIONS, HOSTILE, MYRESOURCE

GOLDEN = Path(__file__).with_name("answers.yaml")
INTRODUCTION = """\
# What the hook answers, by client and name: the modules of requests have these names.
# An id, a time and the number of Retry-After are left out: each answer has its own.
"""
SERVE = (*serve_with(idle_timeout=2, head_timeout=2), "--log-level=error", "--stop-timeout=1")
SERVERS: dict[str, dict[str, dict[str, Exchange]]] = {
    "--body-timeout=8": {"MyResources": MYRESOURCE, "hostile requests": HOSTILE, "health": HEALTH},
    "--body-timeout=2": {"connections": CONNECTIONS},
    "--body-timeout=2 --max-body=1 --tokens=FILE": {"tokens": TOKENS},
}
"""By the options of a server: its clients, and what each sends. "health" is that of the port for health."""


class Dumper(yaml.SafeDumper):
    """Writes a long answer once, however often it is given."""

    def ignore_aliases(self, data: object) -> bool:
        """Tell whether *data* is written again."""
        return not (isinstance(data, str) and len(data) > 300)


def written(answers: dict[str, dict[str, Answer]]) -> str:
    same = {
        client: {
            name: sys.intern(answer) if isinstance(answer, str) else [*map(sys.intern, answer)]
            for name, answer in found.items()
        }
        for client, found in answers.items()
    }
    return INTRODUCTION + yaml.dump(same, Dumper=Dumper, sort_keys=False, width=10_000, allow_unicode=True)


def answers_of(options: str, token: Path) -> list[dict[str, Answer]]:
    """Return what a server with *options* answers to each of its clients."""
    with served(*SERVE, *options.replace("FILE", str(token)).split()) as running:

        async def ask() -> list[dict[str, Answer]]:
            urls = [running.health_url if client == "health" else running.url for client in SERVERS[options]]
            ports = [int(url.rpartition(":")[2]) for url in urls]
            return await asyncio.gather(*map(answers, ports, SERVERS[options].values()))

        return asyncio.run(ask())


def test_each_request_gets_the_recorded_answer(pytestconfig: pytest.Config, tmp_path: Path) -> None:
    (tmp_path / "token").write_text(TOKEN)
    with ThreadPoolExecutor() as threads:
        of_servers = threads.map(lambda options: answers_of(options, tmp_path / "token"), SERVERS)
        found_by_client = {
            client: found
            for clients, answered in zip(SERVERS.values(), of_servers, strict=True)
            for client, found in zip(clients, answered, strict=True)
        }
    if pytestconfig.getoption("update_golden"):
        GOLDEN.write_text(written(found_by_client))
    golden: dict[str, dict[str, Answer]] = yaml.load(GOLDEN.read_text(), yaml.CSafeLoader)

    assert found_by_client.keys() == golden.keys()
    for client, found in found_by_client.items():
        recorded = golden[client]
        differ = {name for name in {**found, **recorded} if found.get(name) != recorded.get(name)}
        assert {name: found.get(name) for name in differ} == {name: recorded.get(name) for name in differ}, client
