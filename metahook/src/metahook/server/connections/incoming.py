"""Follows the requests that arrive on a connection, and refuses what is no request, or over a limit.

uvicorn has a parser of its own, and bounds neither the size of a head nor the bytes before it is complete. This one
reads the same bytes first.
"""

import re
from collections.abc import Callable

import httptools

from metahook.server.limits import KIB, Limits
from metahook.server.refusal import (
    CODING,
    FAILED,
    HEAD_TOO_LARGE,
    NOT_HTTP,
    NOT_ONE_HOST,
    TOO_MANY_HEADERS,
    UPGRADE,
    URL_TOO_LONG,
    Refused,
)
from metahook.server.telemetry.error_location import error_location

Event = Callable[[], object]

LARGE_HEAD = 8 * KIB
"""Bytes. A longer head is the last one on its connection: uvicorn keeps a head until the next one arrives."""

_HOST, _CODING = b"host", b"transfer-encoding"

_REQUEST_LINE = re.compile(rb"[^ \r\n]+ [^ \r\n]+ HTTP/1\.[01]\r?\n")
"""The parser also takes RTSP, and several spaces."""


class Incoming:
    """The requests of one connection. It keeps sizes, and of what arrives the URL alone.

    *on_begin*, *on_head* and *on_end* are called when a request begins, has its head, and is complete.
    """

    def __init__(self, limits: Limits, on_begin: Event, on_head: Event, on_end: Event) -> None:
        self._limits = limits
        self._on_begin, self._on_head, self._on_end = on_begin, on_head, on_end
        self._parser = httptools.HttpRequestParser(self)
        # As uvicorn does: what follows a request that closes the connection is no error of that request.
        self._parser.set_dangerous_leniencies(lenient_data_after_close=True)
        self.keeps_alive = True
        """Whether another request may follow this one on the connection."""
        self.header_count = 0
        """How many headers, and then trailers, of the request have arrived."""
        self._hosts = 0
        self._codings: list[bytes] = []
        self._head_size = 0
        self._line: bytes | None = None
        """The beginning of a head, at least its first line; None outside of heads, and in one that came with a body."""
        self._url = b""
        self._unparsed = 0
        """Bytes that have arrived since a part of the request was complete."""

    @property
    def is_head(self) -> bool:
        """Whether the method is HEAD, so that a response has no body."""
        return bool(self._url) and self._parser.get_method() == b"HEAD"

    @property
    def head_size(self) -> int:
        """How many bytes the head of the request has, as far as it has arrived."""
        return max(self._unparsed, self._head_size)

    def feed(self, data: bytes) -> None:
        """Follow *data*; raise Refused as soon as a limit is passed, and for a mistake of ours."""
        self._unparsed += len(data)
        if self._line is not None and b"\n" not in self._line:
            self._line = (self._line + data).lstrip(b"\r\n")
        try:
            self._parser.feed_data(data)
        except httptools.HttpParserCallbackError as error:
            cause = error.__context__ or error
            raise cause if isinstance(cause, Refused) else Refused(FAILED, error_location(cause)) from None
        except (httptools.HttpParserError, httptools.HttpParserUpgrade):
            raise Refused(NOT_HTTP) from None
        if self._unparsed > self._limits.max_head:
            raise Refused(HEAD_TOO_LARGE)

    def head_of_next(self) -> None:
        """Note that what arrives next is the head of a request."""
        self._unparsed, self._line, self._url = 0, b"", b""

    # What the parser calls

    def on_message_begin(self) -> None:
        """Begin a request."""
        self._head_size, self.header_count, self._hosts, self._codings, self._url = 0, 0, 0, [], b""
        self._on_begin()
        self._line = self._line or None

    def on_url(self, url: bytes) -> None:
        """Take a part of the URL."""
        self._url += url
        self._head_size += len(url)
        if len(self._url) > self._limits.max_url:
            raise Refused(URL_TOO_LONG)

    def on_header(self, name: bytes, value: bytes) -> None:
        """Count a header, or a trailer."""
        self.header_count += 1
        if self.header_count > self._limits.max_headers:
            raise Refused(TOO_MANY_HEADERS)
        self._hosts += len(name) == len(_HOST) and name.lower() == _HOST
        if len(name) == len(_CODING) and name.lower() == _CODING:
            self._codings.append(value.lower())
        self._head_size += len(name) + len(value) + len(": \r\n")
        if self._head_size > self._limits.max_head:
            raise Refused(HEAD_TOO_LARGE)

    def on_headers_complete(self) -> None:
        """End the head."""
        if self._parser.should_upgrade():
            raise Refused(UPGRADE)
        version = self._parser.get_http_version()
        if version not in {"1.0", "1.1"} or (self._line is not None and not _REQUEST_LINE.match(self._line)):
            raise Refused(NOT_HTTP)
        if self._hosts != 1 and (self._hosts or version == "1.1"):
            raise Refused(NOT_ONE_HOST)
        if self._codings and self._codings != [b"chunked"]:
            raise Refused(CODING)
        _check_url(self._url)
        is_small = self._head_size <= LARGE_HEAD
        self.keeps_alive = version == "1.1" and self._parser.should_keep_alive() and is_small
        self._unparsed, self._line = 0, None
        self._on_head()

    def on_body(self, _: bytes) -> None:
        """Note that a part of the body has arrived."""
        self._unparsed = 0

    def on_message_complete(self) -> None:
        """End the request."""
        self._unparsed = 0
        self._on_end()


def _check_url(url: bytes) -> None:
    """Raise Refused if *url* has no path: uvicorn would log a line for each such request."""
    try:
        path = httptools.parse_url(url).path
    except httptools.HttpParserInvalidURLError:
        path = None
    if not path:
        raise Refused(NOT_HTTP)
