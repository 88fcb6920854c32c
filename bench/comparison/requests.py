"""Requests as they are sent, prepared before they are measured: changed ones are unique, unchanged ones repeat."""

import itertools
import re
from collections.abc import Iterable

from bench.comparison.bodies import body

TOKEN = "a-token-of-the-benchmark"  # noqa: S105 - of a hook on the loopback address, for a few minutes

RESOURCES = 100
"""MyResources, in turn."""

_VERSION = b'"resourceVersion":"'
_TIME = b'"time":"'
_FIRST_VERSION = 1_000_000_000
_DAY = 24 * 60 * 60

_OBSERVED_VERSION = re.compile(rb'"resourceVersion":"\d+"')
_PARENT = b'"parent":'


class Request:
    """A request for one MyResource; :meth:`changed` gives it new resource versions and times of managed fields."""

    def __init__(self, content: bytes) -> None:
        controller, parent, rest = content.partition(_PARENT)  # the CompositeController does not change
        varied = _OBSERVED_VERSION.sub(_VERSION + b"%d" % _FIRST_VERSION + b'"', parent + rest)
        self._raw = bytearray(_head(len(controller) + len(varied)) + controller + varied)
        start = len(self._raw) - len(varied)
        self._versions = _ends(_VERSION, self._raw, start)
        self._times = [at + len("2026-01-01T") for at in _ends(_TIME, self._raw, start)]

    @property
    def unchanged(self) -> bytearray:
        """The request as it was sent before."""
        return self._raw

    def changed(self, number: int) -> bytearray:
        """Return the request of another *number*, in place of the last one."""
        raw, version, time = self._raw, b"%d" % (_FIRST_VERSION + number), _time(number % _DAY)
        for at in self._versions:
            raw[at : at + len(version)] = version
        for at in self._times:
            raw[at : at + len(time)] = time
        return raw


class Requests:
    """The requests for many MyResources, in turn."""

    def __init__(self, bodies: Iterable[bytes]) -> None:
        self.all = [Request(content) for content in bodies]
        self._turn = itertools.cycle(self.all)
        self._number = itertools.count()

    def changed(self) -> bytearray:
        """Return a request that was not sent before."""
        return next(self._turn).changed(next(self._number))

    def unchanged(self) -> bytearray:
        """Return a request that was sent before."""
        return next(self._turn).unchanged


def requests(size: str) -> Requests:
    """Return the requests of this *size*."""
    return Requests(body(size, number) for number in range(RESOURCES))


def _head(length: int) -> bytes:
    """Return the head of a request with a body of so many bytes, as Go's client sends it."""
    return (
        "POST /sync HTTP/1.1\r\nHost: 127.0.0.1\r\nUser-Agent: Go-http-client/1.1\r\n"
        f"Content-Length: {length}\r\nAuthorization: Bearer {TOKEN}\r\n"
        "Content-Type: application/json\r\nAccept-Encoding: gzip\r\n\r\n"
    ).encode()


def _ends(text: bytes, raw: bytearray, start: int) -> list[int]:
    """Return the positions in *raw*, from *start* on, at which *text* ends."""
    return [found.end() for found in re.compile(re.escape(text)).finditer(raw, start)]


def _time(seconds: int) -> bytes:
    """Return the time of a day after so many *seconds*."""
    minutes, second = divmod(seconds, 60)
    return b"%02d:%02d:%02d" % (*divmod(minutes, 60), second)
