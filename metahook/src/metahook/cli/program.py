"""Programs with commands, such as ``metahook``. They turn every error into one line and an exit code."""

import errno
import gc
import importlib
import io
import os
import signal
import sys
from collections.abc import Callable, Collection, Iterator, Mapping, Sequence
from contextlib import contextmanager
from keyword import iskeyword
from typing import Any, NoReturn

import click
from click.shell_completion import shell_complete
from msgspec import Struct

from metahook import __version__
from metahook.cli.binding import Binding, bound_command
from metahook.cli.errors import EXTRA, InputError, install_command, set_install_command
from metahook.protocol.objects import printable

_UNWRITABLE = {errno.EDQUOT, errno.EFBIG, errno.EIO, errno.ENOSPC}
"""Errors of writing to a file, when standard output is redirected."""


class Commands(click.Group):
    """The commands with these *summaries*: each is ``command`` in a module of *package*, imported when it is used.

    The module has the name of the command, with ``_`` behind it if Python reserves the name, as that of import.
    Those in *verbs* are the toolkit's, for the controller of the program, which *binding* returns.
    """

    def __init__(
        self,
        *args: Any,  # noqa: ANN401 - click's
        package: str,
        summaries: Mapping[str, str],
        verbs: Collection[str] = (),
        binding: Callable[[], Binding] | None = None,
        **attributes: Any,  # noqa: ANN401 - click's
    ) -> None:
        super().__init__(*args, **attributes)
        # Until a command is used, another one of its name stands for it: click suggests the names that it knows.
        self.commands.update({name: click.Command(name, short_help=summary) for name, summary in summaries.items()})
        self._package = package
        self._verbs = verbs
        self._binding = binding

    def get_command(self, ctx: click.Context, cmd_name: str) -> click.Command | None:
        """Return the command called *cmd_name*, or None; raise InputError if a package that it needs is missing."""
        if cmd_name not in self.commands:
            return None
        package = VERBS_PACKAGE if cmd_name in self._verbs else self._package
        try:
            with _ending_at_ctrl_c(), _without_collection():
                module = importlib.import_module(f"{package}.{cmd_name}{'_' if iskeyword(cmd_name) else ''}")
                bound = self._binding() if self._binding and cmd_name in self._verbs else None
        except ModuleNotFoundError as error:
            missing = (error.name or "").partition(".")[0]
            message = f"{cmd_name} needs {missing}; install it with: {install_command()}"
            raise InputError(message) from error
        command: click.Command = module.command
        return bound_command(ctx, command, bound) if bound else command

    def format_commands(self, ctx: click.Context, formatter: click.HelpFormatter) -> None:
        """Write the summaries, without importing the commands."""
        with formatter.section("Commands"):
            formatter.write_dl([(name, command.short_help or "") for name, command in self.commands.items()])


VERBS = {
    "diff": "Show what an edit of a parent changes in the cluster.",
    "record": "Record the requests to a hook.",
    "render": "Print the children and the status that a hook returns.",
    "replay": "Show how a hook responds to recorded requests.",
    "simulate": "Run a hook in a simulated cluster.",
    "validate": "Check the parents in files as a cluster does.",
}
"""The commands that a program bound to one controller has, too."""

VERBS_PACKAGE = "metahook.cli.commands"
"""Where they are."""


@contextmanager
def _ending_at_ctrl_c() -> Iterator[None]:
    """End the process at Ctrl-C, with no traceback: imports may turn a KeyboardInterrupt into other errors, or none."""
    if signal.getsignal(signal.SIGINT) is not signal.default_int_handler:
        yield
        return
    signal.signal(signal.SIGINT, lambda number, _: os._exit(128 + number))
    try:
        yield
    finally:
        signal.signal(signal.SIGINT, signal.default_int_handler)


@contextmanager
def _without_collection() -> Iterator[None]:
    """Collect no garbage: what is imported stays, and to look at it again and again takes a tenth of the time."""
    gc.disable()
    try:
        yield
    finally:
        gc.freeze()
        gc.enable()


CONTEXT = {"help_option_names": ["-h", "--help"], "max_content_width": 100}
"""The settings of click for every program."""


