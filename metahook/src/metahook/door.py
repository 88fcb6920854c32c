"""A door: a package whose names are imported from its modules at their first use: to import it costs nothing."""

from collections.abc import Callable, Mapping
from importlib import import_module

Names = Mapping[str, tuple[str, ...]]
"""The names of a door, by the module that has them, or by the package that they are modules of."""


Opener = tuple[Callable[[str], object], Callable[[], list[str]]]


def opener(door: str, names: Names, *, extra: str = "", root: str = "") -> Opener:
    """Return the ``__getattr__`` and the ``__dir__`` of the *door*, whose *names* need *extra*.

    Its modules are below *root*, or below itself.
    """
    module_of = {name: f"{root or door}.{module}" for module, group in names.items() for name in group}

    def get(name: str) -> object:
        """Import *name* at its first use."""
        if name not in module_of:
            message = f"module {door!r} has no attribute {name!r}"
            raise AttributeError(message)
        try:
            module = import_module(module_of[name])
            is_module = not hasattr(module, name)
            value: object = import_module(f"{module.__name__}.{name}") if is_module else getattr(module, name)
        except ModuleNotFoundError as error:
            if not extra:
                raise
            message = f"{error}; {door}.{name} needs the extra {extra}: pip install './metahook[{extra}]'"
            raise ModuleNotFoundError(message, name=error.name) from error
        vars(import_module(door))[name] = value
        return value

    return get, lambda: sorted({*vars(import_module(door)), *module_of})
