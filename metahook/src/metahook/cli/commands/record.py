"""``metahook record``: records the requests to any hook, as a proxy in front of it."""

from metahook import __version__
from metahook.record.command import record_command
from metahook.record.redaction import Redaction

command = record_command(Redaction, __version__)
