"""The troubleshooting page: its beginning is written by hand, its reasons come from app/core/reasons.py."""

from pathlib import Path

from app.core.reasons import REASONS, Outlook, Reason

PAGE = Path(__file__).parents[1] / "docs/apps/troubleshoot.md"
BEGIN = "<!-- made by make generate from app/core/reasons.py -->\n"


def page() -> str:
    """Return the page, with the reasons after its beginning."""
    return PAGE.read_text().partition(BEGIN)[0] + BEGIN + _overview() + "".join(map(_section, REASONS.values()))


def _overview() -> str:
    links = {
        outlook: [_link(reason) for reason in REASONS.values() if reason.outlook is outlook] for outlook in Outlook
    }
    rows = "".join(f"| {outlook.value} | {', '.join(found)} |\n" for outlook, found in links.items())
    return f"\n| meaning | reasons |\n|---|---|\n{rows}"


def _link(reason: Reason) -> str:
    return f"[{reason.name}](#{reason.name.lower()})"


def _section(reason: Reason) -> str:
    return (
        f"\n### {reason.name}\n\n"
        f"- **Message:** {plain(reason.outlined())}\n"
        f"- **Why:** {plain(reason.cause)}\n"
        f"- **What to do:** {plain(reason.remedy)}\n"
    )


def plain(text: str) -> str:
    """Return *text* so that Markdown shows it as it is."""
    return text.replace("<", "&lt;").replace(">", "&gt;")
