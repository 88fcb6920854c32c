"""Makes the pages and pictures that follow from the code, or a part of them: ``make generate``."""

from pathlib import Path

from docs.costs import page as watching_page
from docs.fields import page as fields_page
from docs.growth import picture as growth_picture
from docs.metrics import page as metrics_page
from docs.performance import page as performance_page
from docs.performance import picture as performance_picture
from docs.settings import CHINESE, reliability
from docs.settings import page as settings_page
from docs.sizing import page as operate_page
from docs.status import page as status_page
from docs.troubleshoot import page as troubleshoot_page

FOLDER = Path(__file__).parent


def pages() -> dict[str, str]:
    """Return the pages and pictures, by the path of the file from this folder."""
    return {
        "fields.md": fields_page(),
        "growth.svg": growth_picture(),
        "metrics.md": metrics_page(),
        "operate.md": operate_page(),
        "performance.md": performance_page(),
        "performance.svg": performance_picture(),
        "reliability.md": reliability(),
        "settings.md": settings_page(),
        CHINESE.name: settings_page(CHINESE),
        "status.md": status_page(),
        "troubleshoot.md": troubleshoot_page(),
        "watching.md": watching_page(),
    }


def main() -> None:
    """Write the pages and pictures."""
    for name, text in pages().items():
        (FOLDER / name).write_text(text)
        print((FOLDER / name).resolve().relative_to(FOLDER.parent))


if __name__ == "__main__":
    main()
