"""What a status says: the types of conditions, and what a condition of one says. ``myresource explain`` prints it."""

from collections.abc import Callable, Mapping
from typing import ClassVar

from msgspec import Struct, field

from app.core.facts import Facts
from app.core.reasons import Outlook, example

ACT = "Check the reason of Ready: kubectl get myresource NAME -o wide. Then run: myresource explain REASON"
WAIT = "Wait. The message of Ready says what it is waiting for: kubectl get myresource NAME -o wide"
KSTATUS = "kstatus, which Flux and `kpt` use"


class Term(Struct, frozen=True):
    """A word in a status other than a reason: a state or the type of a condition."""

    kind: ClassVar = "state"

    name: str
    meaning: str
    remedy: str
    use: str
    """When a state starts, or who reads a condition."""


class ConditionType(Term, frozen=True):
    """A type of condition, and when the status has a condition of it."""

    kind: ClassVar = "condition"

    is_about: Callable[[Facts], object] | None = None
    """Finds what the condition is about: without it, there is no condition, and nothing of its module is called."""
    outlook: Outlook | None = None
    """The outlook of Ready with which there is such a condition; None means each."""
    is_of_rollout: bool = False
    """Whether the parent and its Deployment show since when it has its status."""
    is_problem: bool = False
    """Whether there is such a condition only while something is wrong that the reason of Ready does not tell."""

    def is_news(self, status: str) -> bool:
        """Tell whether a condition with this *status* tells what the reason of Ready need not tell."""
        return self.is_problem or (self.is_about is not None and status != "True")

    def says(self, status: str, reason: str, message: str, **example_words: str) -> "ParentCondition":
        """Return a condition of this type; the words are those of its example that no other has."""
        return ParentCondition(self.name, status, reason, message, example_words)


class ParentCondition(Struct, frozen=True):
    """What a condition of the parent says: its status, its reason and its message, which can be a template."""

    type: str
    status: str
    reason: str
    message: str
    example_words: Mapping[str, str] = field(default_factory=dict)

    def example(self) -> str:
        """Return a message as a user sees it, for ``myresource explain`` and the pages."""
        return example(self.message, self.example_words)
