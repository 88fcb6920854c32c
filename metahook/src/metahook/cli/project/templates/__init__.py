"""The templates, which are read from files beside this module."""

import re
from importlib.resources import files
from string import Template


def template(name: str) -> Template:
    """Return the template in the file *name* and ``.txt``."""
    return Template(files(__package__).joinpath(f"{name}.txt").read_text(encoding="utf-8"))


def function_name(kind: str) -> str:
    """Return the name of the function that returns a child of *kind*, such as ``config_map``."""
    return re.sub(r"(?<=[a-z])(?=[A-Z])", "_", kind).lower()


def _manifests() -> dict[str, Template]:
    texts = re.split(r"^(?=def )", template("manifests").template, flags=re.MULTILINE)[1:]
    return {text.partition("(")[0].removeprefix("def "): Template(text.rstrip()) for text in texts}


MANIFESTS = _manifests()
"""The functions that return children, by their names."""


def _fields() -> dict[str, str]:
    texts = re.split(r"^(?=\w)", template("fields").substitute(), flags=re.MULTILINE)[1:]
    return {text.partition(":")[0]: text.rstrip() for text in texts}


FIELDS = _fields()
"""The fields of a spec that children are made from, with their types, defaults and docstrings."""
