"""Requests to a hook of a stranger. A name says what is odd about a request; "plain" is nothing."""

import json
from typing import Any

from tests.service.recorded_answers.exchange import Exchange
from tests.service.recorded_answers.request import (
    CHUNKED,
    GOOD,
    GOOD_CUSTOMIZE,
    HALF,
    JSON,
    LAST_CHUNK,
    PLAIN,
    TEXT,
    asking,
    chunk,
    named,
    raw,
)
from toolkit.hooks import minimal

SHORT_PAUSE = 0.1
LONG = 256 * 1024
"""Bytes; a longer body is decided in a thread."""


def word(text: str, **fields: Any) -> bytes:
    """Return a sync request for a parent with this word, which hooks.py acts on."""
    return minimal.sync_body(parent={**minimal.PARENT, "spec": {"word": text}}, **fields)


# What arrives before the hook is called

_HEADS = named(
    {
        "garbage": b"canary\r\n\r\n",
        "lines that end in LF": PLAIN.replace(b"\r\n", b"\n"),
        "no host": PLAIN.replace(b"Host: hook\r\n", b""),
        "a long header": b"POST /sync HTTP/1.1\r\nX: " + b"x" * 400_000,
        "long headers": raw("POST /sync HTTP/1.1", JSON, *(f"X{number}: {'x' * 1000}" for number in range(40))),
        "many headers": raw("POST /sync HTTP/1.1", JSON, *(f"X{number}: x" for number in range(63)), body=GOOD),
        "as many headers as may be": raw(
            "POST /sync HTTP/1.1", JSON, *(f"X{number}: x" for number in range(61)), body=GOOD
        ),
        "a long URL": raw(f"POST /{'x' * 600} HTTP/1.1", body=GOOD),
        "a long query": raw(f"POST /sync?{'x' * 600} HTTP/1.1", body=GOOD),
        "a long trailer": CHUNKED + b"0\r\nX: " + b"x" * 400_000,
        "a trailer": CHUNKED + chunk(GOOD) + b"0\r\nX: x\r\n\r\n",
        "two lengths": raw("POST /sync HTTP/1.1", JSON, "Content-Length: 5", body=GOOD),
        "a length and chunks": raw("POST /sync HTTP/1.1", JSON, "Transfer-Encoding: chunked", body=GOOD),
        "another transfer encoding": raw(
            "POST /sync HTTP/1.1", JSON, "Transfer-Encoding: gzip", body=GOOD, length=None
        ),
        "the preface of HTTP/2": b"PRI * HTTP/2.0\r\n\r\nSM\r\n\r\n",
        "HTTP/2 in the request line": raw("POST /sync HTTP/2.0", body=GOOD),
        "HTTP/1.0": raw("POST /sync HTTP/1.0", body=GOOD),
        "HTTP/1.0 with keep-alive": raw("POST /sync HTTP/1.0", JSON, "Connection: keep-alive", body=GOOD),
        "a path that is not ASCII": raw("POST /sync\xe9 HTTP/1.1", body=GOOD),
        "an upgrade to h2c": raw("POST /sync HTTP/1.1", JSON, "Connection: Upgrade", "Upgrade: h2c", body=GOOD),
        "an upgrade to a WebSocket": raw("GET /sync HTTP/1.1", "Connection: Upgrade", "Upgrade: websocket"),
        "connection: close": raw("POST /sync HTTP/1.1", JSON, "Connection: close", body=GOOD),
        "a header that is not ASCII": raw("POST /sync HTTP/1.1", JSON, "X: \xe9", body=GOOD),
    }
)

