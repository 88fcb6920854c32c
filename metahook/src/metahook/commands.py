"""The door for another command line: a program bound to one controller, its manifests and its words.

    bound_program  a program with render, diff, simulate, replay and record, for the controller of a Binding
    Binding        what only that program knows
    Program        a program of any commands, each of which is imported when it is called

The rest is for its own commands: errors of one line, metadata in files, what a recording keeps, and the time.

Each name is imported at its first use, as most commands need few of them. All need the extra ``cli``.
"""

from importlib import import_module
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from metahook.cli.binding import Binding as Binding
    from metahook.cli.binding import Words as Words
    from metahook.cli.comparison.responses import Uncompared as Uncompared
    from metahook.cli.errors import InputError as InputError
    from metahook.cli.errors import input_errors as input_errors
    from metahook.cli.files import metadata as metadata
    from metahook.cli.manifests import Manifests as Manifests
    from metahook.cli.program import Commands as Commands
    from metahook.cli.program import Program as Program
    from metahook.cli.program import bound_program as bound_program
    from metahook.protocol.objects.plain_json import Json as Json
    from metahook.protocol.objects.printable import printable as printable
    from metahook.protocol.request import Shape as Shape
    from metahook.protocol.request_builder import controller_of as controller_of
    from metahook.record import kept_fields as kept_fields
    from metahook.record.command import record_command as record_command
    from metahook.record.redaction import Redaction as Redaction
    from metahook.server.clock import utc_now as utc_now
    from metahook.simulator.metacontroller.settings import SERVED as SERVED
    from metahook.simulator.metacontroller.settings import Mode as Mode
    from metahook.simulator.metacontroller.settings import Settings as Settings

_NAMES = {
    "Binding": "cli.binding",
    "Commands": "cli.program",
    "InputError": "cli.errors",
    "Json": "protocol.objects.plain_json",
    "Manifests": "cli.manifests",
    "Mode": "simulator.metacontroller.settings",
    "Program": "cli.program",
    "Redaction": "record.redaction",
    "SERVED": "simulator.metacontroller.settings",
    "Settings": "simulator.metacontroller.settings",
    "Shape": "protocol.request",
    "Uncompared": "cli.comparison.responses",
    "Words": "cli.binding",
    "bound_program": "cli.program",
    "controller_of": "protocol.request_builder",
    "input_errors": "cli.errors",
    "kept_fields": "record.kept_fields",
    "metadata": "cli.files.metadata",
    "printable": "protocol.objects.printable",
    "record_command": "record.command",
    "utc_now": "server.clock",
}
"""The names, each with the module that has it, or that it is."""

_MODULES = {"kept_fields", "metadata"}
"""Those that are modules."""

__all__ = sorted(_NAMES)  # noqa: PLE0605 - computed from the table


def __getattr__(name: str) -> object:
    if name not in _NAMES:
        message = f"module {__name__!r} has no attribute {name!r}"
        raise AttributeError(message)
    module = import_module(f"metahook.{_NAMES[name]}")
    return module if name in _MODULES else getattr(module, name)
