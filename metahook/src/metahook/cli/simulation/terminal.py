"""A terminal, with colours; and a picture of what it shows."""

from pathlib import Path

from rich.console import Console
from rich.text import Text

from metahook.cli.errors import InputError
from metahook.cli.simulation.screen import Part

PICTURE = 120
"""Columns of a picture."""


class Terminal(Console):
    """A console that lets the command handle a closed pipe. It keeps what it shows for a picture if it *records*."""

    def __init__(self, *, records: bool = False) -> None:
        super().__init__(highlight=False, record=records, width=PICTURE if records else None)

    @property
    def columns(self) -> int:
        """The columns of a terminal or a picture; 0 elsewhere."""
        return self.width if self.is_terminal or self.record else 0

    def write(self, *parts: Part) -> None:
        """Write *parts* with their styles."""
        self.print(Text.assemble(*parts), soft_wrap=True)

    def on_broken_pipe(self) -> None:
        """Raise BrokenPipeError, where rich ends the process."""
        raise BrokenPipeError

    def draw(self, file: Path, title: str) -> None:
        """Write what was shown to *file*, as an SVG that loads nothing from elsewhere; raise InputError."""
        picture = self.export_svg(title=title, clear=False)
        start, end = picture.index("@font-face"), picture.rindex("@font-face")
        end = picture.index("}", picture.index("}", end)) + 1
        try:
            file.write_text(picture[:start] + picture[end:].lstrip(), encoding="utf-8")
        except OSError as error:
            reason = (error.strerror or "cannot be written").lower()
            message = f"--svg {file}: {reason}; name a file in an existing directory"
            raise InputError(message) from error
