"""``python -m app`` is the ``myresource`` command."""

from app.cli import main

if __name__ == "__main__":
    main()
