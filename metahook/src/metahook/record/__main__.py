"""``python -m metahook.record`` records the requests to any hook."""

import os
import signal

# Before the other imports, which take a second, and may turn a KeyboardInterrupt into other errors.
if __name__ == "__main__" and signal.getsignal(signal.SIGINT) is signal.default_int_handler:
    signal.signal(signal.SIGINT, lambda number, _: os._exit(128 + number))

from metahook import __version__
from metahook.extras import needs

if __name__ == "__main__":
    with needs("cli", "metahook.record"):
        from metahook.record.command import record_command
        from metahook.record.redaction import Redaction
    record_command(Redaction, __version__)(prog_name="metahook.record")
