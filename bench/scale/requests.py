"""The requests of operators, by the audit log of the API server, which names the user of each.

Watches and leases do not count: they are about as many for each operator, whatever happens.
"""

import json
from collections import Counter
from collections.abc import Sequence
from pathlib import Path

import msgspec


class _Line(msgspec.Struct):
    verb: str


_decode = msgspec.json.Decoder(_Line).decode


class Requests:
    """The requests of *users*, whose audit log and its policy are in *folder*."""

    def __init__(self, folder: Path, users: Sequence[str]) -> None:
        self._log = folder / "audit.log"
        self._log.touch()
        self._policy = folder / "audit.json"
        rules = [
            {"level": "None", "verbs": ["watch"]},
            {"level": "None", "nonResourceURLs": ["*"]},
            {"level": "None", "resources": [{"group": "coordination.k8s.io"}]},
            {"level": "Metadata", "users": list(users)},
            {"level": "None"},
        ]
        policy = {"apiVersion": "audit.k8s.io/v1", "kind": "Policy", "omitStages": ["RequestReceived"], "rules": rules}
        self._policy.write_text(json.dumps(policy))
        self._read = 0
        self._verbs: Counter[str] = Counter()

    @property
    def options(self) -> tuple[str, ...]:
        """Return those of kube-apiserver."""
        return (
            f"--audit-policy-file={self._policy}",
            f"--audit-log-path={self._log}",
            "--audit-log-maxsize=4000",  # one file
        )

    def size(self) -> int:
        """Return the size of the log, which grows with each request."""
        return self._log.stat().st_size

    def verbs(self) -> Counter[str]:
        """Return how many requests there were until now, by verb."""
        with self._log.open("rb") as log:
            log.seek(self._read)
            for line in log:
                if not line.endswith(b"\n"):  # the rest of it is not yet written
                    break
                self._read += len(line)
                self._verbs[_decode(line).verb] += 1
        return self._verbs.copy()
