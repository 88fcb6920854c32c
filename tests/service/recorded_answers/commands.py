"""Commands ``myresource serve`` with settings, given as options or variables, and what each of them answers.

None of them serves: without a mistake they end at an address that this machine does not have.
"""

import os
import socket
from collections.abc import Iterator
from dataclasses import dataclass, field
from pathlib import Path
from unittest.mock import patch

from tests.cli.command import call

HOST = "203.0.113.1"
"""An address for documentation, RFC 5737."""

BACKUPS = "example.com/v1/mybackups/MyBackup"
FOLDER = "FOLDER"
"""In a command: a directory with the files ``text`` and ``empty``."""


@dataclass(frozen=True)
class Command:
    """The options and the variables."""

    options: tuple[str, ...] = ()
    variables: dict[str, str] = field(default_factory=dict)


def answer(command: Command, folder: Path) -> str:
    """Return the exit code of *command* and what it prints."""
    (folder / "text").write_text("no PEM, and no token")
    (folder / "empty").write_text("")
    variables = {"MYRESOURCE_HOST": HOST, **command.variables}
    inherited = {name: value for name, value in os.environ.items() if not name.startswith("MYRESOURCE_")}
    given = {name: value.replace(FOLDER, str(folder)) for name, value in variables.items()}
    with patch.dict(os.environ, {**inherited, **given}, clear=True):
        ended = call("serve", *(option.replace(FOLDER, str(folder)) for option in command.options))
    return f"exit code {ended.code}: {(ended.out + ended.err).strip().replace(str(folder), FOLDER)}"


_NUMBERS = {
    **dict.fromkeys(("port", "health-port"), ("-1", "65536")),
    "drain": ("-1", "61"),
    "stop-timeout": ("0", "301"),
    "record-limit": ("0",),
    "max-body": ("0", "257"),
    "max-head": ("0", "1025"),
    "max-headers": ("7", "1025"),
    "max-url": ("63", "65537"),
    "max-connections": ("9", "100001"),
    "max-large-bodies": ("0", "65"),
    "max-in-flight": ("0", "100001"),
    **dict.fromkeys(
        ("handshake-timeout", "idle-timeout", "head-timeout", "body-timeout", "decide-timeout", "write-timeout"),
        ("0", "601"),
    ),
    "keep-alive": ("90", "3601"),
    "log-rate": ("-1", "10001"),
}
_WRONG: dict[str, tuple[str, ...]] = {
    **{name: (*bounds, "many", "1.5") for name, bounds in _NUMBERS.items()},
    "log-format": ("text",),
    "log-level": ("loud", "INFO"),
    "watch-dependency": ("words", "v1/pods/Pod", f"{BACKUPS},{BACKUPS.replace('MyB', 'B')}"),
    **dict.fromkeys(("record", "tls-cert", "tls-key", "tls-client-ca", "tokens"), ("",)),
}
_SWITCHES = ("watch-pods", "watch-secrets", "record-values", "dev")


def variable(option: str) -> str:
    """Return the variable of an option."""
    name = option.removesuffix("y") + "ies" if option == "watch-dependency" else option
    return "MYRESOURCE_" + name.replace("-", "_").upper()


def _wrong_values() -> Iterator[tuple[str, Command]]:
    for option, values in _WRONG.items():
        for value in values:
            yield f"--{option}={value}", Command((f"--{option}={value}",))
            yield f"{variable(option)}={value}", Command(variables={variable(option): value})
    for option in _SWITCHES:
        yield f"{variable(option)}=maybe", Command(variables={variable(option): "maybe"})


def _together() -> Iterator[tuple[str, Command]]:
    """Yield settings that are right or wrong together."""
    text, missing = f"{FOLDER}/text", f"{FOLDER}/missing"
    given = [
        (),
        ("--max-body=1", "--drain=0", "--log-level=error"),
        ("--no-watch-pods", f"--watch-dependency={BACKUPS}"),
        ("--tls-cert", text),
        ("--tls-key", text),
        ("--tls-client-ca", text),
        ("--tls-cert", text, "--tls-client-ca", text),
        ("--tls-key", text, "--tls-client-ca", text),
        ("--tls-cert", text, "--tls-key", text),
        ("--tls-cert", missing, "--tls-key", missing),
        ("--tokens", text),
        ("--tokens", missing),
        ("--tokens", f"{FOLDER}/empty"),
        ("--record-values",),
        ("--record", text),
        ("--record", f"{FOLDER}/record"),
        ("--host=",),
        ("--max-body",),
        ("--nothing",),
        ("--port=1", "--port=many"),
        ("argument",),
    ]
    yield from ((" ".join(options) or "no options", Command(options)) for options in given)
    for name, value in {"TLS_CERT": text, "RECORD_VALUES": "true", "TOKENS": missing, "RECORD": text}.items():
        yield f"MYRESOURCE_{name}={value}", Command(variables={f"MYRESOURCE_{name}": value})
    yield "an option and a wrong variable", Command(("--max-body=1",), {"MYRESOURCE_MAX_BODY": "many"})
    yield "a variable that is not known", Command(variables={"MYRESOURCE_NOTHING": "many"})


COMMANDS = dict([*_wrong_values(), *_together()])
FIXED_LIMITS = {
    *("max-head", "max-headers", "max-url", "max-large-bodies"),
    *("handshake-timeout", "idle-timeout", "head-timeout", "write-timeout", "keep-alive"),
}
"""The options of limits that can't be set any more."""
TAKEN = {
    "--port of another process": ("--port", "--health-port=0"),
    "--health-port of another process": ("--health-port", "--port=0"),
}


def answers_of(folder: Path) -> dict[str, str]:
    """Return the answers of all commands; *folder* is for their files."""
    return {
        **{name: answer(command, folder) for name, command in COMMANDS.items()},
        **{name: _answer_to_a_taken_port(*options) for name, options in TAKEN.items()},
    }


def _answer_to_a_taken_port(option: str, other: str) -> str:
    """Return what the command answers if another process listens on the port of *option*."""
    with socket.create_server(("127.0.0.1", 0)) as taken:
        port = str(taken.getsockname()[1])
        ended = call("serve", "--host=127.0.0.1", f"{option}={port}", other)
    return f"exit code {ended.code}: {ended.err.strip().replace(port, 'PORT')}"
