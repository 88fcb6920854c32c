"""``python -m tests.e2e.unredacted`` is the ``myresource`` command, but its recordings are not redacted.

Under server-side apply the hook reads ``managedFields`` if a spec is invalid. The clusters of the tests contain no
secrets.
"""

from metahook.server.redaction import Redaction

from app.cli import main
from metahook.protocol import Body


def _as_it_is(self: Redaction, request: Body, response: bytes) -> tuple[bytes, bytes]:  # noqa: ARG001 - as of the method
    return bytes(request), response


if __name__ == "__main__":
    Redaction.redact = _as_it_is  # type: ignore[method-assign]  # for this process alone
    main()
