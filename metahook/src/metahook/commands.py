"""The door for another command line: a program bound to one controller, its manifests and its words.

    bound_program  a program with render, diff, simulate, replay and record, for the controller of a Binding
    Binding        what only that program knows
    Program        a program of any commands, each of which is imported when it is called

The rest is for its own commands: errors of one line, objects in files, what a recording keeps, the log and the page of
development mode, and the time.

Each name is imported at its first use, as most commands need few of them. All need the extra ``cli``.
"""

from importlib import import_module
from typing import TYPE_CHECKING

from metahook.extras import named

if TYPE_CHECKING:
    from metahook.cli.binding import Binding as Binding, Uncompared as Uncompared, Words as Words
    from metahook.cli.dev_log import logging_calls as logging_calls
    from metahook.cli.errors import InputError as InputError, input_errors as input_errors
    from metahook.cli.files import metadata as metadata
    from metahook.cli.files.documents import FILE as FILE, as_yaml as as_yaml
    from metahook.cli.files.manifests import (
        FileManifest as FileManifest,
        Manifests as Manifests,
        files_in as files_in,
        missing as missing,
        misspelt as misspelt,
        read_manifests as read_manifests,
    )
    from metahook.cli.page.routes import add_bound_page as add_bound_page
    from metahook.cli.program import Commands as Commands, Program as Program, bound_program as bound_program
    from metahook.clock import utc_now as utc_now
    from metahook.protocol.objects import Json as Json, printable as printable
    from metahook.protocol.request import Shape as Shape
    from metahook.protocol.request_builder import controller_of as controller_of
    from metahook.record import kept_fields as kept_fields
    from metahook.record.command import record_command as record_command
    from metahook.record.redaction import Redaction as Redaction
    from metahook.simulator.apiserver import custom_rules as custom_rules
    from metahook.simulator.apiserver.custom_rules import with_defaults as with_defaults
    from metahook.simulator.metacontroller.settings import SERVED as SERVED, Mode as Mode, Settings as Settings
else:
    _NAMES = {
        "cli.binding": ("Binding", "Uncompared", "Words"),
        "cli.dev_log": ("logging_calls",),
        "cli.errors": ("InputError", "input_errors"),
        "cli.files": ("metadata",),
        "cli.files.documents": ("FILE", "as_yaml"),
        "cli.files.manifests": (
            "FileManifest",
            "Manifests",
            "files_in",
            "missing",
            "misspelt",
            "read_manifests",
        ),
        "cli.page.routes": ("add_bound_page",),
        "cli.program": ("Commands", "Program", "bound_program"),
        "protocol.objects": ("Json", "printable"),
        "protocol.request": ("Shape",),
        "protocol.request_builder": ("controller_of",),
        "record": ("kept_fields",),
        "record.command": ("record_command",),
        "record.redaction": ("Redaction",),
        "clock": ("utc_now",),
        "simulator.apiserver": ("custom_rules",),
        "simulator.apiserver.custom_rules": ("with_defaults",),
        "simulator.metacontroller.settings": ("SERVED", "Mode", "Settings"),
    }
    __all__ = [name for names in _NAMES.values() for name in names]
    _MODULE_OF = {name: f"metahook.{module}" for module, names in _NAMES.items() for name in names}

    def __getattr__(name: str) -> object:
        """Import *name* at its first use."""
        if name not in _MODULE_OF:
            message = f"module {__name__!r} has no attribute {name!r}"
            raise AttributeError(message)
        with named("cli", __name__):
            module = import_module(_MODULE_OF[name])
            is_module = not hasattr(module, name)
            value: object = import_module(f"{module.__name__}.{name}") if is_module else getattr(module, name)
        globals()[name] = value
        return value

    def __dir__() -> list[str]:
        return sorted({*globals(), *_MODULE_OF})
