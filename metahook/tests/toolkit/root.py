"""Where the toolkit is: the folder of its pyproject.toml."""

from pathlib import Path

ROOT = Path(__file__).parents[2]
