"""``myresource explain``: prints the list of all words, or the meaning of a reason, a state or a condition."""

import difflib

import click

from app.cli.options import with_docs_url
from app.cli.wrapping import Row, page, row
from app.core.reasons import REASONS, Reason, linked
from app.core.status.conditions import OTHER_CONDITIONS, ParentCondition
from app.core.status.glossary import TERMS, Term


@click.command("explain")
@click.argument(
    "word",
    metavar="[WORD]",
    required=False,
    shell_complete=lambda _context, _argument, start: [name for name in _names() if name.startswith(start)],
)
@with_docs_url
def command(word: str | None, docs_url: str) -> None:
    """Explain a WORD of a status and what to do; without WORD, list the reasons of Ready, the states and the
    conditions.

    WORD is a reason, a state or a condition, such as NotApplied, Degraded or Stalled.
    """
    if word is None:
        click.echo("\n\n".join(_table(title, rows) for title, rows in _tables().items()))
        return
    pages = [linked(text, docs_url) for name, text in _pages() if name.lower() == word.lower()]
    if not pages:
        names = {name.lower(): name for name, _ in _pages()}
        close = difflib.get_close_matches(word.lower(), names, n=1)
        hint = f"did you mean {names[close[0]]}?" if close else "for a list, run: myresource explain"
        message = f"no reason, state or condition {word!r}; {hint}"
        raise click.UsageError(message)
    click.echo("\n\n".join(pages))


def _tables() -> dict[str, list[Row]]:
    """Return the words that a status shows most, by the title of their table."""
    return {
        "Reasons of the Ready condition": [(name, reason.outlook.value) for name, reason in REASONS.items()],
        "States": [(term.name, term.meaning) for term in TERMS if term.kind == "state"],
        "Conditions": [(term.name, term.meaning) for term in TERMS if term.kind == "condition"],
    }


def _table(title: str, rows: list[Row]) -> str:
    width = max(len(name) for name, _ in rows) + 4
    return "\n".join([f"{title}:", *(row(f"  {name}", text, width) for name, text in rows)])


def _names() -> list[str]:
    return sorted({name for name, _ in _pages()})


def _pages() -> list[Row]:
    """Return the pages with their words: the reasons of Ready, then states and conditions, then their reasons."""
    own = {reason.lower() for reason in REASONS}
    return [
        *((name, _reason(reason)) for name, reason in REASONS.items()),
        *((term.name, _term(term)) for term in TERMS),
        *((other.reason, _condition(other)) for other in OTHER_CONDITIONS if other.reason.lower() not in own),
    ]


def _reason(reason: Reason) -> str:
    rows = [("Message", reason.example()), ("Why", reason.cause), ("What to do", reason.remedy)]
    return page(f"{reason.name}: {reason.outlook.value}", rows)


def _term(term: Term) -> str:
    reasons = [("Reasons", ", ".join(term.reasons))] if term.reasons else []
    rows = [("Meaning", term.meaning), *reasons, ("What to do", term.remedy)]
    return page(f"{term.name}: a {term.kind} of a MyResource", rows)


def _condition(condition: ParentCondition) -> str:
    return page(f"{condition.reason}: {condition.type} is {condition.status}", [("Message", condition.example())])
