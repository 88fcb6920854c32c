"""``myresource import``: prints MyResources for Deployments, and says what they can't have."""

import sys

import click

from app.cli.importing.differences import Weight
from app.cli.importing.given import KINDS, shape_problem
from app.cli.importing.importing import Imported, imported, name_of
from metahook.commands import (
    FILE,
    FileManifest,
    InputError,
    Json,
    as_yaml,
    files_in,
    input_errors,
    printable,
    read_manifests,
)

_GROUPS = ("apps/", "extensions/")


@click.command("import")
@click.option(
    "-f",
    "--filename",
    "files",
    type=FILE,
    multiple=True,
    required=True,
    help="File or directory with Deployments, and what belongs to them; - is standard input. Repeatable.",
)
@click.option(
    "--container",
    "containers",
    metavar="NAME",
    multiple=True,
    help="Container of the application, if a Pod has several; the others become sidecars. Repeatable.",
)
@click.option("--check", is_flag=True, help="Instead, print how the Pods differ from those of the Deployment.")
@input_errors()
def command(files: tuple[str, ...], containers: tuple[str, ...], *, check: bool) -> int:
    """Print MyResources for Deployments.

    Services, autoscalers, PodDisruptionBudgets, Ingresses and HTTPRoutes in the files become part of the MyResource of
    their Deployment, if it can have them. What is left out is on standard error.

    \b
    Import what runs in a namespace:
      kubectl get deploy,svc,hpa,pdb,ingress -o yaml | myresource import -f -

    \b
    Exit status:
      0  success
      1  something is left out
      2  an error occurred
    """  # noqa: D301 - click keeps the line breaks after this control character
    found = [manifest.checked() for path in files for file in files_in(path) for manifest in read_manifests(file)]
    deployments = [each for each in found if each.kind == "Deployment" and _api(each).startswith(_GROUPS)]
    if not deployments:
        message = f"{', '.join(files)}: no Deployment; name a file that has one"
        raise InputError(message)
    code = 0
    for each in deployments:
        result = imported(_read(each), [_read(other) for other in found if _is_beside(other, each)], containers)
        where = f"{each.place()}: Deployment {each.name}"
        if check:
            _print_differences(result, where)
        elif result.my_resource:
            click.echo(_document(each, result, result.my_resource), nl=False)
        for sentence in result.said[Weight.LOST]:
            print(printable(f"myresource: {where}: left out: {sentence}"), file=sys.stderr)
        code = max(code, 0 if result.is_whole else 1)
    return code


def _api(manifest: FileManifest) -> str:
    return str(manifest.content["apiVersion"])


def _read(manifest: FileManifest) -> Json:
    """Return the content of *manifest*; raise InputError if no API server would accept it."""
    problem = shape_problem(manifest.content)
    if problem:
        message = f"not a {manifest.kind} that an API server accepts: {problem}"
        raise manifest.error(message)
    return manifest.content


def _is_beside(other: FileManifest, deployment: FileManifest) -> bool:
    namespaces = [each.content["metadata"].get("namespace") or "default" for each in (other, deployment)]
    return other.kind in KINDS - {"Deployment"} and namespaces[0] == namespaces[1]


def _document(manifest: FileManifest, result: Imported, my_resource: Json) -> str:
    name = name_of(manifest.content)
    new = f"The new one is {name}-deployment, and selects its Pods by myresource: {name}."
    comments = [f"From Deployment {manifest.name}. {new}", *result.said[Weight.CHANGED]]
    return "---\n" + "".join(f"# {printable(line)}\n" for line in comments) + as_yaml(my_resource)


def _print_differences(result: Imported, where: str) -> None:
    for weight in (Weight.ALWAYS, Weight.CHANGED):
        for sentence in result.said[weight]:
            click.echo(printable(f"{where}: {sentence}"))
