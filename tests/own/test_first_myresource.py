"""The commands of docs/start/first-myresource.md, as they stand."""

from pathlib import Path

import pytest

from tests.docs.documents import ROOT
from tests.e2e.namespace import Place
from tests.own.own_cluster import OwnCluster
from tests.own.shell import steps
from toolkit.documents import blocks

pytestmark = pytest.mark.own

PAGE = "docs/start/first-myresource.md"
SECTIONS = ("What you need", "Apply it and wait", "Read its status", "Change it", "Make it fail", "Delete it")


@pytest.fixture
def folder(tmp_path: Path) -> Path:
    """Return a folder with links to the files of this repository, and web.yaml, which a reader saves there."""
    for each in ROOT.iterdir():
        (tmp_path / each.name).symlink_to(each)
    (text,) = blocks((ROOT / PAGE).read_text(), "yaml")
    (tmp_path / "web.yaml").write_text(text)
    return tmp_path


def test_the_first_myresource_is_created_changed_broken_and_deleted(own: OwnCluster, here: Place, folder: Path) -> None:
    printed = "".join(own.shell.run(command, folder) for command in steps(PAGE, *SECTIONS))

    assert printed.startswith("yes\n")
    assert printed.count("condition met") == 4
    assert "Container main can't pull its image" in printed
    assert here.find("MyResource", "web") is None
