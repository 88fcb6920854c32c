"""Figures: what was measured, and whether it is within its goal."""

from dataclasses import dataclass


@dataclass(frozen=True)
class Figure:
    """A figure of the served hook, at *most* so much, and the same of a server without protection."""

    name: str
    unit: str
    most: float
    served: float
    plain: float | None = None
    """None if it was not measured: the figure of another row shows that the attack does harm."""

    @property
    def is_right(self) -> bool:
        """Whether the goal is met, and missed by the server without protection: otherwise the attack shows nothing."""
        return self.served <= self.most and (self.plain is None or self.plain > self.most)

    def row(self) -> str:
        """Return the figure as a row of the table in docs/reliability.md."""
        goal = f"at most {self._shown(self.most)}" if self.most else "none"
        plain = "" if self.plain is None else self._shown(self.plain)
        return f"| {self.name} | {goal} | {self._shown(self.served)} | {plain} |{'' if self.is_right else ' WRONG'}"

    def _shown(self, value: float) -> str:
        number = f"{value:,.0f}" if value >= 10 or value == int(value) else f"{value:.2f}"  # noqa: PLR2004 - three digits
        return f"{number} {self.unit}".rstrip()
