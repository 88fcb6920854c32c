"""Makes the pages that follow from the code, or a part of them: ``make pages``."""

from pathlib import Path

from docs.costs import page as watching_page
from docs.fields import page as fields_page
from docs.troubleshoot import page as troubleshoot_page

FOLDER = Path(__file__).parent


def pages() -> dict[str, str]:
    """Return the pages, by the name of the file."""
    return {"fields.md": fields_page(), "troubleshoot.md": troubleshoot_page(), "watching.md": watching_page()}


def main() -> None:
    """Write the pages."""
    for name, text in pages().items():
        (FOLDER / name).write_text(text)
        print(f"docs/{name}")


if __name__ == "__main__":
    main()
