"""``myresource import``: prints MyResources for Deployments, and says what they can't have."""

import re
import sys
from collections.abc import Iterator
from contextlib import contextmanager
from typing import Any

import click

from app.cli.importing.comparison import Weight
from app.cli.importing.conversion import Imported, imported, in_apps_v1
from app.cli.importing.kubernetes import UnacceptableError, kind_of, stored
from metahook import Deployment, Kind
from metahook.commands import (
    FILE,
    FileManifest,
    InputError,
    Json,
    as_yaml,
    files_in,
    input_errors,
    missing,
    misspelt,
    printable,
    read_manifests,
)

_VERSIONS = ("apps/v1", "apps/v1beta1", "apps/v1beta2", "extensions/v1beta1")
_DEPLOYMENTS = [Kind(version, Deployment.KIND.kind, Deployment.KIND.plural) for version in _VERSIONS]
_WORKLOADS = {"StatefulSet", "DaemonSet", "ReplicaSet", "ReplicationController", "Job", "CronJob", "Pod"}
_ALONE = "a MyResource can only replace a Deployment"
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
        raise _no_deployment(", ".join(files), found)
    others = [each for each in found if each not in deployments]
    if problem := misspelt(_DEPLOYMENTS, others, is_one_there=True):
        raise problem
    _check_each_is_there_once(found)
    _check_containers(containers, deployments)
    code, by_name, left = 0, dict[tuple[str, str], FileManifest](), [*others]
    for each in deployments:
        result = _imported(each, [other for other in others if _is_beside(other, each)], containers)
        left = [
            other for other in left if not (_is_beside(other, each) and (other.kind, other.name) in result.mentioned)
        ]
        used = [other for other in left if _is_used(other, each, result)]
        left = [other for other in left if other not in used]
        if check:
            for sentence in result.said[Weight.ALWAYS] + result.said[Weight.CHANGED]:
                click.echo(printable(f"{_where(each, sentence)}: {sentence}"))
        elif result.my_resource:
            _check_is_new(result.my_resource, each, by_name)
            click.echo(_document(each, result, result.my_resource), nl=False)
            for other in used:
                click.echo(f"---\n{as_yaml(other.content)}", nl=False)
        for sentence in result.said[Weight.LOST]:
            print(printable(f"myresource: {_where(each, sentence)}: left out: {sentence}"), file=sys.stderr)
        code = max(code, 0 if result.is_whole else 1)
    for other in left:
        print(printable(f"myresource: {other.place()}: {other.kind} {other.name}: {_why_not(other)}"), file=sys.stderr)
    return code


def _where(deployment: FileManifest, sentence: str) -> str:
    return f"{deployment.place(*_path(deployment, sentence))}: Deployment {deployment.name}"


_STEP = re.compile(r"\[([^]]+)]|([^.\[]+)")


def _path(manifest: FileManifest, sentence: str) -> list[str | int]:
    """Return the path of the field of *manifest* that *sentence* begins with, or of what exists of it."""
    node: Any = manifest.content
    path: list[str | int] = []
    for item, name in _STEP.findall(re.split(": | ", sentence, maxsplit=1)[0]):
        step = _index(node, item) if isinstance(node, list) else name
        try:
            node = node[step]
        except (IndexError, KeyError, TypeError):
            break
        path.append(step)
    return path


def _index(items: list[Any], step: str) -> int:
    """Return the index of the item that a path calls *step*: its value, its keys such as 53/UDP, or its number."""
    keys = {step, *step.split("/")}
    for index, item in enumerate(items):
        if keys & {str(value) for value in (item.values() if isinstance(item, dict) else [item])}:
            return index
    return int(step) if step.isdecimal() else len(items)


def _is_deployment(manifest: FileManifest) -> bool:
    return manifest.kind == Deployment.KIND.kind and manifest.api_version in _VERSIONS


def _no_deployment(files: str, found: list[FileManifest]) -> InputError:
    """Return the error for *files* without a Deployment: what they have instead, and what to do."""
    is_workload = any(each.kind in _WORKLOADS for each in found)
    remedy = f"{_ALONE}, so leave it as it is" if is_workload else "name a file that has one"
    kinds = [Deployment.KIND]
    return misspelt(kinds, found, is_one_there=False) or missing(kinds, found, files, remedy)


def _check_each_is_there_once(found: list[FileManifest]) -> None:
    """Raise InputError if an object is there twice: the last one would win."""
    first: dict[tuple[str, str, str], FileManifest] = {}
    for each in found:
        key = (each.kind, _namespace(each), each.name)
        if key in first:
            message = f"{each.kind} {each.name}: the same object as in {first[key].place()}; remove one of them"
            raise each.error(message)
        first[key] = each


def _check_containers(names: tuple[str, ...], deployments: list[FileManifest]) -> None:
    """Raise InputError if no Pod has a container of one of *names*."""
    shown = repr([each.content.get("spec") for each in deployments])
    for name in names:
        if f"'name': {name!r}" not in shown:
            message = f"--container {name}: no Deployment has a container of this name; name one that is there"
            raise InputError(message)


def _check_is_new(my_resource: Json, manifest: FileManifest, by_name: dict[tuple[str, str], FileManifest]) -> None:
    """Raise InputError if another Deployment becomes a MyResource of the same name."""
    name = my_resource["metadata"]["name"]
    other = by_name.setdefault((_namespace(manifest), name), manifest)
    if other is not manifest:
        message = (
            f"Deployment {manifest.name} becomes MyResource {name}, as that in {other.place()}; import one of them"
        )
        raise manifest.error(message)


def _namespace(manifest: FileManifest) -> str:
    return str(manifest.content["metadata"].get("namespace") or "default")


def _imported(manifest: FileManifest, others: list[FileManifest], containers: tuple[str, ...]) -> Imported:
    """Return what becomes of a Deployment; raise InputError if no API server would accept it or one of *others*."""
    neighbours = [each for each in others if kind_of(each.content)]
    for each in neighbours:
        with _refusals(each):
            stored(each.content)
    with _refusals(manifest):
        return imported(in_apps_v1(manifest.content), [each.content for each in neighbours], containers)


@contextmanager
def _refusals(manifest: FileManifest) -> Iterator[None]:
    try:
        yield
    except UnacceptableError as problem:
        message = f"not a {manifest.kind} that an API server accepts: {problem}"
        raise manifest.error(message, *_path(manifest, str(problem))) from problem


def _is_beside(other: FileManifest, deployment: FileManifest) -> bool:
    return _namespace(other) == _namespace(deployment)


def _is_used(other: FileManifest, deployment: FileManifest, result: Imported) -> bool:
    """Tell whether the Pods of the MyResource use *other*."""
    spec = (result.my_resource or {}).get("spec", {})
    account = ("ServiceAccount", spec.get("serviceAccountName"))
    return _is_beside(other, deployment) and (other.kind, other.name) in {account, *_uses(spec)}


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
        return f"not imported: {_ALONE}"
    if kind_of(manifest.content):
        return "not imported: it belongs to no Deployment that is imported"
    return "not imported: it is no part of a MyResource"


def _document(manifest: FileManifest, result: Imported, my_resource: Json) -> str:
    name = my_resource["metadata"]["name"]
    new = f"The new one is {name}-deployment, and selects its Pods by myresource: {name}."
    comments = [f"From Deployment {manifest.name}. {new}", *result.said[Weight.CHANGED]]
    return "---\n" + "".join(f"# {printable(line)}\n" for line in comments) + as_yaml(my_resource)
