"""``myresource explain``: prints the list of all words, or the meaning of a reason, a state or a condition."""

import difflib
import json
from typing import NamedTuple

import click

from app.cli.options import with_docs_url
from app.cli.wrapping import Row, page, row
from app.core.reasons import REASONS, Reason, linked
from app.core.status.condition_type import ParentCondition, Term
from app.core.status.conditions import ANSWERS
from app.core.status.parent_status import TERMS


@click.command("explain")
@click.argument(
    "word",
    metavar="[WORD]",
    required=False,
    shell_complete=lambda _context, _argument, start: [name for name in _names() if name.startswith(start)],
)
@click.option(
    "-o", "--output", type=click.Choice(["text", "json"]), default="text", show_default=True, help="Output format."
)
@with_docs_url
def command(word: str | None, docs_url: str, output: str) -> None:
    """Explain a WORD of a status and what to do; without WORD, list the reasons of Ready, the states and the
    conditions.

    WORD is a reason, a state or a condition, such as NotApplied, Degraded or Stalled.
    """
    pages = [each for each in _pages() if word is None or each.name.lower() == word.lower()]
    if word is not None and not pages:
        names = {each.name.lower(): each.name for each in _pages()}
        close = difflib.get_close_matches(word.lower(), names, n=1)
        hint = f"did you mean {names[close[0]]}?" if close else "for a list, run: myresource explain"
        message = f"no reason, state or condition {word!r}; {hint}"
        raise click.UsageError(message)
    if output == "json":
        text = json.dumps([each.as_json() for each in pages], indent=2, ensure_ascii=False)
    elif word is None:
        text = "\n\n".join(_table(title, rows) for title, rows in _tables().items())
    else:
        text = "\n\n".join(page(f"{each.name}: {each.about}", each.rows) for each in pages)
    click.echo(linked(text, docs_url))


class _Page(NamedTuple):
    """What the word *name* is *about*, and texts with their labels."""

    name: str
    about: str
    rows: list[Row]

    def as_json(self) -> dict[str, str]:
        texts = {label.title().replace(" ", ""): text for label, text in self.rows}
        return {"name": self.name, "about": self.about, **{key[0].lower() + key[1:]: texts[key] for key in texts}}


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
    return sorted({each.name for each in _pages()})


def _pages() -> list[_Page]:
    """Return the pages: of the reasons of Ready, then states and conditions, then their reasons."""
    own = {reason.lower() for reason in REASONS}
    return [
        *map(_reason, REASONS.values()),
        *map(_term, TERMS),
        *(_condition(other) for other in ANSWERS if other.reason.lower() not in own),
    ]


def _reason(reason: Reason) -> _Page:
    rows = [("Message", reason.example()), ("Why", reason.cause), ("What to do", reason.remedy)]
    return _Page(reason.name, reason.outlook.value, rows)


def _term(term: Term) -> _Page:
    reasons = [answer.reason for answer in ANSWERS if (answer.type, term.kind) == (term.name, "condition")]
    listed = [("Reasons", ", ".join(reasons))] if reasons else []
    rows = [("Meaning", term.meaning), *listed, ("What to do", term.remedy)]
    return _Page(term.name, f"a {term.kind} of a MyResource", rows)


def _condition(condition: ParentCondition) -> _Page:
    return _Page(condition.reason, f"{condition.type} is {condition.status}", [("Message", condition.example())])
