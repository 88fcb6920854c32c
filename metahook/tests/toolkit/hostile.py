"""Hostile requests, as bytes, and how each ends."""

from collections.abc import Iterator

from metahook.protocol.request_builder import sync_request
from toolkit.widgets import grouped, widget

BODY = sync_request(widget(), grouped(), {})
JSON = "Content-Type: application/json"
_PARENT = b'{"metadata":{"name":"web","namespace":"default","uid":"1","generation":1},"spec":{"image":"a","later":%s}}'


def raw(line: str = "POST /sync HTTP/1.1", *headers: str, body: bytes = BODY, length: str | None = None) -> bytes:
    """Return a request; *length* replaces that of the body."""
    lines = [line, "Host: hook", *(headers or (JSON,)), f"Content-Length: {len(body) if length is None else length}"]
    return "\r\n".join([*lines, "", ""]).encode("latin-1") + body


def with_spec(value: bytes) -> bytes:
    """Return a request that has *value* as a field of its spec."""
    return raw(body=b'{"parent":' + _PARENT % value + b',"children":{"Deployment.apps/v1":{},"Service.v1":{}}}')


def lines() -> Iterator[tuple[str, bytes]]:
    """Yield odd request lines."""
    for method in ("GET", "PUT", "DELETE", "PATCH", "OPTIONS", "TRACE", "CONNECT", "PRI", "post", "M-SEARCH"):
        yield f"method {method}", raw(f"{method} /sync HTTP/1.1")
    for path in (
        "//sync",
        "/sync/",
        "/%73ync",
        "/sync%00",
        "/../sync",
        "/sync;a",
        "*",
        "http://other/sync",
        "/sync#a",
        "/s ync",
        "",
        "sync",
    ):
        yield f"path {path}", raw(f"POST {path} HTTP/1.1")
    for version in ("HTTP/1.0", "HTTP/0.9", "HTTP/2.0", "HTTP/1.2", "HTTP/11", "HTTQ/1.1", ""):
        yield f"version {version}", raw(f"POST /sync {version}")
    yield "a query of 100 KB", raw(f"POST /sync?{'a' * 100_000} HTTP/1.1")
    yield "a path of 3 KB", raw(f"POST /{'a' * 3_000} HTTP/1.1")
    yield "a preface of HTTP/2", b"PRI * HTTP/2.0\r\n\r\nSM\r\n\r\n" + bytes(9)
    yield "a handshake of TLS", b"\x16\x03\x01\x02\x00\x01\x00\x01\xfc\x03\x03" + bytes(512)
    yield "zeros", bytes(1000)
    yield "no HTTP", b"SSH-2.0-OpenSSH_9.6\r\n"
    yield "blank lines", b"\r\n" * 100 + raw()
    yield "line feeds only", raw().replace(b"\r\n", b"\n")


def headers() -> Iterator[tuple[str, bytes]]:
    """Yield odd headers."""
    odd = {
        "two lengths": ("Content-Length: 5", JSON),
        "two hosts": ("Host: other", JSON),
        "length and chunked": ("Transfer-Encoding: chunked", JSON),
        "an unknown encoding": ("Transfer-Encoding: gzip, chunked", JSON),
        "a space in a name": ("X A: b", JSON),
        "a space before the colon": ("Content-Type : application/json",),
        "a folded line": (JSON, "X-A: b\r\n c"),
        "no colon": ("X-A", JSON),
        "an empty name": (": a", JSON),
        "a control character": ("X-A: \x01\x7f", JSON),
        "a zero byte": ("X-A: a\x00b", JSON),
        "latin-1": ("X-A: \xe9", JSON),
        "64 KB": ("X-A: " + "a" * 65536, JSON),
        "100 headers": (*(f"X-{number}: a" for number in range(100)), JSON),
        "no media type": ("X-A: b",),
        "another media type": ("Content-Type: text/plain",),
        "another charset": (f"{JSON}; charset=utf-16",),
        "gzip": (JSON, "Content-Encoding: gzip"),
        "expects 100": (JSON, "Expect: 100-continue"),
        "expects something": (JSON, "Expect: the-unexpected"),
        "websocket": (JSON, "Connection: Upgrade", "Upgrade: websocket"),
        "h2c": (
            JSON,
            "Connection: Upgrade, HTTP2-Settings",
            "Upgrade: h2c",
            "HTTP2-Settings: AAMAAABkAAQCAAAAAAIAAAAA",
        ),
        "a trailer": (JSON, "Trailer: X-A"),
        "a range": (JSON, "Range: bytes=0-,0-,0-"),
        "an odd host": (JSON, "X-Forwarded-Host: evil/?#@", "X-Forwarded-For: ::1"),
        "an odd authorization": (JSON, "Authorization: Bearer \xff\xfe"),
    }
    for name, given in odd.items():
        yield name, raw("POST /sync HTTP/1.1", *given)
    yield "no host", raw().replace(b"Host: hook\r\n", b"")
    for length in ("-1", "+5", "0x10", "1e3", "", "99999999999999999999", "5,5", "5 5", "٣"):
        body = raw(length="@").replace(b"@", length.encode())
        yield f"length {length}", body


