"""Development mode as a whole: it is on once hooks have the log of calls."""

import logging
from collections.abc import Mapping

from metahook.protocol.controller import Handler
from metahook.server.dev.calls import log_calls

log = logging.getLogger(__name__)


def turn_on(handlers: Mapping[str, Handler]) -> dict[str, Handler]:
    """Return what to serve instead of the *handlers*, by path: the same, with the log of calls."""
    log.warning("development mode is on: the log shows names and the status of parents; do not use it in a cluster")
    return log_calls(handlers)
