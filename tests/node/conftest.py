"""Fixtures: the node that ``make cluster`` started, and a namespace on it for each test."""

import os
import secrets
from collections.abc import Iterator
from pathlib import Path

import pytest

from tests.e2e.namespace import Place
from tests.node.layout import CONTEXT, KUBECONFIG
from tests.node.shell import Shell
from tests.own.own_cluster import OwnCluster

ROWS = pytest.StashKey[dict[str, str]]()


@pytest.fixture(scope="session")
def node(tmp_path_factory: pytest.TempPathFactory) -> Iterator[OwnCluster]:
    """Return the node, with a record of what happens in all namespaces."""
    if not KUBECONFIG.exists():
        pytest.exit("there is no node: start it with make cluster", 2)
    os.environ["KUBECONFIG"] = str(KUBECONFIG)
    made = OwnCluster(CONTEXT, tmp_path_factory.mktemp("node"))
    made.start()
    made.watch("")
    try:
        yield made
    finally:
        made.stop()


@pytest.fixture(scope="module")
def here(node: OwnCluster) -> Iterator[Place]:
    """Return a namespace that the tests of a module share."""
    made = new_place(node)
    yield made
    made.close()


def new_place(node: OwnCluster, labels: dict[str, str] | None = None) -> Place:
    """Return a new namespace."""
    return Place(node, f"test-{secrets.token_hex(4)}", labels)


@pytest.fixture
def shell() -> Shell:
    """Return a shell in the root of the repository."""
    return Shell()


@pytest.fixture(scope="session")
def figures(pytestconfig: pytest.Config) -> dict[str, str]:
    """Return the rows of the table that is printed at the end."""
    return pytestconfig.stash.setdefault(ROWS, {})


def pytest_terminal_summary(terminalreporter: pytest.TerminalReporter, config: pytest.Config) -> None:
    """Print what was measured."""
    rows = config.stash.get(ROWS, {})
    width = max(map(len, rows), default=0)
    for row, value in rows.items():
        terminalreporter.write_line(f"{row:{width}}  {value:>12}")


def copy_of_root(folder: Path, root: Path) -> Path:
    """Return *folder* with links to all that is in *root*, so that a page can write files beside them."""
    for each in root.iterdir():
        (folder / each.name).symlink_to(each)
    return folder