class Program(Struct, frozen=True):
    """The commands of *group*, as a user calls them: *name* begins each error, and is in each usage.

    *install* is the command that installs what it needs.
    """

    group: click.Group
    name: str
    install: str = EXTRA

    def complete(self) -> None:
        """Print completions and exit if a completion script asks for them, as click does only in its own main."""
        variable = f"_{self.name.upper()}_COMPLETE"
        if instruction := os.environ.get(variable):
            sys.exit(shell_complete(self.group, {}, self.name, variable, instruction))

    def main(self, arguments: Sequence[str] | None = None) -> NoReturn:
        """Run the command in *arguments*, by default those of the process, and exit."""
        # kubectl reads and writes UTF-8 in any locale. Standard input is read as the bytes of a file are.
        if isinstance(sys.stdin, io.TextIOWrapper):
            sys.stdin.reconfigure(encoding="utf-8", errors="surrogateescape", newline="")
        if isinstance(sys.stdout, io.TextIOWrapper) and sys.stdout.encoding.lower() != "utf-8":
            sys.stdout.reconfigure(encoding="utf-8")
        sys.exit(self._exit_code(sys.argv[1:] if arguments is None else list(arguments)))

    def _exit_code(self, arguments: list[str]) -> int:
        code = 0
        try:
            code = self._run(arguments)
            print(end="", flush=True)
        except BrokenPipeError:
            _drop_output()
        except OSError as error:
            if error.errno not in _UNWRITABLE:
                raise
            _drop_output()
            reason = (error.strerror or "unknown error").lower()
            code = self._report(f"cannot write the output: {reason}; write to another file", 2)
        return code

    def _run(self, arguments: list[str]) -> int:
        """Run the command and return its exit code."""
        try:
            return self._invoke(arguments)
        except click.exceptions.Exit as exit_:
            return exit_.exit_code
        except click.UsageError as error:
            path = error.ctx.command_path if error.ctx else self.name
            line = _one_line(error.format_message())
            return self._report(f"{line}{' See' if line.endswith('?') else '; see'}: {path} --help", 2)
        except InputError as error:
            for line in error.lines:
                self._report(_one_line(line), error.exit_code)
            return error.exit_code
        except click.ClickException as error:
            return self._report(_one_line(error.format_message()), error.exit_code)
        except (click.Abort, KeyboardInterrupt):
            return 130

    def _invoke(self, arguments: list[str]) -> int:
        try:
            with self.group.make_context(self.name, arguments) as context:
                set_install_command(context, self.install)
                code = self.group.invoke(context)
        except click.exceptions.NoArgsIsHelpError as error:
            print(error.format_message())
            code = 0
        return code if isinstance(code, int) else 0

    def _report(self, message: str, code: int) -> int:
        print(f"{self.name}: {message}", file=sys.stderr)
        return code


def _drop_output() -> None:
    """Redirect standard output to nowhere, so that the flush at the end of the process does not fail again."""
    os.dup2(os.open(os.devnull, os.O_WRONLY), sys.stdout.fileno())


def _one_line(text: str) -> str:
    line = " ".join(text.split()).removesuffix(".")
    return printable(line)  # a file name in it may hold control characters, which would move the cursor


def bound_program(  # noqa: PLR0913 - the parts of a program
    name: str,
    binding: Callable[[], Binding],
    *,
    version: str,
    about: str = "",
    own: Mapping[str, str] | None = None,
    summaries: Mapping[str, str] | None = None,
    package: str = "",
    install: str = EXTRA,
) -> Program:
    """Return the program *name*, with the commands of the toolkit for the controller of *binding*.

    *own* are the summaries of its own commands, which are in *package*; *summaries* are other ones for the toolkit's.
    *binding* is called when a command of the toolkit is. *install* is the command that installs what is needed.
    """
    own = own or {}
    group = Commands(
        name=name,
        help=about,
        package=package,
        summaries=dict(sorted({**VERBS, **(summaries or {}), **own}.items())),
        verbs=VERBS.keys() - own.keys(),
        binding=binding,
        context_settings=CONTEXT,
    )
    return Program(click.version_option(version, prog_name=name)(group), name, install)


_COMMANDS = {
    **VERBS,
    "check": "Find what is wrong with a hook and its manifests.",
    "dev": "Serve a hook while you write it.",
    "new": "Write a project with a hook that runs.",
}


@click.group(
    cls=Commands,
    package=VERBS_PACKAGE,
    summaries=dict(sorted(_COMMANDS.items())),
    context_settings=CONTEXT,
)
@click.version_option(__version__, prog_name="metahook")
def _group() -> None:
    """Try a hook of Metacontroller, in any language, without a cluster."""


def program() -> Program:
    """Return the program with all commands."""
    return Program(_group, "metahook")


def main(arguments: Sequence[str] | None = None) -> NoReturn:
    """Run the command and exit: 0 success; 1 a finding or a difference; 2 an error."""
    metahook = program()
    metahook.complete()
    metahook.main(arguments)
