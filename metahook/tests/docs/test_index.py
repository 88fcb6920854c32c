"""README.md is the index: it lists the pages, the kinds and the packages."""

import pkgutil
import re
from pathlib import Path

import pytest

import metahook
from metahook import Object, kinds
from toolkit.root import ROOT

README = (ROOT / "README.md").read_text()


def test_the_readme_links_to_every_page() -> None:
    assert {f"docs/{page.name}" for page in (ROOT / "docs").glob("*.md")} <= {*re.findall(r"\]\((.*?)\)", README)}


def test_the_readme_names_every_kind() -> None:
    (row,) = re.findall(r"^\| `metahook.kinds` \| (.*) as observed \|", README, re.MULTILINE)
    defined = {value for value in vars(kinds).values() if isinstance(value, type)}

    assert re.findall(r"\w+", row.replace(" and ", " ")) == sorted(
        (each.__name__ for each in defined if issubclass(each, Object) and each is not Object), key=str.lower
    )


def test_the_readme_names_every_package() -> None:
    packages = {each.name for each in pkgutil.iter_modules(metahook.__path__) if each.ispkg}

    assert packages | {"kinds"} == {*re.findall(r"`metahook\.(\w+)`", README)}


PAGES = [ROOT / "README.md", *ROOT.glob("docs/*.md"), *ROOT.glob("examples/**/*.md")]
FROM = re.compile(r"from (metahook[\w.]*) import ((?:\w+(?:, )?)+|\([^)]*\))")
NAMED = re.compile(r"`(metahook(?:\.\w+)+)[`(]")


def names_in(text: str) -> list[str]:
    """Return the names that *text* imports, or writes with their module, such as ``metahook.Controller``."""
    imported = [f"{door}.{name}" for door, names in FROM.findall(text) for name in re.findall(r"\w+", names)]
    return [*NAMED.findall(text), *imported]


@pytest.mark.parametrize("page", PAGES, ids=lambda page: str(page.relative_to(ROOT)))
def test_each_name_that_a_page_mentions_can_be_imported(page: Path) -> None:
    assert [name for name in names_in(page.read_text()) if not is_importable(name)] == []


def test_a_package_has_each_name_that_its_row_mentions() -> None:
    rows = re.findall(r"^\| `(metahook\.\w+)` \| (.*?) \|", README, re.MULTILINE)
    mentioned = [f"{package}.{name}" for package, words in rows for name in re.findall(r"`(\w+)`", words)]

    assert [name for name in mentioned if not is_importable(name) and name.rpartition(".")[2] != "metahook"] == []


def test_a_name_that_is_not_there_is_noticed() -> None:
    text = "`metahook.server.gone(CONTROLLER)`\n\nfrom metahook import Controller, controller\n"

    assert [name for name in names_in(text) if not is_importable(name)] == [
        "metahook.server.gone",
        "metahook.controller",
    ]


def is_importable(name: str) -> bool:
    """Tell whether *name* is that of a module, or of something in one."""
    try:
        pkgutil.resolve_name(name)
    except (AttributeError, ImportError):
        return False
    return True
