"""``myresource explain``: prints the table of reasons, or one of them."""

import difflib

import click

from app.core.observations import OBSERVATIONS, Observation
from app.core.reason import Reason
from app.core.reasons import REASONS


@click.command("explain")
@click.argument("reason", required=False)
def command(reason: str | None) -> None:
    """Tell what a REASON in a status means, and what to do; without REASON, list those of Ready."""
    if reason is None:
        width = max(map(len, REASONS))
        click.echo("\n".join(f"{name:{width}}  {found.outlook.value}" for name, found in REASONS.items()))
        return
    pages = _pages()
    if reason.lower() not in pages:
        close = difflib.get_close_matches(reason.lower(), [name.lower() for name in REASONS], n=1)
        names = {name.lower(): name for name in REASONS}
        hint = f"did you mean {names[close[0]]}?" if close else "myresource explain lists them"
        message = f"no reason {reason!r}; {hint}"
        raise click.UsageError(message)
    click.echo(pages[reason.lower()])


def _pages() -> dict[str, str]:
    """Return what there is to say of each reason, by its name in lower case; Ready's own come first."""
    others = {seen.reason.lower(): _short(seen) for seen in OBSERVATIONS}
    return others | {name.lower(): _page(reason) for name, reason in REASONS.items()}


def _page(reason: Reason) -> str:
    return (
        f"{reason.name}: {reason.outlook.value}\n\n"
        f"Message     {reason.outlined()}\n"
        f"Why         {reason.cause}\n"
        f"What to do  {reason.remedy}"
    )


def _short(seen: Observation) -> str:
    return f"{seen.reason}: {seen.condition} is {seen.status}\n\nMessage     {seen.message}"
