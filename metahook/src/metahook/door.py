"""A door: a package whose names are imported from its modules at their first use: to import it costs nothing."""

from collections.abc import Callable, Mapping
from importlib import import_module


def opener(package: str, modules: Mapping[str, tuple[str, ...]], extra: str) -> Callable[[str], object]:
    """Return the ``__getattr__`` of *package*, a door with these names by module, which need *extra*."""
    module_of = {name: f"{package}.{module}" for module, names in modules.items() for name in names}

    def get(name: str) -> object:
        """Import *name* at its first use."""
        if name not in module_of:
            message = f"module {package!r} has no attribute {name!r}"
            raise AttributeError(message)
        try:
            value: object = getattr(import_module(module_of[name]), name)
        except ModuleNotFoundError as error:
            message = f"{error}; {package}.{name} needs the extra {extra}: pip install './metahook[{extra}]'"
            raise ModuleNotFoundError(message, name=error.name) from error
        vars(import_module(package))[name] = value
        return value

    return get
