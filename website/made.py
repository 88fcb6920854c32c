"""Makes the pages that follow from the code, or a part of them: ``make generate``."""

from pathlib import Path

from website.commands import operator_page, toolkit_page
from website.costs import page as watching_page
from website.fields import pages as fields_pages
from website.metrics import page as metrics_page
from website.settings import page as settings_page
from website.status import pages as status_pages
from website.troubleshoot import chinese_page as chinese_troubleshoot_page
from website.troubleshoot import page as troubleshoot_page

ROOT = Path(__file__).parents[1]


def pages() -> dict[str, str]:
    """Return the pages, by path."""
    return {
        "docs/reference/commands.md": operator_page(),
        **{f"docs/reference/{name}": text for name, text in fields_pages().items()},
        "docs/reference/metrics.md": metrics_page(),
        "docs/reference/settings.md": settings_page(),
        **{f"docs/reference/{name}": text for name, text in status_pages().items()},
        "docs/apps/troubleshoot.md": troubleshoot_page(),
        "docs/zh/troubleshoot.zh.md": chinese_troubleshoot_page(),
        "docs/concepts/watching.md": watching_page(),
        "metahook/docs/commands.md": toolkit_page(),
    }


def main() -> None:
    """Write them."""
    for name, text in pages().items():
        (ROOT / name).write_text(text)
        print(name)


if __name__ == "__main__":
    main()
