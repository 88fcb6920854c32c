"""Requests as bytes on the wire."""

from tests.service.recorded_answers.exchange import Exchange
from toolkit.hostile import BODY

JSON, TEXT = "Content-Type: application/json", "Content-Type: text/plain"
MIB = 1024 * 1024


def raw(
    line: str = "POST /sync HTTP/1.1", *headers: str, body: bytes = b"", length: str | None = "", host: str = "hook"
) -> bytes:
    """Return a request; *length* replaces that of the body, None leaves the header out."""
    lines = [line, f"Host: {host}", *(headers or (JSON,))]
    lines += [] if length is None else [f"Content-Length: {length or len(body)}"]
    return "\r\n".join([*lines, "", ""]).encode("latin-1") + body


def asking(path: str, length: int) -> bytes:
    """Return the head of a client that sends its body once it is told to."""
    return raw(f"POST {path} HTTP/1.1", JSON, "Expect: 100-continue", length=str(length))


def chunk(data: bytes) -> bytes:
    """Return *data* as a chunk of a body."""
    return b"%x\r\n" % len(data) + data + b"\r\n"


def named(requests: dict[str, bytes]) -> dict[str, Exchange]:
    """Return an exchange for each of *requests*."""
    return {name: Exchange((sent,)) for name, sent in requests.items()}


PLAIN = raw(body=BODY)
HALF = b"POST /sync HTTP/1.1\r\nHost: ho"
CHUNKED = raw("POST /sync HTTP/1.1", JSON, "Transfer-Encoding: chunked", length=None)
LAST_CHUNK = b"0\r\n\r\n"
