"""The script ``metahook``, and ``python -m metahook.cli``, where scripts are not on the path."""

from typing import NoReturn

from metahook.extras import needs


def main() -> NoReturn:
    """Run the command, or name what to install: pip installs the script without the extra ``cli``, too."""
    with needs("cli", "metahook"):
        from metahook.cli.program import main as run  # noqa: PLC0415 - click is in the extra
    run()


if __name__ == "__main__":
    main()
