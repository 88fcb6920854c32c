"""The descriptions of fields: the docstrings below them.

Pydantic's ``use_attribute_docstrings`` is not used: it looks for the source of each model at its import, which takes an
eighth of the time to start ``serve``, and that needs no description.
"""

import ast
import inspect
from collections.abc import Iterator
from functools import cache
from itertools import pairwise
from textwrap import dedent

from pydantic import BaseModel


def descriptions(model: type[BaseModel]) -> dict[str, str]:
    """Return the descriptions of the fields of *model*, by their names in Python."""
    bases = model.__mro__[: model.__mro__.index(BaseModel)]
    texts = {name: text for base in reversed(bases) for name, text in _own(base)}
    return {name: text for name, text in texts.items() if name in model.model_fields}


@cache
def _own(model: type) -> list[tuple[str, str]]:
    """Return the names and the descriptions of the fields that *model* adds to its bases."""
    try:
        source = inspect.getsource(model)
    except (OSError, TypeError):  # there is no source, or it was made in another way than by a class statement
        return []
    (definition,) = ast.parse(dedent(source)).body
    return list(_described(definition.body)) if isinstance(definition, ast.ClassDef) else []


def _described(body: list[ast.stmt]) -> Iterator[tuple[str, str]]:
    """Yield each field that a docstring follows, with that docstring."""
    for field, below in pairwise(body):
        match field, below:
            case ast.AnnAssign(target=ast.Name(name)), ast.Expr(ast.Constant(str(text))):
                yield name, inspect.cleandoc(text)
