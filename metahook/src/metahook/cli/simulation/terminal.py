"""A terminal, with colours."""

from rich.console import Console
from rich.text import Text

from metahook.cli.simulation.screen import Part


class Terminal(Console):
    """A console that lets the command handle a closed pipe."""

    def __init__(self) -> None:
        super().__init__(highlight=False)

    @property
    def columns(self) -> int:
        """The columns of a terminal; 0 elsewhere."""
        return self.width if self.is_terminal else 0

    def write(self, *parts: Part) -> None:
        """Write *parts* with their styles."""
        self.print(Text.assemble(*parts), soft_wrap=True)

    def on_broken_pipe(self) -> None:
        """Raise BrokenPipeError, where rich ends the process."""
        raise BrokenPipeError
