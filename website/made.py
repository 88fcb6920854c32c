"""Makes the pages and the pictures that follow from the code, or a part of them: ``make generate``."""

from pathlib import Path

from website.costs import page as watching_page
from website.fields import page as fields_page
from website.metrics import page as metrics_page
from website.pictures import pictures
from website.settings import page as settings_page
from website.status import page as status_page
from website.troubleshoot import page as troubleshoot_page

FOLDER = Path(__file__).parent


def pages() -> dict[str, str]:
    """Return the pages and the pictures, by the path of the file from this folder."""
    return {
        "fields.md": fields_page(),
        "metrics.md": metrics_page(),
        "settings.md": settings_page(),
        "status.md": status_page(),
        "troubleshoot.md": troubleshoot_page(),
        "watching.md": watching_page(),
        **pictures(),
    }


def main() -> None:
    """Write them."""
    for name, text in pages().items():
        (FOLDER / name).write_text(text)
        print((FOLDER / name).resolve().relative_to(FOLDER.parent))


if __name__ == "__main__":
    main()