_PATHS_AND_METHODS = named(
    {
        **{
            f"path {path}": raw(f"POST {path} HTTP/1.1", body=GOOD)
            for path in ("/", "/sync/", "/customize/", "//sync", "/Sync", "/other", "/sync?rev=0.1.0", "/sync?",
                         "/%73ync", "/sync%2f", "/x/../sync", "http://hook/sync", "*", "/docs", "/livez", "/metrics")
        },
        **{
            f"{method} {path}": raw(f"{method} {path} HTTP/1.1", JSON, "Connection: close", body=GOOD)
            for method in ("GET", "HEAD", "OPTIONS", "PUT", "PATCH", "DELETE", "BREW")
            for path in ("/sync", "/customize", "/none")
        },
        "POST /openapi.json": raw("POST /openapi.json HTTP/1.1", body=GOOD),
        "DELETE /openapi.json": raw("DELETE /openapi.json HTTP/1.1"),
        "HEAD /openapi.json": raw("HEAD /openapi.json HTTP/1.1"),
        "GET /docs": raw("GET /docs HTTP/1.1"),
        "another host with an origin": raw(
            "POST /sync HTTP/1.1", JSON, "Origin: http://evil.example", body=GOOD, host="evil.example"
        ),
    }
)  # fmt: skip

_BODIES = named(
    {
        "plain": PLAIN,
        **{
            f"content type {given!r}": raw("POST /sync HTTP/1.1", f"Content-Type: {given}", body=GOOD)
            for given in ("application/json; charset=utf-8", "application/json;charset=UTF-8", "Application/JSON",
                          " application/json ;", "", "text/plain", "application/x-www-form-urlencoded",
                          "application/jsonx", "application/json-patch+json", "*/*", "application/json; charset=utf-16")
        },
        "no content type": raw("POST /sync HTTP/1.1", "Accept: */*", body=GOOD),
        "two content types": raw("POST /sync HTTP/1.1", JSON, TEXT, body=GOOD),
        "another content type and a long body": raw("POST /sync HTTP/1.1", TEXT, body=b"x" * 290_000),
        **{
            f"content encoding {given!r}": raw("POST /sync HTTP/1.1", JSON, f"Content-Encoding: {given}", body=GOOD)
            for given in ("gzip", "identity", "")
        },
        **{
            f"length {given[:20]!r}": raw("POST /sync HTTP/1.1", JSON, body=GOOD, length=given)
            for given in ("-1", "+5", "0x10", "5,5", "1" * 20, "9" * 100, "0" * 100 + str(len(GOOD)))
        },
        "an empty length": PLAIN.replace(b"Content-Length: %d" % len(GOOD), b"Content-Length:"),
        "no length and no body": raw(length=None),
        "no length but a body": raw(body=GOOD, length=None),
        "an empty body": raw(body=b""),
        "announced as too large": raw(body=b"x" * 300_001),
        "announced as too large and not sent": raw(length="100000000"),
        "as large as may be": raw(body=b" " * 300_000),
        "too large and not announced": CHUNKED + chunk(b"x" * 200_000) + chunk(b"x" * 100_001) + LAST_CHUNK,
        "as large as may be and not announced": CHUNKED + chunk(b" " * 200_000) + chunk(b" " * 100_000) + LAST_CHUNK,
        "chunked": CHUNKED + chunk(GOOD[:7]) + chunk(GOOD[7:]) + LAST_CHUNK,
        "chunks of no number": CHUNKED + b"zz\r\n" + GOOD + b"\r\n" + LAST_CHUNK,
        "an empty chunked body": CHUNKED + LAST_CHUNK,
        "customize": raw("POST /customize HTTP/1.1", body=GOOD_CUSTOMIZE),
        "customize with a sync request": raw("POST /customize HTTP/1.1", body=GOOD),
        "sync with a customize request": raw(body=GOOD_CUSTOMIZE),
        "customize without a parent": raw("POST /customize HTTP/1.1", body=b"{}"),
        "no JSON": raw(body=b"canary"),
        "no group of children": raw(body=minimal.sync_body(children={"canary": {}})),
        "a uid of another type": raw(body=GOOD.replace(b'"uid-of-hello"', b"[]")),
    }
)  # fmt: skip


# What the hook does

