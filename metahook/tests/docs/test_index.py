"""README.md is the index: it lists the pages, the kinds and the packages."""

import importlib
import pkgutil
import re

import metahook
from metahook import Object, kinds
from toolkit.root import ROOT

README = (ROOT / "README.md").read_text()


def test_the_readme_links_to_every_page() -> None:
    assert {f"docs/{page.name}" for page in (ROOT / "docs").glob("*.md")} <= {*re.findall(r"\]\((.*?)\)", README)}


def test_the_readme_names_every_kind() -> None:
    (row,) = re.findall(r"^\| `metahook.kinds` \| (.*) as observed \|", README, re.MULTILINE)
    modules = [importlib.import_module(f"metahook.kinds.{each.name}") for each in pkgutil.iter_modules(kinds.__path__)]
    defined = {value for module in modules for value in vars(module).values() if isinstance(value, type)}

    assert re.findall(r"\w+", row.replace(" and ", " ")) == sorted(
        (each.__name__ for each in defined if issubclass(each, Object) and each is not Object), key=str.lower
    )


def test_the_readme_names_every_package() -> None:
    packages = {each.name for each in pkgutil.iter_modules(metahook.__path__) if each.ispkg}

    assert packages == {*re.findall(r"`metahook\.(\w+)`", README)}
