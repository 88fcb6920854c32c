"""The commands of the plugin, and their completion."""

import json
import sys
from collections.abc import Callable
from contextlib import closing, suppress

import click
from click.shell_completion import ShellComplete

from app import Json, __version__
from app.cli.plugin import tree as object_tree
from app.cli.plugin.explanation import explanation, last_error, may_be_rejected
from app.cli.plugin.kubectl import Kubectl, kubectl_of, with_kubectl
from app.cli.plugin.tree import is_settled
from app.core.child_metadata import SELECTOR_LABEL
from app.core.reasons import linked
from app.core.watch import DOCS_URL
from metahook.commands import Program, utc_now

_MYRESOURCES = "myresources.mygroup.example.com"
_PROGRAM = "kubectl myresource"

EXIT_NOT_READY = 1
"""Exit code of wait for a MyResource that is not Ready."""

_NO_FILES = ":4"
"""The directive for kubectl's completion that adds no names of files. Source: cobra, ShellCompDirective."""


def _names(context: click.Context, _: click.Parameter, start: str) -> list[str]:
    """Return the names of MyResources that begin with *start*; none if kubectl fails."""
    try:
        items = kubectl_of(context.params).read(_MYRESOURCES, quiet=True)["items"]
    except (click.ClickException, click.exceptions.Exit):
        return []
    return [name for item in items if (name := item["metadata"]["name"]).startswith(start)]


_docs_url = click.option(
    "--docs-url",
    metavar="URL",
    default=DOCS_URL,
    show_default=True,
    envvar="MYRESOURCE_DOCS_URL",
    show_envvar=True,
    help="Address of the folder docs/ of the repository, for pages that the explanation names.",
)
"""The option that ``myresource explain`` has, without its settings: to import them doubles the time of a completion."""


@click.group(context_settings={"help_option_names": ["-h", "--help"], "max_content_width": 100})
@click.version_option(__version__, prog_name=_PROGRAM)
def _group() -> None:
    """Explain, show, restart and wait for a MyResource in a cluster."""


def _command(function: Callable[..., int | None]) -> click.Command:
    """Make a command for the MyResource NAME of *function*."""
    name = click.argument("name", metavar="NAME", shell_complete=_names)
    return _group.command()(name(with_kubectl(function)))


@_command
@_docs_url
def explain(name: str, kubectl: Kubectl, docs_url: str) -> None:
    """Explain a status and what to do."""
    _explain(_parent(kubectl, name), kubectl, docs_url)


@_command
def tree(name: str, kubectl: Kubectl) -> None:
    """Show the children and Pods, with their states."""
    parent = _parent(kubectl, name)
    objects = _objects(kubectl, parent)
    click.echo(object_tree.text(object_tree.tree(parent, objects), objects))


@_command
def restart(name: str, kubectl: Kubectl) -> None:
    """Replace all Pods.

    Sets spec.restartedAt to the current time; the Pods are replaced as spec.strategy specifies.
    """
    patch = {"spec": {"restartedAt": f"{utc_now():%Y-%m-%dT%H:%M:%SZ}"}}
    kubectl.show("patch", _MYRESOURCES, name, "--type=merge", f"--patch={json.dumps(patch)}")


@_command
@click.option("--timeout", metavar="TIME", default="5m", show_default=True, help="Time to wait, such as 30s or 5m.")
@_docs_url
def wait(name: str, timeout: str, kubectl: Kubectl, docs_url: str) -> int:
    """Wait until Ready, or until action is needed.

    \b
    Exit status:
      0  Ready is True
      1  action is needed (Stalled or Suspended), the timeout has expired, or kubectl failed
    """  # noqa: D301 - click keeps the line breaks after this control character
    parent = _settled(kubectl, name, timeout)
    _explain(parent, kubectl, docs_url)
    return 0 if is_settled(parent) else EXIT_NOT_READY


def _explain(parent: Json, kubectl: Kubectl, docs_url: str) -> None:
    """Print the explanation of the status of *parent*, also for a user who must not read Events.

    The pages that it names are at *docs_url*.
    """
    name, error = parent["metadata"]["name"], ""
    with suppress(click.exceptions.Exit):
        if may_be_rejected(parent):
            events = kubectl.read("events", f"--field-selector=involvedObject.name={name}", quiet=True)["items"]
            error = last_error(parent, events)
    click.echo(linked(explanation(parent, error), docs_url.rstrip("/")))


def _settled(kubectl: Kubectl, name: str, timeout: str) -> Json:
    """Return the MyResource once it is Ready or Stalled, or as it is when the timeout expires."""
    latest = _parent(kubectl, name)
    with closing(kubectl.watch(_MYRESOURCES, name, f"--request-timeout={timeout}")) as observed:
        while is_settled(latest) is None and (newer := next(observed, None)):
            latest = newer
    return latest


def _parent(kubectl: Kubectl, name: str) -> Json:
    return kubectl.read(_MYRESOURCES, name)


def _objects(kubectl: Kubectl, parent: Json) -> list[Json]:
    """Return the objects with the label of the children and Pods of *parent*."""
    from app.cli.plugin import resources  # noqa: PLC0415 - slow to import, and a completion does without

    selector = f"--selector={SELECTOR_LABEL}={parent['metadata']['name']}"
    items: list[Json] = kubectl.read(",".join(resources.OF_ALL), selector)["items"]
    for resource in resources.of_some(parent):
        with suppress(click.exceptions.Exit):  # kubectl has shown the error
            items += kubectl.read(resource, selector)["items"]
    return items


def program() -> Program:
    return Program(_group, _PROGRAM)


def main() -> None:
    program().main()


def complete() -> None:
    """Print completions for the last of the arguments, as kubectl asks ``kubectl_complete-myresource`` for them."""
    *words, start = sys.argv[1:] or [""]
    for found in ShellComplete(_group, {}, _PROGRAM, "").get_completions(words, start):
        print(f"{found.value}\t{found.help}" if found.help else found.value)
    print(_NO_FILES)
