"""``myresource import``: prints MyResources for Deployments, and says what they can't have."""

import difflib
import sys
from collections.abc import Iterator

import click

from app.cli.importing.comparison import Weight
from app.cli.importing.importing import Imported, imported, in_apps_v1, name_of
from app.cli.importing.schema import UnacceptableError, kind_of, stored
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

_DEPLOYMENT = "Deployment"
_GROUPS = ("apps/", "extensions/")
_WORKLOADS = {"StatefulSet", "DaemonSet", "ReplicaSet", "ReplicationController", "Job", "CronJob", "Pod"}
_USES = {
    "configMap": ("ConfigMap", "name"),
    "configMapRef": ("ConfigMap", "name"),
    "configMapKeyRef": ("ConfigMap", "name"),
    "secret": ("Secret", "secretName"),
    "secretRef": ("Secret", "name"),
    "secretKeyRef": ("Secret", "name"),
    "imagePullSecrets": ("Secret", "name"),
    "persistentVolumeClaim": ("PersistentVolumeClaim", "claimName"),
}
"""The fields of a spec that name an object of another kind, and in which field."""


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
    their Deployment, if it can have them. ConfigMaps, Secrets, ServiceAccounts and PersistentVolumeClaims that it uses
    are printed after it. What is left out, and which other objects there are, is on standard error.

    \b
    Import what runs in a namespace:
      kubectl get deploy,svc,hpa,pdb,ingress -o yaml | myresource import -f -

    \b
    Exit status:
      0  success
      1  something of a Deployment is left out
      2  an error occurred
    """  # noqa: D301 - click keeps the line breaks after this control character
    found = [manifest.checked() for path in files for file in files_in(path) for manifest in read_manifests(file)]
    deployments = [each for each in found if _is_deployment(each)]
    if not deployments:
        raise InputError(_no_deployment(files, found))
    code, rest = 0, [each for each in found if each not in deployments]
    left = [*rest]
    for each in deployments:
        result = _imported(each, [other for other in rest if _is_beside(other, each)], containers)
        where = f"{each.place()}: {_DEPLOYMENT} {each.name}"
        left = [other for other in left if not (_is_beside(other, each) and _identity(other) in result.mentioned)]
        used = [other for other in left if _is_used(other, each, result)]
        left = [other for other in left if other not in used]
        if check:
            _print_differences(result, where)
        elif result.my_resource:
            click.echo(_document(each, result, result.my_resource), nl=False)
            for other in used:
                click.echo(f"---\n{as_yaml(other.content)}", nl=False)
        for sentence in result.said[Weight.LOST]:
            print(printable(f"myresource: {where}: left out: {sentence}"), file=sys.stderr)
        code = max(code, 0 if result.is_whole else 1)
    for other in left:
        print(printable(f"myresource: {other.place()}: {other.kind} {other.name}: {_why_not(other)}"), file=sys.stderr)
    return code


def _is_deployment(manifest: FileManifest) -> bool:
    return manifest.kind == _DEPLOYMENT and str(manifest.content["apiVersion"]).startswith(_GROUPS)


def _no_deployment(files: tuple[str, ...], found: list[FileManifest]) -> str:
    """Return the error for files without a Deployment: what they have instead, and what to do."""
    names = ", ".join(files)
    if not found:
        return f"{names}: there is no object; name a file that has a Deployment"
    first = next((each for each in found if _is_meant(each)), found[0])
    more = f", and {len(found) - 1} more" if len(found) > 1 else ""
    what = f"{first.place()}: no Deployment, but {first.kind} {first.name} of {first.content['apiVersion']}{more}"
    if _is_meant(first):
        return f"{what}; did you mean kind: Deployment of apiVersion: apps/v1?"
    if first.kind in _WORKLOADS:
        return f"{what}; a MyResource runs a Deployment alone, so leave the {first.kind} as it is"
    return f"{what}; name a file that has one"


def _is_meant(manifest: FileManifest) -> bool:
    return bool(difflib.get_close_matches(manifest.kind.lower(), [_DEPLOYMENT.lower()], cutoff=0.8))


def _imported(manifest: FileManifest, others: list[FileManifest], containers: tuple[str, ...]) -> Imported:
    """Return what becomes of a Deployment; raise InputError if no API server would accept it or one of *others*."""
    neighbours = []
    for each in others:
        if kind_of(each.content):
            try:
                stored(each.content)
            except UnacceptableError as problem:
                raise _refused(each, problem) from problem
            neighbours.append(each.content)
    try:
        return imported(in_apps_v1(manifest.content), neighbours, containers)
    except UnacceptableError as problem:
        raise _refused(manifest, problem) from problem


def _refused(manifest: FileManifest, problem: UnacceptableError) -> InputError:
    return manifest.error(f"not a {manifest.kind} that an API server accepts: {problem}")


def _is_beside(other: FileManifest, deployment: FileManifest) -> bool:
    namespaces = [each.content["metadata"].get("namespace") or "default" for each in (other, deployment)]
    return namespaces[0] == namespaces[1]


def _identity(manifest: FileManifest) -> tuple[str, str]:
    return manifest.kind, manifest.name


def _is_used(other: FileManifest, deployment: FileManifest, result: Imported) -> bool:
    """Tell whether the Pods of the MyResource use *other*."""
    spec = (result.my_resource or {}).get("spec", {})
    account = ("ServiceAccount", spec.get("serviceAccountName"))
    return _is_beside(other, deployment) and _identity(other) in {account, *_uses(spec)}


def _uses(value: object, key: str = "") -> Iterator[tuple[str, str]]:
    """Yield the kind and the name of each object that *value*, which is in the field *key* of a spec, names."""
    if isinstance(value, list):
        for item in value:
            yield from _uses(item, key)
    elif isinstance(value, dict):
        if key in _USES:
            kind, name = _USES[key]
            yield kind, str(value.get(name) or value.get("name"))
        for inner, content in value.items():
            yield from _uses(content, inner)


def _why_not(manifest: FileManifest) -> str:
    if manifest.kind in _WORKLOADS:
        return "not imported: a MyResource runs a Deployment alone"
    if kind_of(manifest.content):
        return "not imported: it belongs to no Deployment that is imported"
    return "not imported: it is no part of a MyResource"


def _document(manifest: FileManifest, result: Imported, my_resource: Json) -> str:
    name = name_of(manifest.content)
    new = f"The new one is {name}-deployment, and selects its Pods by myresource: {name}."
    comments = [f"From Deployment {manifest.name}. {new}", *result.said[Weight.CHANGED]]
    return "---\n" + "".join(f"# {printable(line)}\n" for line in comments) + as_yaml(my_resource)


def _print_differences(result: Imported, where: str) -> None:
    for weight in (Weight.ALWAYS, Weight.CHANGED):
        for sentence in result.said[weight]:
            click.echo(printable(f"{where}: {sentence}"))
