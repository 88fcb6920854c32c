"""Files for the commands."""

from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest
import yaml


@pytest.fixture
def write(tmp_path: Path) -> Callable[..., str]:
    """Return what writes objects, or texts, into a file, and returns its path."""

    def write(*objects: Any, name: str = "web.yaml") -> str:
        file = tmp_path / name
        file.write_text("---\n".join(item if isinstance(item, str) else yaml.safe_dump(item) for item in objects))
        return str(file)

    return write
