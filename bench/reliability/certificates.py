"""Certificates that are replaced under load.

The negative control is in tests/server/test_tls.py: a certificate that is not read again is noticed.
"""

import tempfile
from pathlib import Path

from bench.reliability.figures import Figure
from bench.reliability.targets import served
from tests.protected import Pki, rotate_under_load

ROTATIONS = 10


def figures(raw: bytes) -> list[Figure]:
    """Return what callers saw of new certificates; *raw* is a whole request."""
    body = raw.partition(b"\r\n\r\n")[2]
    with tempfile.TemporaryDirectory() as folder:
        pki = Pki(Path(folder))
        tls = [f"--tls-cert={pki.cert}", f"--tls-key={pki.key}", f"--tls-client-ca={pki.client_ca}"]
        with served(*tls) as target:
            seen = rotate_under_load(pki, ("127.0.0.1", target.port), ROTATIONS, body)
    return [
        Figure("Requests that failed while 10 certificates were replaced", "", 0, len(seen.failures)),
        Figure("Certificates that were not in use after 10 s", "", 0, ROTATIONS + 1 - seen.certificates),
    ]
