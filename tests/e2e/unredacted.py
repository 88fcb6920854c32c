"""``python -m tests.e2e.unredacted`` is the ``myresource`` command, but its recordings include ``managedFields``.

Under server-side apply the hook reads them if a spec is invalid. The clusters of the tests contain no secrets.
"""

from app.cli import main
from metahook.server import recording

if __name__ == "__main__":
    recording.redacted = lambda request: request  # type: ignore[attr-defined]  # the module imports it
    main()