def chunks() -> Iterator[tuple[str, bytes]]:
    """Yield odd chunked bodies."""
    head = f"POST /sync HTTP/1.1\r\nHost: hook\r\n{JSON}\r\nTransfer-Encoding: chunked\r\n\r\n".encode()
    yield "chunked", head + b"%x\r\n" % len(BODY) + BODY + b"\r\n0\r\n\r\n"
    yield "chunks of a byte", head + b"".join(b"1\r\n%c\r\n" % byte for byte in BODY) + b"0\r\n\r\n"
    yield "a chunk of no number", head + b"zz\r\n{}\r\n0\r\n\r\n"
    yield "a chunk of a large number", head + b"ffffffffffffffffff\r\n{}"
    yield "a negative chunk", head + b"-1\r\n{}\r\n0\r\n\r\n"
    yield "a chunk with an extension", head + b"2;" + b"a" * 70_000 + b"\r\n{}\r\n0\r\n\r\n"
    yield "a chunk without an end", head + b"2\r\n{}garbage"
    yield "no end", head + b"2\r\n{}\r\n"
    yield "large trailers", head + b"2\r\n{}\r\n0\r\n" + b"X-A: b\r\n" * 20_000 + b"\r\n"


def bodies() -> Iterator[tuple[str, bytes]]:
    """Yield odd JSON."""
    values = (
        b"NaN",
        b"Infinity",
        b"-Infinity",
        b"1e400",
        b"-0",
        b"1.0",
        b"01",
        b"1" * 5000,
        b"18446744073709551616",
        b'"\\ud800"',
        b'"\\u0000"',
        b'"\xed\xa0\x80"',
        b'"\xff"',
        b"true",
        b'"3"',
        b"null",
        b"[]",
        b"{}",
        b'1,"later":2',
        b"[" * 900,
        b"/**/1",
    )
    for number, value in enumerate(values):
        yield f"value {number}", with_spec(value)
    texts = {
        "nothing": b"",
        "a space": b" ",
        "two values": BODY + BODY,
        "a byte order mark": b"\xef\xbb\xbf" + BODY,
        "UTF-16": BODY.decode().encode("utf-16"),
        "UTF-32": BODY.decode().encode("utf-32"),
        "100,000 levels": b"[" * 100_000,
        "100,000 levels of objects": b'{"a":' * 100_000,
        "levels in a field": b'{"parent":{},"children":' + b"[" * 50_000 + b"]" * 50_000 + b"}",
        "a list": b"[]",
        "a text": b'"a"',
        "a number": b"1",
        "single quotes": BODY.replace(b'"', b"'"),
        "a comma too many": BODY[:-1] + b",}",
        "zeros": bytes(1000),
    }
    for name, text in texts.items():
        yield name, raw(body=text)
    yield "33 MiB", raw(length=str(33 * 1024 * 1024), body=b"{" * 300_000)
    for bit in range(0, len(BODY) * 8, 37):
        yield f"bit {bit}", raw(body=_flipped(bit))


def _flipped(bit: int) -> bytes:
    changed = bytearray(BODY)
    changed[bit // 8] ^= 1 << bit % 8
    return bytes(changed)


def unfinished() -> Iterator[tuple[str, bytes]]:
    """Yield requests that end too early: the client closes its side."""
    whole = raw()
    for end in range(1, len(whole), 13):
        yield f"cut at {end}", whole[:end]
    yield "a length that is too long", raw(length=str(len(BODY) + 10))
    yield "a length that is too short", raw(length=str(len(BODY) - 10))


CASES = {
    f"{group.__name__}: {name}": sent
    for group in (lines, headers, chunks, bodies, unfinished)
    for name, sent in group()
}
