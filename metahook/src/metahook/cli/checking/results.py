"""The results of a check: what is wrong with a hook or its manifests, without what follows from other findings."""

from collections.abc import Iterable
from dataclasses import dataclass, field

_CONSEQUENCES = {
    "EndsDifferently": {"CopiedAnnotation", "CopiedChild", "MixedParents", "NotPure", "WrongDelete"},
    "FailingSync": {"InvalidStatus", "UnreportedRefusal", "UnwatchedChild"},
    "NeedsResync": {"NotPure"},
    "NoOpWrites": {"NotPure", "PrunedStatus", "UnwatchedChild"},
    "NotFinalized": {"CustomizeHookMissing", "Exception", "FailedCall", "RefusedResponse"},
    "RemovedField": {"MixedParents", "NotPure"},
    "RepeatedWrites": {"GrowingChildren", "MixedParents", "NotPure", "PrunedStatus", "WrongDelete"},
    "StoredOtherwise": {"NotPure", "UnknownField"},
    "UnreportedRefusal": {"CopiedChild"},
    "WrongDelete": {"NotPure"},
    "GrowingChildren": {"UnwatchedChild"},
    "CallStorm": {"GrowingChildren", "NotPure", "RepeatedWrites", "WrongDelete"},
}
"""Rules that are also broken once one of these others is."""


@dataclass(frozen=True)
class CheckResult:
    """*name* is that of the rule, *place* a file with a line, or a hook and a parent; *message* has the remedy.

    *command* repeats it; *example* has the objects that it needs, in YAML, for its standard input.
    """

    name: str
    place: str
    message: str
    command: str = ""
    example: str = ""


@dataclass
class Results:
    """The *checks* that ran, each with its findings, and why the others did not run: *stopped*."""

    checks: list[tuple[str, list[CheckResult]]] = field(default_factory=list)
    stopped: str = ""
    notes: list[str] = field(default_factory=list)
    """What was not checked."""

    @property
    def findings(self) -> list[CheckResult]:
        """All findings."""
        return [finding for _, found in self.checks for finding in found]

    def add(self, check: str, found: Iterable[CheckResult]) -> None:
        """Add what a *check* has *found*, without what was found before, and what follows from that or another finding.

        If an exception ends the check, what it has found by then is added.
        """
        new: list[CheckResult] = []
        known = {_kind(finding) for finding in self.findings}
        before = {finding.name for finding in self.findings}
        is_whole = False
        try:
            for finding in found:
                if _kind(finding) not in known:
                    known.add(_kind(finding))
                    new.append(finding)
            is_whole = True
        finally:
            names = before | {finding.name for finding in new}
            left = [finding for finding in new if not _CONSEQUENCES.get(finding.name, set()) & names]
            if left or is_whole:
                self.checks.append((check, left))


def _kind(finding: CheckResult) -> tuple[str, str, str]:
    """Return what is the same in findings of one reason: a finding of each rule and kind of object is enough."""
    return finding.name, finding.place, finding.message.partition(" ")[0]
