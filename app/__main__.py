"""``python -m app`` is the ``myresource`` command."""

import os
import signal
import sys

# This comes before the other imports: they take a second, and the kernel drops a signal that the first process of a
# container does not handle. The server replaces these handlers.
for number in (signal.SIGINT, signal.SIGTERM, signal.SIGHUP):
    if signal.getsignal(number) is not signal.SIG_IGN:  # as by nohup
        signal.signal(number, lambda number, _: os._exit(128 + number))

from app.cli import main  # noqa: E402 - see above

if __name__ == "__main__":
    try:
        if signal.getsignal(signal.SIGINT) is not signal.SIG_IGN:
            signal.signal(signal.SIGINT, signal.default_int_handler)  # the commands end what they have begun
        main()
    except KeyboardInterrupt:  # no command has begun
        sys.exit(130)
