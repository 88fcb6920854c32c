"""Imports one Deployment: its MyResource, what is different, and what is left out."""

from msgspec import field

from app import Json
from app.api.names import API_VERSION, CONTAINER, KIND
from app.api.reading import InvalidSpec
from app.api.scalars import NAME
from app.cli.importing.comparison import Report, Weight, compare, metadata_losses, sentence
from app.cli.importing.kubernetes import (
    UnacceptableError,
    as_given,
    brief,
    effective,
    kept_annotations,
    overtaken,
    stored,
)
from app.cli.importing.neighbours import Neighbours
from app.cli.importing.translation import Tree, leaves
from app.core.child_metadata import SELECTOR_LABEL, labels
from app.core.desired.deployment import deployment as made_deployment
from app.core.desired.replicas import Replicas
from metahook import Parent

MANAGED_BY_HELM = ("app.kubernetes.io/managed-by", "Helm")
DEFAULT_CONTAINER = "kubectl.kubernetes.io/default-container"


class Imported(Report):
    """The *my_resource* for a Deployment, None if there is none, and what to say: sentences by weight."""

    my_resource: Json | None = None
    mentioned: set[tuple[str, str]] = field(default_factory=set)
    """Kinds and names of the other objects that became a part of it, or about which there is a sentence."""

    @property
    def is_whole(self) -> bool:
        return not self.said[Weight.LOST]


def in_apps_v1(manifest: Json) -> Json:
    """Return the Deployment *manifest* in apps/v1; in older groups its labels are the default of its selector."""
    if manifest["apiVersion"] == "apps/v1" or not isinstance(manifest.get("spec"), dict):
        return {**manifest, "apiVersion": "apps/v1"}
    try:
        selector = {"matchLabels": manifest["spec"]["template"]["metadata"]["labels"]}
    except (KeyError, TypeError):
        selector = {}
    return {**manifest, "apiVersion": "apps/v1", "spec": {"selector": selector, **manifest["spec"]}}


def _name_of(manifest: Json) -> str:
    """Return the name of the MyResource for a Deployment: its own, or the one from which the operator made it."""
    name = str(manifest["metadata"]["name"])
    of_operator = (manifest["spec"]["selector"].get("matchLabels") or {}).get(SELECTOR_LABEL)
    return str(of_operator) if name == f"{of_operator}-deployment" else name


def imported(manifest: Json, objects: list[Json], containers: tuple[str, ...]) -> Imported:
    """Return what becomes of a Deployment, among other *objects*; the application runs in one of *containers*.

    Raise UnacceptableError if an API server would not accept one of them.
    """
    result, given = Imported(), stored(manifest)
    if "spec" not in given.spec["template"]:
        message = "spec.template.spec is required"
        raise UnacceptableError(message)
    name = _name_of({**manifest, "spec": given.spec})
    others = [_as_stored(each, result) for each in objects]
    for undeclared in given.undeclared:
        result.say(Weight.LOST, undeclared)
    main = _main(given.spec, containers)
    if not NAME.holds(name):
        result.say(Weight.LOST, f"metadata.name: {NAME.message}")
        return result
    if main is None:
        names = [each["name"] for each in given.spec["template"]["spec"]["containers"]]
        chosen = [name for name in names if name in containers]
        remedy = f"choose {'only ' if chosen else ''}that of the application with --container"
        result.say(Weight.LOST, f"its containers are {', '.join(names)}: {remedy}")
        return result
    for each in given.spec["template"]["spec"]["containers"]:
        for variable in overtaken(each):
            why = f"{variable} is set again after a variable that refers to it; give the first one another name"
            result.say(Weight.LOST, f"spec.template.spec.containers[{each['name']}].env: {why}")
    _fill(result, {**manifest, "spec": given.spec}, others, main, name)
    return result


def _as_stored(item: Json, result: Imported) -> Json:
    found = stored(item)
    for undeclared in found.undeclared:
        result.say(Weight.LOST, f"{item['kind']} {item['metadata']['name']}: {undeclared}")
    return {**item, "spec": found.spec}


def _main(spec: Json, containers: tuple[str, ...]) -> str | None:
    """Return the container of the application: the only one, or the one that is chosen, called main, or annotated."""
    template = spec["template"]
    names = [str(each["name"]) for each in template["spec"]["containers"]]
    annotated = ((template.get("metadata") or {}).get("annotations") or {}).get(DEFAULT_CONTAINER)
    chosen = [name for name in names if name in containers] or [
        name for name in names if len(names) == 1 or name in (CONTAINER, annotated)
    ]
    return chosen[0] if len(chosen) == 1 else None


def _fill(result: Imported, manifest: Json, objects: list[Json], main: str, name: str) -> None:
    metadata, own = manifest["metadata"], manifest["spec"]
    given = effective(own, main)
    parent = Parent(name, str(metadata.get("namespace") or "default"), "", 1, None, False, b"", b"")  # noqa: FBT003 - it has nine fields
    tree = Tree(name)
    tree.grow(leaves(brief(given, "#apps.v1.DeploymentSpec"), main))
    neighbours = Neighbours(parent, manifest, main, objects, tree, result)
    tree.grow(neighbours.service_leaves())
    model = tree.read()
    if isinstance(model, InvalidSpec):
        result.say(Weight.LOST, next(sentence(leaf) for leaf in tree.lost if leaf.place == ("image",)))
        return
    for each in own["template"]["spec"]["containers"]:
        if each["name"] != main:
            result.say(Weight.CHANGED, f"container {each['name']} is a sidecar: it starts before the application")
    made = stored(made_deployment(parent, model, {}, Replicas(model.replicas))).spec
    if main != CONTAINER:
        result.say(Weight.ALWAYS, f"the container is called {CONTAINER}, not {main}")
    compare(result, given, as_given(effective(made, CONTAINER), given, main), tree.lost, own)
    neighbours.others_stay()
    neighbours.add_others()
    neighbours.compare_service(model)
    for lost in metadata_losses(manifest, ("labels", "annotations")):
        result.say(Weight.LOST, lost)
    own_labels = labels(parent).items()
    kept_labels = {
        key: value
        for key, value in (metadata.get("labels") or {}).items()
        if (key, value) not in {*own_labels, MANAGED_BY_HELM}
    }
    users = {
        "namespace": metadata.get("namespace"),
        "labels": neighbours.propagate_labels(kept_labels),
        "annotations": kept_annotations(metadata),
    }
    kept = {name: value for name, value in users.items() if value}
    result.mentioned = {(each["kind"], each["metadata"]["name"]) for each in neighbours.carried + neighbours.named}
    result.my_resource = {
        "apiVersion": API_VERSION,
        "kind": KIND,
        "metadata": {"name": name, **kept},
        "spec": tree.spec,
    }
