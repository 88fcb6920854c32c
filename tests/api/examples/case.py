"""What an example of a rule is."""

from dataclasses import dataclass

from tests.build import Json


@dataclass(frozen=True)
class Example:
    """One rule of the CRD, with MyResources that it accepts and MyResources that it alone refuses.

    The rule is the one at *path* whose message begins with *says*. MyResources are arguments of ``my_resource``.
    """

    path: str
    says: str
    good: list[Json]
    bad: list[Json]
