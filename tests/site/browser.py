"""A headless Chromium. The DevTools protocol controls it through pipes: JSON objects, each ended by a zero byte."""

import json
import os
import select
import subprocess
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path
from types import TracebackType
from typing import Any, Self
from urllib.parse import urlsplit

from toolkit.programs import find

PROGRAM = ("chromium", "chromium-browser", "google-chrome")
"""Its names."""
PATIENCE = 60
"""Seconds without a message from Chromium, after which it counts as stuck."""

_OPTIONS = (
    *("--headless=new", "--disable-gpu", "--no-first-run", "--remote-debugging-pipe", "--disable-component-update"),
    *("--disable-background-networking", "--host-resolver-rules=MAP * ~NOTFOUND, EXCLUDE 127.0.0.1"),
    *(["--no-sandbox"] if os.geteuid() == 0 else []),  # root has no sandbox; only pages of this repository are opened
)


class Browser:
    """A running Chromium with its *profile*, an empty folder; without Chromium it raises Missing."""

    def __init__(self, profile: Path) -> None:
        arguments = [find(*PROGRAM), *_OPTIONS, f"--user-data-dir={profile}", "about:blank"]
        theirs, self._commands = os.pipe()
        self._messages, their_messages = os.pipe()
        started = f'exec "$0" "$@" 3<&{theirs} 4>&{their_messages}'
        self._process = subprocess.Popen(
            ["/bin/bash", "-c", started, *arguments], pass_fds=(theirs, their_messages), stderr=subprocess.DEVNULL
        )
        os.close(theirs)
        os.close(their_messages)
        self._received = b""
        self._last_id = 0
        self.events: list[dict[str, Any]] = []

    def __enter__(self) -> Self:
        return self

    def __exit__(self, _: type[BaseException] | None, _value: BaseException | None, _at: TracebackType | None) -> None:
        os.close(self._commands)  # Chromium ends when its pipe does
        self._process.wait(PATIENCE)
        os.close(self._messages)

    def call(self, method: str, session: str | None = None, **parameters: object) -> dict[str, Any]:
        """Return the result of *method*; raise RuntimeError if there is none."""
        self._last_id += 1
        command = {"id": self._last_id, "method": method, "params": parameters}
        os.write(self._commands, json.dumps(command | ({"sessionId": session} if session else {})).encode() + b"\0")
        while (message := self._receive()).get("id") != self._last_id:
            self.events.append(message)
        if "error" in message:
            raise RuntimeError(method, message["error"])
        result: dict[str, Any] = message["result"]
        return result

    def wait_for(self, event: str) -> None:
        """Return after the *event*, which can have come before."""
        while not any(each["method"] == event for each in self.events):
            self.events.append(self._receive())

    @contextmanager
    def tab(self) -> Iterator[str]:
        """Open a tab, without the events of earlier ones, and yield its session."""
        target = self.call("Target.createTarget", url="about:blank")["targetId"]
        session: str = self.call("Target.attachToTarget", targetId=target, flatten=True)["sessionId"]
        for domain in ("Page", "Runtime", "Log", "Network"):
            self.call(f"{domain}.enable", session)
        self.events.clear()
        yield session
        self.call("Target.closeTarget", targetId=target)

    def evaluate(self, session: str, expression: str) -> Any:
        """Return the value of *expression* in the page, or what its promise becomes."""
        ended = self.call("Runtime.evaluate", session, expression=expression, awaitPromise=True, returnByValue=True)
        if "exceptionDetails" in ended:
            raise RuntimeError(str(ended["exceptionDetails"]))
        return ended["result"].get("value")

    def _receive(self) -> dict[str, Any]:
        while b"\0" not in self._received:
            ready, _, _ = select.select([self._messages], [], [], PATIENCE)
            part = os.read(self._messages, 1 << 20) if ready else b""
            if not part:
                raise RuntimeError("Chromium has ended" if ready else f"Chromium is silent for {PATIENCE} s")
            self._received += part
        first, _, self._received = self._received.partition(b"\0")
        message: dict[str, Any] = json.loads(first)
        return message


def failures(events: list[dict[str, Any]], host: str) -> Iterator[str]:
    """Yield the errors of the console, failed requests, and requests to hosts other than *host*."""
    for event in events:
        match event:
            case {"method": "Runtime.consoleAPICalled", "params": {"type": "error", "args": arguments}}:
                yield f"console: {arguments[0].get('value')}"
            case {"method": "Runtime.exceptionThrown", "params": {"exceptionDetails": details}}:
                yield f"exception: {details['text']} {details.get('exception', {}).get('description', '')}"
            case {"method": "Log.entryAdded", "params": {"entry": {"level": "error", "text": text}}}:
                yield f"log: {text}"
            case {"method": "Network.requestWillBeSent", "params": {"request": {"url": url}}}:
                if urlsplit(url).scheme in {"http", "https"} and urlsplit(url).netloc != host:
                    yield f"request to another host: {url}"
