"""The pages with all commands, as their ``--help`` describes them."""

import re
from collections.abc import Iterator

import click

from app.cli.main import program as myresource
from app.cli.plugin.commands import program as plugin
from app.settings.serve import ServeSettings
from metahook.cli.program import program as metahook
from metahook.commands import Program

_CODES = """
## Exit codes and formats

| exit code | meaning |
|---|---|
| 0 | success |
| 1 | what the command was asked about is not fine: see the table |
| 2 | an error occurred, such as a file that can't be read, and one line on standard error tells which |
| 130 | Ctrl-C ended a command that does not serve |

In JSON, `simulate` prints an object a line.

| command | `-o` | exit code 1 |
|---|---|---|
"""

_OF_PEOPLE = "for people; `kubectl get -o json` has the objects"
WITHOUT_JSON = {
    "myresource record": "it writes files",
    "myresource serve": "it serves",
    **{f"kubectl myresource {name}": _OF_PEOPLE for name in ("explain", "restart", "tree", "wait")},
    "metahook dev": "it serves",
    "metahook new": "it writes files",
    "metahook record": "it writes files",
}
"""Why a command does not print JSON."""

_OPERATOR = """\
# Commands

For everyone who uses the command line. This page lists the commands, arguments and options of `myresource` and `kubectl
myresource`. [Debug](../apps/kubectl-plugin.md) shows how to install both; [preview](../apps/preview.md),
[simulate](../apps/simulate.md), [upgrade](../clusters/upgrade.md) and [record](../clusters/record.md) show how to use
them. If kubectl fails, `kubectl myresource` shows its error, and has its exit code.
"""
_TOOLKIT = """\
# Commands of metahook

For authors of hooks. This page lists the commands, arguments and options of `metahook`, and [Test a hook in any
language](metahook.md) shows how to use them.
"""

_FILES = """
## How files are read

As kubectl reads them: `y` and `on` are true, `08` is 8, `0o17` is 15, and 3.0 becomes 3. Quote what is to be text. A
file may have several documents in YAML, several objects in JSON one after another, a byte order mark, UTF-16 with one,
and CRLF. What kubectl loses without a word is an error: a key that is repeated, text after the end of a document, a
byte that is not UTF-8. A file has at most 32 MiB, and 200,000 values if it is YAML; aliases repeat at most 100,000.
"""


def operator_page() -> str:
    """Return the page about the operator's commands."""
    programs = (myresource(), plugin())
    return _OPERATOR + _overview(*programs) + "".join(_section(each) for each in commands(*programs))


def toolkit_page() -> str:
    """Return the page about those of the toolkit."""
    return _TOOLKIT + _overview(metahook()) + _FILES + "".join(_section(each) for each in commands(metahook()))


def commands(*programs: Program) -> Iterator[click.Context]:
    """Yield the context of each command of *programs*."""
    for program in programs:
        with program.group.make_context(program.name, [], resilient_parsing=True) as context:
            for name in program.group.list_commands(context):
                command = program.group.get_command(context, name)
                if command and not command.hidden:
                    with click.Context(command, info_name=name, parent=context) as inner:
                        yield inner


def _overview(*programs: Program) -> str:
    return _CODES + "".join(map(_row, commands(*programs)))


def _row(context: click.Context) -> str:
    path = context.command_path
    printed = ", ".join(f"`{each}`" for each in formats(context)) or WITHOUT_JSON.get(path, "")
    status = re.search(r"^ *1  (.*)", context.command.help or "", re.MULTILINE)
    return f"| `{path}` | {printed} | {status[1] if status else ''} |\n"


def formats(context: click.Context) -> list[str]:
    """Return the formats in which the command of *context* prints."""
    types = (option.type for option in context.command.params if option.name == "output")
    return [choice for each in types if isinstance(each, click.Choice) for choice in each.choices]


def _section(context: click.Context) -> str:
    command = context.command
    usage = " ".join([context.command_path, *command.collect_usage_pieces(context)])
    about = "\n\n".join(map(_paragraph, (command.help or "").split("\n\n")))
    shown = [option for option in command.params if isinstance(option, click.Option) and not option.hidden]
    settings = [option for option in shown if option.name in ServeSettings.model_fields and option.envvar]
    options = "".join(_item(option, context) for option in shown if option not in settings)
    section = f"\n## {context.command_path}\n\n```text\n{usage}\n```\n\n{about}\n" + (
        options and f"\nOptions:\n\n{options}"
    )
    if settings:
        names = ", ".join(f"`{option.opts[0]}`" for option in settings)
        section += f"\n[Settings of the operator](settings.md), with their variables: {names}.\n"
    return section


def _item(option: click.Option, context: click.Context) -> str:
    names, text = option.get_help_record(context) or ("", "")
    return f"- `{names}`: {' '.join(text.split())}\n"


def _paragraph(text: str) -> str:
    """Return a paragraph of a help text; the lines of one that click does not wrap, after its first, are a list."""
    if "\b" not in text:
        return " ".join(text.split())
    head, *lines = text.partition("\b")[2].strip().splitlines()
    if not head.endswith(":"):
        return "\n".join(["```text", head, *lines, "```"])
    return "\n".join([head, "", *(_listed(line.strip()) for line in lines)])


def _listed(line: str) -> str:
    """Return a *line* that begins with an exit status as an item of a list, and any other one as a command."""
    code, _, text = line.partition(" ")
    return f"- `{code}`: {text.strip()}" if code.isdigit() else f"    {line}"
