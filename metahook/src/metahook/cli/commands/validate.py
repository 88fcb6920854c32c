"""``validate``: checks the parents in the files of a repository as a cluster does, and ignores whatever else is there.

A repository has more than manifests. Templates of Helm and patches of Kustomize are no objects yet: they are
left out.
"""

import json
import re
import sys
from collections.abc import Iterable
from pathlib import Path
from typing import NamedTuple

import click

from metahook.cli.binding import words
from metahook.cli.commands.options import with_subject
from metahook.cli.commands.render import render
from metahook.cli.errors import EXIT_DIFFERENT, DocumentError, InputError, Refused, input_errors, program_name
from metahook.cli.files.documents import FILE, Document, check_text, documents_in, read_text
from metahook.cli.files.manifests import files_in, manifests_of, misspelt
from metahook.cli.files.objects import Objects, is_parent
from metahook.cli.hooks.subject import HookUnderTest
from metahook.cli.progress import with_progress
from metahook.clock import utc_now
from metahook.protocol.objects import printable
from metahook.simulator.metacontroller.settings import Settings


class Finding(NamedTuple):
    """What is wrong in a *line* of a *file*; 0 is the whole file."""

    file: str
    line: int
    message: str


@click.command("validate")
@click.argument("paths", metavar="PATH...", nargs=-1, required=True, type=FILE)
@with_subject
@click.option(
    "-o",
    "--output",
    type=click.Choice(["text", "json", "github"]),
    default="text",
    show_default=True,
    help="Output format; github is annotations of a workflow.",
)
@input_errors()
def command(paths: tuple[str, ...], subject: HookUnderTest, output: str) -> int:
    """Check each file that has a parent as a cluster does.

    A PATH is a file or a directory. What else is there is ignored: objects of other kinds, files that are no manifests,
    templates of Helm, and patches whose path is in a kustomization.yaml in the same directory, or in the one above.

    \b
    Exit status:
      0  a cluster would accept each of them
      1  a cluster would refuse some of them
      2  an error occurred
    """  # noqa: D301 - click keeps the line breaks after this control character
    findings: list[Finding] = []
    templates: list[str] = []
    count = 0
    for file in with_progress([file for path in paths for file in files_in(path)], "files checked"):
        text = read_text(file)
        if file in paths and (problem := _not_text(text)):
            findings.append(Finding(file, 0, problem))
            continue
        kinds = [parent.kind for parent in subject.settings.parents]
        if not any(word in text for kind in kinds for word in (kind.kind, kind.api_version)) or _is_patch(Path(file)):
            continue
        try:
            count += _valid(text, file, subject)
        except _TemplateError:
            templates += [file] if any(re.search(rf"(?m)^kind: *{kind.kind}\b", text) for kind in kinds) else []
        except Refused as error:
            findings += (_finding(file, line) for line in error.lines)
    _print(findings, output)
    for file in templates:
        print(printable(f"{program_name()}: {file}: left out, a template of Helm"), file=sys.stderr)
    problems = f"{len(findings)} problem{'' if len(findings) == 1 else 's'}"
    print(f"{program_name()}: {problems}, {count} valid {words().parent}{'' if count == 1 else 's'}", file=sys.stderr)
    return EXIT_DIFFERENT if findings else 0


def _not_text(text: str) -> str:
    """Return what is wrong with the *text* of a file that a user has named, if it is none; "" if it is text."""
    try:
        check_text(text)
    except DocumentError as error:
        return f"not text: {error.problem}"
    return ""


class _TemplateError(Exception):
    """Raised for a template of Helm."""


def _valid(text: str, file: str, subject: HookUnderTest) -> int:
    """Return how many parents the *text* of *file* has; raise Refused if it can't be read, or one of them is wrong."""
    try:
        objects = _parents(_documents(text, file), file, subject.settings)
    except InputError as error:
        raise Refused(*error.lines) from error
    return len(render(objects, subject, utc_now())) if objects else 0


def _documents(text: str, file: str) -> list[Document]:
    """Return the documents in *text*; raise _TemplateError if the *file* is a chart's, or only Helm can read it."""
    charts = [folder.parent for folder in Path(file).parents if folder.name == "templates"]
    if any((chart / "Chart.yaml").exists() for chart in charts):
        raise _TemplateError
    try:
        return documents_in(text, file)
    except InputError:
        if "{{" in text:
            raise _TemplateError from None
        raise


def _parents(documents: list[Document], file: str, settings: Settings) -> Objects | None:
    """Return the parents in the *documents* of *file*, or None; raise InputError."""
    found = [manifest for each in documents if _is_object(each.value) for manifest in manifests_of(each, file)]
    unknown = [each for each in found if not settings.kind(each.api_version, each.kind)]
    if error := misspelt([parent.kind for parent in settings.parents], unknown, is_one_there=True):
        raise error
    parents = [each for each in found if is_parent(each.content, settings)]
    return Objects.of(parents, file, settings) if parents else None


def _is_object(value: object) -> bool:
    return isinstance(value, dict) and all(isinstance(value.get(key), str) for key in ("apiVersion", "kind"))


def _is_patch(file: Path) -> bool:
    """Return whether a kustomization beside *file*, or in the directory above, has it as the path of a patch."""
    found = file.resolve()
    return any(
        re.search(
            rf"\bpath: *['\"]?(\./)?{re.escape(str(found.relative_to(folder)))}\b",
            kustomization.read_text(errors="replace"),
        )
        for folder in (found.parent, found.parent.parent)
        for kustomization in folder.glob("[Kk]ustomization*")
        if kustomization.is_file()
    )


def _finding(file: str, text: str) -> Finding:
    """Return what the *text* of an error says, which begins with the file, and its line if that is known."""
    rest = text.removeprefix(file).removeprefix(":")
    line, _, message = rest.partition(": ")
    return Finding(file, int(line), message) if line.isdigit() else Finding(file, 0, rest.strip())


def _print(findings: Iterable[Finding], output: str) -> None:
    if output == "json":
        click.echo(json.dumps([each._asdict() for each in findings], indent=2, ensure_ascii=False))
        return
    for each in findings:
        if output == "github":
            file = _escaped(each.file).replace(":", "%3A").replace(",", "%2C")
            line = f",line={each.line}" if each.line else ""
            click.echo(f"::error file={file}{line}::{_escaped(each.message)}")
        else:
            click.echo(printable(f"{each.file}{f':{each.line}' if each.line else ''}: {each.message}"))


def _escaped(text: str) -> str:
    """Return *text* as a workflow command has it. Source: actions/toolkit, packages/core/src/command.ts."""
    return text.replace("%", "%25").replace("\r", "%0D").replace("\n", "%0A")
