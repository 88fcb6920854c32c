"""``myresource explain``: prints the table of reasons, or one of them."""

import difflib

import click

from app.core.reasons import REASONS, Reason


@click.command("explain")
@click.argument("reason", required=False)
def command(reason: str | None) -> None:
    """Tell what a REASON of the condition Ready means, and what to do; without REASON, list them all."""
    if reason is None:
        width = max(map(len, REASONS))
        click.echo("\n".join(f"{name:{width}}  {found.outlook.value}" for name, found in REASONS.items()))
        return
    known = {name.lower(): found for name, found in REASONS.items()}
    if reason.lower() not in known:
        close = difflib.get_close_matches(reason.lower(), known, n=1)
        hint = f"did you mean {known[close[0]].name}?" if close else "myresource explain lists them"
        message = f"no reason {reason!r}; {hint}"
        raise click.UsageError(message)
    click.echo(_page(known[reason.lower()]))


def _page(reason: Reason) -> str:
    blanks = {word: f"<{word}>" for word in ("name", "namespace", "uid", "problem", "kind", "child", "path")}
    return (
        f"{reason.name}: {reason.outlook.value}\n\n"
        f"Message  {reason.message.format(**blanks)}\n"
        f"Why      {reason.cause}\n"
        f"What to do  {reason.remedy}"
    )
