"""The forms that commands had in 0.3.0, which work for one more release, with a line that names the new one."""

import sys
from collections.abc import Sequence

_FILES = {"-f": "new", "--filename": "new", "--against": "old"}
_FLAGS = {
    "render": {"--related": "-f"},
    "simulate": {"--json": "-o json"},
}


def in_new_form(arguments: Sequence[str]) -> list[str]:
    """Return *arguments* in the form of today, and name it on standard error if it is another one."""
    command, *rest = arguments or [""]
    new = _diff(rest) if command == "diff" else _renamed(rest, _FLAGS.get(command, {}))
    if new == rest:
        return list(arguments)
    form = (
        "diff OLD NEW"
        if command == "diff"
        else next(
            f"{command} {flag}" for old, flag in _FLAGS[command].items() if any(each.startswith(old) for each in rest)
        )
    )
    print(f"myresource: this form works until the next release; write: myresource {form}", file=sys.stderr)
    return [command, *new]


def _renamed(arguments: list[str], flags: dict[str, str]) -> list[str]:
    """Return *arguments* with other names for *flags*."""
    new: list[str] = []
    for argument in arguments:
        name, equals, value = argument.partition("=")
        new += [*flags[name].split(), *([value] if equals else [])] if name in flags else [argument]
    return new


def _diff(arguments: list[str]) -> list[str]:
    """Return the arguments of diff with the values of ``-f`` and ``--against`` as OLD and NEW."""
    files: dict[str, str] = {}
    others: list[str] = []
    left = list(arguments)
    while left:
        argument = left.pop(0)
        name, equals, value = argument.partition("=")
        if name in _FILES and (equals or left):
            files[_FILES[name]] = value if equals else left.pop(0)
        elif argument[:2] == "-f" and argument[2:]:
            files["new"] = argument[2:]
        else:
            others.append(argument)
    return [files["old"], files["new"], *others] if len(files) == 2 else arguments  # noqa: PLR2004 - OLD and NEW
