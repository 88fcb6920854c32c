"""Makes the pages and the pictures that follow from the code, or a part of them: ``make generate``."""

from pathlib import Path

from docs.costs import page as watching_page
from docs.fields import page as fields_page
from docs.metrics import page as metrics_page
from docs.pictures import pictures
from docs.settings import page as settings_page
from docs.status import page as status_page
from docs.troubleshoot import page as troubleshoot_page

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
