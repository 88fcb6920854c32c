"""``python -m metahook.record`` records the requests to any hook."""

from metahook import __version__
from metahook.extras import needs

if __name__ == "__main__":
    with needs("cli", "metahook.record"):
        from metahook.record.command import record_command
        from metahook.record.redaction import Redaction
    record_command(Redaction, __version__)(prog_name="metahook.record")
