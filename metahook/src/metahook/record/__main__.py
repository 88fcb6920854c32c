"""``python -m metahook.record`` records the requests to any hook."""

from metahook import __version__
from metahook.record.command import record_command
from metahook.record.redaction import Redaction

if __name__ == "__main__":
    record_command(Redaction, __version__)(prog_name="metahook.record")
