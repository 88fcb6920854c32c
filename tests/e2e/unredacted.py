"""``python -m tests.e2e.unredacted`` is the ``myresource`` command, but what it records has ``managedFields``, too.

Under server-side apply the hook reads them where a spec is invalid. Nothing in a cluster of the tests is a secret.
"""

from app.cli import main
from metahook.server import recording

if __name__ == "__main__":
    recording.redacted = lambda request: request  # type: ignore[attr-defined]  # it is imported there
    main()
