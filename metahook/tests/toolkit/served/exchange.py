"""An exchange on one connection: the bytes that a client sends, and the answers that it gets, each in one line."""

import asyncio
import re
from collections.abc import Iterator
from contextlib import suppress
from dataclasses import dataclass

PATIENCE = 15.0
"""Seconds for the whole exchange."""
CLOSING = 1.0
"""Seconds in which a response with ``connection: close`` may be followed by more."""
AT_ONCE = 20
"""Exchanges at the same time."""

HEADERS = ("content-type", "connection", "allow", "www-authenticate", "retry-after", "location", "server")
"""The headers that a client acts on. The value of retry-after is random."""

CONTINUE, CLOSED, NO_ANSWER, CUT_OFF = "100", "closed", "no answer", "a response that is cut off"

Answer = str | list[str]
"""The responses in their order, ``closed`` where the server closed the connection instead of one."""


@dataclass(frozen=True)
class Exchange:
    """What a client sends."""

    sends: tuple[bytes, ...]
    """Each is sent once the one before it is answered, or after the *pause*."""
    pause: float | None = None
    ends: bool = False
    """Whether the client closes its side of the connection after that."""
    pipelined: int = 1
    """How many requests the last one is."""


async def answers(port: int, exchanges: dict[str, Exchange]) -> dict[str, Answer]:
    """Return what the server at *port* of this machine answers to each of *exchanges*."""
    gate = asyncio.Semaphore(AT_ONCE)

    async def one(exchange: Exchange) -> Answer:
        async with gate:
            return await answer(port, exchange)

    found = await asyncio.gather(*map(one, exchanges.values()))
    return dict(zip(exchanges, found, strict=True))


async def answer(port: int, exchange: Exchange) -> Answer:
    """Return what the server at *port* of this machine answers to *exchange*."""
    client = _Client(exchange)
    try:
        async with asyncio.timeout(PATIENCE):
            await client.talk(port)
    except TimeoutError:
        client.responses.append(NO_ANSWER)
    except OSError:
        client.responses.append(CLOSED)
    return client.responses[0] if len(client.responses) == 1 else client.responses


async def drop(writer: asyncio.StreamWriter) -> None:
    """Close the connection of *writer* at once, and wait until it is closed."""
    writer.transport.abort()
    with suppress(OSError):
        await writer.wait_closed()


class _Client:
    def __init__(self, exchange: Exchange) -> None:
        self._exchange = exchange
        self._received = b""
        self.responses: list[str] = []

    async def talk(self, port: int) -> None:
        """Send the whole exchange; collect the responses."""
        reader, writer = await asyncio.open_connection("127.0.0.1", port)
        try:
            *first, last = self._exchange.sends
            for part in first:
                writer.write(part)
                if self._exchange.pause is not None:
                    await asyncio.sleep(self._exchange.pause)
                elif not await self._read_response(reader):
                    return
            writer.write(last)
            if self._exchange.ends:
                writer.write_eof()
            before = len(self.responses)
            while await self._read_response(reader):
                if self.responses[-1] != CONTINUE and len(self.responses) - before >= self._exchange.pipelined:
                    break
            if "connection: close" in self.responses[-1]:
                await self._read_rest(reader)
        finally:
            await drop(writer)

    async def _read_response(self, reader: asyncio.StreamReader) -> bool:
        """Read one more response; tell whether there was one."""
        so_far = len(self.responses)
        while len(responses := list(_responses(self._received, self._is_head))) <= so_far:
            if not (data := await reader.read(65536)):
                self.responses.append(CUT_OFF if self._received and not responses[so_far:] and so_far == 0 else CLOSED)
                return False
            self._received += data
        self.responses = responses
        return True

    async def _read_rest(self, reader: asyncio.StreamReader) -> None:
        try:
            async with asyncio.timeout(CLOSING):
                self._received += await reader.read()
        except (TimeoutError, OSError):
            return
        self.responses = list(_responses(self._received, self._is_head))

    @property
    def _is_head(self) -> bool:
        return self._exchange.sends[-1].startswith(b"HEAD ")


def _responses(received: bytes, is_head: bool) -> Iterator[str]:  # noqa: FBT001 - of the request
    """Yield each complete response in *received*; those to HEAD have no body."""
    while received:
        head, end, received = received.partition(b"\r\n\r\n")
        status, *lines = head.decode("latin-1").split("\r\n")
        headers = {name.lower(): value for name, _, value in (line.partition(": ") for line in lines)}
        length = 0 if is_head else int(headers.get("content-length", "0"))
        if not end or len(received) < length:
            return
        body, received = received[:length], received[length:]
        yield _line(status.split()[1], headers, body)


def _line(status: str, headers: dict[str, str], body: bytes) -> str:
    """Return a response in one line, without what is different each time."""
    headers = {**headers, **({"retry-after": "*"} if "retry-after" in headers else {})}
    told = "; ".join(f"{name}: {headers[name]}" for name in HEADERS if name in headers)
    text = body.decode(errors="backslashreplace").strip("\n")
    text = re.sub(r'"id": "[0-9a-f]{8}"', '"id": "*"', text)
    text = re.sub(r'"\d{4}-\d\d-\d\dT\d\d:\d\d:\d\d[^"]*"', '"TIME"', text)
    return " ".join(filter(None, (status, f"({told})" if told else "", text)))
