"""The Python reference of the toolkit has every name that one of its packages exports."""

import re

import pytest

from tests.docs.documents import ROOT
from website.python_reference import PACKAGES, exported

SOURCE = ROOT / "metahook/src"
SECTIONS = re.split(r"^## (.*)$", (ROOT / "metahook/docs/python-reference.md").read_text(), flags=re.MULTILINE)
BY_PACKAGE = dict(zip(SECTIONS[1::2], SECTIONS[2::2], strict=True))


def test_each_name_that_a_package_exports_is_on_the_page() -> None:
    files = [
        each for each in SOURCE.rglob("__init__.py") if re.search(r"^ *__all__ = ", each.read_text(), re.MULTILINE)
    ]
    packages = [".".join(file.relative_to(SOURCE).parent.parts) for file in files]
    known = {name for package in PACKAGES for name in exported(package)}

    assert {*PACKAGES} - {"metahook.commands"} <= {*packages}
    assert [(package, name) for package in packages for name in exported(package) if name not in known] == []


@pytest.mark.parametrize("package", PACKAGES)
def test_each_exported_name_has_a_section_that_says_what_it_is(package: str) -> None:
    _, *sections = re.split(r"^### ", BY_PACKAGE[package], flags=re.MULTILINE)
    names, texts = zip(*(section.split("\n", 1) for section in sections), strict=True)

    assert list(names) == exported(package)
    assert [text for text in texts if not re.sub(r"```python\n.*?\n```", "", text, flags=re.DOTALL).strip()] == []
