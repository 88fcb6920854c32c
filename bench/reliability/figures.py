"""Figures: what was measured, and whether it is within its goal."""

from dataclasses import dataclass


@dataclass(frozen=True)
class Figure:
    """A figure of the served hook, and the same of the negative control, a server without protection."""

    name: str
    goal: str
    served: str
    plain: str
    is_met: bool
    """Whether the served hook is within the goal."""
    is_missed_by_plain: bool | None = None
    """Whether the negative control is not, as it must; None without one."""

    @property
    def is_right(self) -> bool:
        """Whether the goal is met, and the negative control shows that it can be missed."""
        return self.is_met and self.is_missed_by_plain is not False

    def row(self) -> str:
        """Return the figure as a row of the table in docs/reliability.md."""
        return f"| {self.name} | {self.goal} | {self.served} | {self.plain} |{'' if self.is_right else ' WRONG'}"
