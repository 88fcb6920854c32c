"""The troubleshooting page: its beginning is written by hand, its reasons come from app/core/reasons.py.

The Chinese page has the texts of website/chinese.yaml in their place. A text that is not there, because it is new or
has changed, stays English; tests/docs/chinese.py names it.
"""

from collections.abc import Callable
from pathlib import Path

import yaml

from app.core.reasons import REASONS, Outlook, Reason

ROOT = Path(__file__).parents[1]
PAGE = ROOT / "docs/apps/troubleshoot.md"
CHINESE_PAGE = ROOT / "docs/zh/troubleshoot.zh.md"
CHINESE: dict[str, str] = yaml.safe_load((ROOT / "website/chinese.yaml").read_text())
"""The texts in Chinese, by the English ones."""
BEGIN = "<!-- made by make generate from app/core/reasons.py -->\n"

Say = Callable[[str], str]
"""Returns a text in the language of a page."""


def page() -> str:
    """Return the page, with the reasons after its beginning."""
    return _page(PAGE, lambda text: text)


def chinese_page() -> str:
    """Return the page in Chinese."""
    return _page(CHINESE_PAGE, lambda text: CHINESE.get(text, text))


def _page(file: Path, say: Say) -> str:
    sections = "".join(_section(reason, say) for reason in REASONS.values())
    return file.read_text().partition(BEGIN)[0] + BEGIN + _overview(say) + sections


def _overview(say: Say) -> str:
    links = {
        outlook: [_link(reason) for reason in REASONS.values() if reason.outlook is outlook] for outlook in Outlook
    }
    rows = "".join(f"| {say(outlook.value)} | {say(', ').join(found)} |\n" for outlook, found in links.items())
    return f"\n| {say('meaning')} | {say('reasons')} |\n|---|---|\n{rows}"


def _link(reason: Reason) -> str:
    return f"[{reason.name}](#{reason.name.lower()})"


def _section(reason: Reason, say: Say) -> str:
    return (
        f"\n### {reason.name}\n\n"
        f"- **{say('Message:')}** {plain(reason.example())}\n"
        f"- **{say('Why:')}** {plain(say(reason.cause))}\n"
        f"- **{say('What to do:')}** {plain(say(reason.remedy))}\n"
    )


def plain(text: str) -> str:
    """Return *text* so that Markdown shows it as it is."""
    return text.replace("<", "&lt;").replace(">", "&gt;")
