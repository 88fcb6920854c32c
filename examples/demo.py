"""Plays Metacontroller: serves the hook, sends it a MyResource's life over HTTP, and checks every answer.

Exits 0 only if each answer says what it should. Run it with: make demo
"""

import subprocess
import sys
import time
from pathlib import Path
from typing import Any, NamedTuple

import httpx

from app.web.server import Address

REQUESTS = Path(__file__).parent / "requests"


class Step(NamedTuple):
    """A request, and what its answer shall say."""

    request: str
    state: str
    reason: str


STORY = [
    Step("1-nothing-yet", "Building", "Building"),
    Step("2-made", "Building", "RollingOut"),
    Step("3-rolling-out", "Building", "RollingOut"),
    Step("4-ready", "Ready", "Available"),
    Step("5-new-image-not-yet-applied", "Building", "Building"),
    Step("6-bad-image", "Failed", "ProgressDeadlineExceeded"),
]


def main() -> int:
    """Play the story against a hook of our own; return the exit code."""
    port, health_port = _free_port(), _free_port()
    command = [sys.executable, "-m", "app", "serve", "--port", str(port), "--health-port", str(health_port)]
    with subprocess.Popen(command, stderr=subprocess.DEVNULL) as hook:
        try:
            _wait_for(f"http://127.0.0.1:{health_port}/readyz")
            wrong = play(f"http://127.0.0.1:{port}/sync", STORY)
        finally:
            hook.terminate()
    print(f"\n{wrong} of {len(STORY)} answers are wrong." if wrong else "\nAll answers are right. Now try:\n")
    if not wrong:
        print("  .venv/bin/myresource render -f examples/web.yaml")
        print("  .venv/bin/myresource explain ProgressDeadlineExceeded")
    return 1 if wrong else 0


def play(url: str, story: list[Step]) -> int:
    """Send each step's request to *url*, show the answer; return how many were wrong."""
    wrong = 0
    for step in story:
        body = (REQUESTS / f"{step.request}.json").read_bytes()
        answer = httpx.post(url, content=body, headers={"Content-Type": "application/json"})
        status = answer.json().get("status", {})
        ready: dict[str, Any] = next((c for c in status.get("conditions", []) if c["type"] == "Ready"), {})
        right = (answer.status_code, status.get("state"), ready.get("reason")) == (200, step.state, step.reason)
        wrong += not right
        print(f"{'ok ' if right else 'NO '} {step.request:28} {status.get('state')}: {ready.get('reason')}")
        print(f"    {ready.get('message')}")
    return wrong


def _free_port() -> int:
    with Address("127.0.0.1", 0).listen() as listener:
        port: int = listener.getsockname()[1]
        return port


def _wait_for(url: str) -> None:
    for _ in range(100):
        try:
            if httpx.get(url).is_success:
                return
        except httpx.TransportError:
            pass
        time.sleep(0.1)
    message = "the hook did not become ready"
    raise TimeoutError(message)


if __name__ == "__main__":
    sys.exit(main())
