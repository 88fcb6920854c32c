"""What a served hook answers over the wire is what answers.yaml has, which ``--update-golden`` writes."""

import asyncio
import sys
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path

import pytest
import yaml

from toolkit.builders import MIB
from toolkit.hostile import BODY, CASES, JSON, raw
from toolkit.served.exchange import Answer, Exchange, answers
from toolkit.served.process import WIDGETS, served

GOLDEN = Path(__file__).with_name("answers.yaml")
INTRODUCTION = """\
# What a served hook answers, by client and name: test_answers.py has the requests.
# An id, a time and the number of Retry-After are left out: each answer has its own.
"""

HOSTILE = {
    name: Exchange((sent,), ends=name.startswith("unfinished"))
    for name, sent in CASES.items()
    if name != "unfinished: a length that is too short"  # the client has closed: whether it is answered is a race
}

PATHS = ("/livez", "/readyz", "/", "/livez/", "/sync")
HEALTH = {
    **{
        f"{method} {path}": Exchange((raw(f"{method} {path} HTTP/1.1", "Connection: close", body=b""),))
        for method in ("GET", "HEAD", "POST")
        for path in PATHS
    },
    "HEAD /metrics": Exchange((raw("HEAD /metrics HTTP/1.1", body=b""),)),
    "garbage": Exchange((b"canary\r\n\r\n",)),
}
"""What is sent to the port for health."""

# Several requests, and requests in pieces

POST, SHORT_PAUSE = "POST /sync HTTP/1.1", 0.1
PLAIN = raw()
LONG = raw(body=BODY[:-1] + b',"later":"' + b"x" * 256 * 1024 + b'"}')
"""Its end arrives before it is decided, in a thread."""
CUSTOMIZE = raw("POST /customize HTTP/1.1")
CHUNKED = PLAIN[: -len(BODY)].replace(f"Content-Length: {len(BODY)}".encode(), b"Transfer-Encoding: chunked")
LAST_CHUNK = b"0\r\n\r\n"


def chunk(data: bytes) -> bytes:
    """Return *data* as a chunk of a body."""
    return b"%x\r\n" % len(data) + data + b"\r\n"


def asking(path: str, length: int) -> bytes:
    """Return the head of a client that sends its body once it is told to."""
    return raw(f"POST {path} HTTP/1.1", JSON, "Expect: 100-continue", body=b"", length=str(length))


CONNECTIONS = {
    "half a body": Exchange((PLAIN[:-10],)),
    "half a chunked body": Exchange((CHUNKED + chunk(BODY[:20]),)),
    "a head in pieces": Exchange((PLAIN[:10], PLAIN[10:40], PLAIN[40:]), SHORT_PAUSE),
    "a body in pieces": Exchange((PLAIN[:-30], PLAIN[-30:-10], PLAIN[-10:]), SHORT_PAUSE),
    "chunks in pieces": Exchange((CHUNKED, chunk(BODY[:20]), chunk(BODY[20:]), LAST_CHUNK), SHORT_PAUSE),
    "a client that leaves before its body ends": Exchange((PLAIN[:-10],), ends=True),
    "a client that leaves in a head": Exchange((PLAIN[:30],), ends=True),
    "a client that only sends": Exchange((LONG,), ends=True),
    "several requests on a connection": Exchange((PLAIN, CUSTOMIZE, PLAIN)),
    "pipelined requests": Exchange((PLAIN * 3,), pipelined=3),
    "a request after 400": Exchange((raw(body=b"{}"), PLAIN)),
    "a request after 404": Exchange((raw("POST /sync/ HTTP/1.1"), PLAIN)),
    "a request after 405": Exchange((raw("PUT /sync HTTP/1.1"), PLAIN)),
    "a request after 415": Exchange((raw(POST, "Content-Type: text/plain", body=b"x" * 200_000), PLAIN)),
    "a request after garbage": Exchange((b"canary\r\n\r\n", PLAIN)),
    "a request after HTTP/1.0": Exchange((raw("POST /sync HTTP/1.0"), PLAIN)),
    "asks before it sends a body": Exchange((asking("/sync", len(BODY)), BODY)),
    "asks and sends the next request": Exchange((asking("/sync", len(BODY)), BODY, PLAIN)),
    "asks before a body for no path": Exchange((asking("/none", len(BODY)), BODY)),
    "asks before a body that is too large": Exchange((asking("/sync", 100 * MIB), BODY)),
    "expects something else": Exchange((raw(POST, JSON, "Expect: the-unexpected"),)),
}