_HOOKS = named(
    {
        **{
            text: raw(body=word(text))
            for text in ("fail", "exit", "malformed", "undeclared", "no status", "null", "too long")
        },
        "fail in a thread": raw(body=word("fail", later="x" * LONG)),
        "a long body": raw(body=minimal.sync_body(later="x" * LONG)),
        "block for too long": raw(body=word("block", later="x" * LONG)),
        **{
            f"customize: {text}": raw(
                "POST /customize HTTP/1.1",
                body=json.dumps({"parent": {**minimal.PARENT, "spec": {"word": text}}}).encode(),
            )
            for text in ("fail", "elsewhere")
        },
        "another controller: sync": raw("POST /other/hook/sync HTTP/1.1", body=GOOD),
        "another controller: customize": raw("POST /other/hook/customize HTTP/1.1", body=GOOD_CUSTOMIZE),
        "another controller: GET": raw("GET /other/hook/sync HTTP/1.1"),
        "another controller: its prefix": raw("POST /other/hook HTTP/1.1", body=GOOD),
        "another controller: half its prefix": raw("POST /hook/sync HTTP/1.1", body=GOOD),
        "another controller: a mistake": raw("POST /other/hook/sync HTTP/1.1", body=b"{}"),
    }
)


# Several requests, and requests in pieces


_CONNECTIONS = {
    "silent": Exchange((b"",)),
    "half a head": Exchange((HALF,)),
    "a blank line before a request": Exchange((b"\r\n",)),
    "half a body": Exchange((PLAIN[:-10],)),
    "half a chunked body": Exchange((CHUNKED + chunk(GOOD[:20]),)),
    "half of a body that is not read": Exchange((raw("POST /none HTTP/1.1", body=b"{", length="500"),)),
    "a head in pieces": Exchange((PLAIN[:10], PLAIN[10:40], PLAIN[40:]), SHORT_PAUSE),
    "a body in pieces": Exchange((PLAIN[:-30], PLAIN[-30:-10], PLAIN[-10:]), SHORT_PAUSE),
    "chunks in pieces": Exchange((CHUNKED, chunk(GOOD[:20]), chunk(GOOD[20:]), LAST_CHUNK), SHORT_PAUSE),
    "a client that leaves before its body ends": Exchange((PLAIN[:-10],), ends=True),
    "a client that leaves in a head": Exchange((HALF,), ends=True),
    # Long, so that its end arrives before it is decided.
    "a client that only sends": Exchange((raw(body=minimal.sync_body(later="x" * LONG)),), ends=True),
    "several requests on a connection": Exchange((PLAIN, raw("POST /customize HTTP/1.1", body=GOOD_CUSTOMIZE), PLAIN)),
    "pipelined requests": Exchange((PLAIN * 3,)),
    "a request after 400": Exchange((raw(body=b"{}"), PLAIN)),
    "a request after 404": Exchange((raw("POST /sync/ HTTP/1.1", body=GOOD), PLAIN)),
    "a request after 405": Exchange((raw("PUT /sync HTTP/1.1", body=GOOD), PLAIN)),
    "a request after 413": Exchange((raw(body=b"x" * 300_001), PLAIN)),
    "a request after 415": Exchange((raw("POST /sync HTTP/1.1", TEXT, body=b"x" * 200_000), PLAIN)),
    "a request after 500": Exchange((raw(body=word("fail")), PLAIN)),
    "a request after garbage": Exchange((b"canary\r\n\r\n", PLAIN)),
    "a request after HTTP/1.0": Exchange((raw("POST /sync HTTP/1.0", body=GOOD), PLAIN)),
    "asks before it sends a body": Exchange((asking("/sync", len(GOOD)), GOOD)),
    "asks and sends the next request": Exchange((asking("/sync", len(GOOD)), GOOD, PLAIN)),
    "asks before a body for no path": Exchange((asking("/none", len(GOOD)), GOOD)),
    "asks before a body that is too large": Exchange((asking("/sync", 1_000_000), GOOD)),
    "expects something else": Exchange((raw("POST /sync HTTP/1.1", JSON, "Expect: the-unexpected", body=GOOD),)),
}  # fmt: skip

HOOK = {**_HEADS, **_PATHS_AND_METHODS, **_BODIES, **_HOOKS, **_CONNECTIONS}
