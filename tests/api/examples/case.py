"""What an example of a rule is."""

from dataclasses import dataclass

from tests.requests.builders import Json


@dataclass(frozen=True)
class Example:
    """One rule of the CRD, with MyResources that it accepts and MyResources that it alone refuses.

    The rule is the one at *path* whose message begins with *says*. MyResources are arguments of ``my_resource``.
    With *crd_only* the hook reads what the API server refuses: the rule has only CEL.
    """

    path: str
    says: str
    good: list[Json]
    bad: list[Json]
    crd_only: bool = False
