"""The commands of the pages for a new user, as they stand, on the node that docs/install.md set up."""

import re
from pathlib import Path

import pytest

from tests.documents import ROOT
from tests.node.conftest import copy_of_root
from tests.node.shell import Failed, Shell
from tests.node.walk import FIRST, INSTALL, LEFT_OUT, steps
from tests.own.own_cluster import OwnCluster

pytestmark = pytest.mark.tools


@pytest.fixture
def reader(node: OwnCluster, tmp_path: Path) -> Shell:
    """Return the shell of a reader, who saves the file web.yaml of the page."""
    del node
    page, _ = FIRST
    (text,) = re.findall(r"^```yaml\n(.*?)^```$", (ROOT / page).read_text(), re.DOTALL | re.MULTILINE)
    (copy_of_root(tmp_path, ROOT) / "web.yaml").write_text(text)
    return Shell(tmp_path)


def test_the_first_myresource_is_created_changed_broken_and_deleted(reader: Shell) -> None:
    printed = "".join(reader.run(command) for command in steps(*FIRST))

    assert printed.count("condition met") == 4
    assert "Container main can't pull its image" in printed
    assert 'myresource.mygroup.example.com "web" deleted' in printed
    with pytest.raises(Failed, match="not found"):
        reader.run("kubectl get myresource web")


@pytest.mark.parametrize("start", LEFT_OUT)
def test_every_reason_matches_a_command(start: str) -> None:
    page, sections = INSTALL
    assert start in (ROOT / page).read_text()
    assert not any(command.startswith(start) for command in steps(page, sections))