# Who may call

TOKEN = "3c469e9d6c5875d37a43f353d4f88e61"  # noqa: S105 - of a server that the tests start
VALID = f"Bearer {TOKEN}"
AUTHORIZATIONS = {
    "a valid token": [VALID],
    "another case of the scheme": [f"bEARER {TOKEN}"],
    "no header": [],
    "an empty header": [""],
    "the token alone": [TOKEN],
    "no token": ["Bearer"],
    "another token": [f"Bearer {TOKEN[::-1]}"],
    "the start of a token": [VALID[:-1]],
    "more than a token": [f"{VALID}0"],
    "another case": [f"Bearer {TOKEN.upper()}"],
    "two spaces": [f"Bearer  {TOKEN}"],
    "a tab": [f"Bearer\t{TOKEN}"],
    "two tokens": [f"{VALID},{TOKEN}"],
    "another scheme": [f"Basic {TOKEN}"],
    "two headers": [VALID, VALID],
    "a valid header and another": [VALID, "Basic eA=="],
    "a long token": ["Bearer " + "a" * 30_000],
    "no ASCII": [f"{VALID}\xff\xc3\xa9"],
}


def allowed(*authorizations: str, body: bytes = BODY) -> bytes:
    """Return a request with these *authorizations*."""
    return raw(POST, JSON, *(f"Authorization: {each}" for each in authorizations), body=body)


TOKENS = {
    **{name: Exchange((allowed(*given),)) for name, given in AUTHORIZATIONS.items()},
    "too large without a token": Exchange((allowed(body=b" " * (MIB + 1)),)),
    "too large with a token": Exchange((allowed(VALID, body=b" " * (MIB + 1)),)),
    "asks before it sends a body": Exchange((asking("/sync", 9), b"123456789")),
    "a request after 401": Exchange((allowed(), allowed(VALID))),
}

SERVE = (*WIDGETS, "--head-timeout=2", "--log-level=error", "--stop-timeout=1")
SERVERS: dict[str, dict[str, dict[str, Exchange]]] = {
    "--body-timeout=8": {"hostile requests": HOSTILE, "health": HEALTH},
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


def answers_of(options: str, token: Path) -> dict[str, dict[str, Answer]]:
    """Return what a server with *options* answers to each of its clients."""
    with served(*SERVE, *options.replace("FILE", str(token)).split()) as running:

        async def ask() -> list[dict[str, Answer]]:
            urls = [running.health_url if client == "health" else running.url for client in SERVERS[options]]
            ports = [int(url.rpartition(":")[2]) for url in urls]
            return await asyncio.gather(*map(answers, ports, SERVERS[options].values()))

        return dict(zip(SERVERS[options], asyncio.run(ask()), strict=True))


def test_each_request_gets_the_recorded_answer(pytestconfig: pytest.Config, tmp_path: Path) -> None:
    (tmp_path / "token").write_text(TOKEN)
    with ThreadPoolExecutor() as threads:
        of_servers = threads.map(lambda options: answers_of(options, tmp_path / "token"), SERVERS)
        found = {client: each for answered in of_servers for client, each in answered.items()}
    if pytestconfig.getoption("update_golden"):
        GOLDEN.write_text(written(found))
    golden: dict[str, dict[str, Answer]] = yaml.load(GOLDEN.read_text(), yaml.CSafeLoader)

    assert found.keys() == golden.keys()
    for client, recorded in golden.items():
        differ = {name for name in {**found[client], **recorded} if found[client].get(name) != recorded.get(name)}
        assert {name: found[client].get(name) for name in differ} == {name: recorded.get(name) for name in differ}, (
            client
        )
