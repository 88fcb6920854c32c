"""``python -m app`` is the ``myresource`` command."""

import os
import signal

# This comes before the other imports: they take a second, and the kernel drops a signal that the first process of a
# container does not handle. The server replaces this handler.
signal.signal(signal.SIGTERM, lambda *_: os._exit(128 + signal.SIGTERM))

from app.cli import main  # noqa: E402 - see above

if __name__ == "__main__":
    main()
