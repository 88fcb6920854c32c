"""``serve`` in development mode as a process: what it logs."""

import re
import signal
import sys

from metahook.protocol.request_builder import sync_request
from toolkit.served.asgi import JSON
from toolkit.served.process import CLIENT, WIDGETS, Served, served
from toolkit.widgets import grouped, ready_request, widget

REQUESTS = [sync_request(widget(), grouped(), {}), ready_request(), ready_request()]
SERVE = (*WIDGETS, "--log-format=console")
OPEN = "development mode is open to other machines: listen on 127.0.0.1, except in a container"
DEVELOPMENT = "development mode is on: the log shows names and the status of parents; do not use it in a cluster"

_LINE = re.compile(r"[0-9-]+T[0-9:.]+Z (\[[a-z]+) *(?=\])")


def ended(running: Served) -> list[str]:
    """Stop the process; return its log, without times and durations."""
    running.process.send_signal(signal.SIGINT)
    running.process.wait(timeout=30)
    log = running.process.stderr.read() if running.process.stderr else ""
    return [re.sub(r"in [\d.]+ ms", "in 1.0 ms", _LINE.sub(r"\1", line)) for line in log.splitlines()]


def test_the_log_shows_what_each_call_changes() -> None:
    with served(*SERVE, "--dev") as running:
        for body in REQUESTS:
            assert CLIENT.post(f"{running.url}/sync", content=body, headers=JSON).is_success
        log = ended(running)

    info = "[info] /sync default/web generation 1 in 1.0 ms: 1 Deployment"
    ready = log.index(f"{info}; changed")
    warnings = [line for line in log if line.startswith("[warning]")]
    assert warnings == [f"[warning] {DEVELOPMENT} [metahook.server.dev.mode]"]
    assert "  ~ status.conditions[Ready].reason: RollingOut -> Available" in log[ready:]
    assert f"{info}; unchanged" in log
    assert not any("hook called" in line for line in log)


def test_a_warning_says_that_others_can_reach_development_mode() -> None:
    with served(*SERVE, "--dev", "--host=0.0.0.0") as running:
        log = ended(running)

    warnings = [line for line in log if line.startswith("[warning] development")]
    assert {line.removeprefix("[warning] ").rpartition(" [")[0] for line in warnings} == {DEVELOPMENT, OPEN}


_HOOK = """
import sys
from metahook.server import Address, ServerOptions, serve
from toolkit.hooks.minimal import TINY

port, health_port = (int(option.partition("=")[2]) for option in sys.argv[1:])
serve(TINY, Address("127.0.0.1", port), Address("127.0.0.1", health_port), ServerOptions(dev=True))
"""


def test_any_hook_has_it_with_an_option_of_the_server() -> None:
    with served(sys.executable, "-c", _HOOK) as running:
        assert CLIENT.get(f"{running.url}/openapi.json").is_success
        assert CLIENT.get(f"{running.url}/docs").status_code == 404
        assert any(DEVELOPMENT in line for line in ended(running))
