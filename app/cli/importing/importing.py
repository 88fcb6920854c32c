"""Imports one Deployment: its MyResource, what is different, and what is left out."""

from dataclasses import dataclass, field

from app import Json
from app.api.values.names import API_VERSION, CONTAINER, KIND
from app.api.values.scalar import NAME
from app.cli.importing.beside import Beside
from app.cli.importing.canonical import canonical, kept_annotations
from app.cli.importing.differences import Weight, differences, said
from app.cli.importing.translation import translated, valid
from app.core.child_metadata import SELECTOR_LABEL, labels
from app.core.desired.manifests.deployment import deployment as made_deployment
from app.core.desired.replicas import Replicas
from metahook import Parent

DEFAULT_CONTAINER = "kubectl.kubernetes.io/default-container"


@dataclass
class Imported:
    """The *my_resource* for a Deployment, None if there is none, and what to say: sentences by weight."""

    my_resource: Json | None = None
    said: dict[Weight, list[str]] = field(default_factory=lambda: {weight: [] for weight in Weight})

    def say(self, weight: Weight, sentence: str) -> None:
        """Add a *sentence*, once."""
        if sentence not in self.said[weight]:
            self.said[weight].append(sentence)

    @property
    def is_whole(self) -> bool:
        """Whether nothing is left out."""
        return not self.said[Weight.LOST]


def name_of(manifest: Json) -> str:
    """Return the name of the MyResource for a Deployment: its own, or the one from which the operator made it."""
    name = str(manifest["metadata"]["name"])
    selector = (manifest["spec"].get("selector") or {}).get("matchLabels") or {}
    of_operator = selector.get(SELECTOR_LABEL) if isinstance(selector, dict) else None
    return str(of_operator) if name == f"{of_operator}-deployment" else name


def imported(manifest: Json, objects: list[Json], containers: tuple[str, ...]) -> Imported:
    """Return what becomes of a Deployment, among other *objects*; the application runs in one of *containers*."""
    result, name = Imported(), name_of(manifest)
    main = _main(manifest, containers)
    if not NAME.holds(name):
        result.say(Weight.LOST, f"metadata.name: {NAME.message}")
        return result
    if main is None:
        names = ", ".join(each["name"] for each in manifest["spec"]["template"]["spec"]["containers"])
        result.say(Weight.LOST, f"its containers are {names}: choose that of the application with --container")
        return result
    _fill(result, manifest, objects, main, name)
    return result


def _main(manifest: Json, containers: tuple[str, ...]) -> str | None:
    """Return the container of the application: the only one, or the one that is chosen, called main, or annotated."""
    template = manifest["spec"]["template"]
    names = [str(each["name"]) for each in template["spec"]["containers"]]
    annotated = ((template.get("metadata") or {}).get("annotations") or {}).get(DEFAULT_CONTAINER)
    chosen = [name for name in names if name in containers] or [
        name for name in names if len(names) == 1 or name in (CONTAINER, annotated)
    ]
    return chosen[0] if len(chosen) == 1 else None


def _fill(result: Imported, manifest: Json, objects: list[Json], main: str, name: str) -> None:
    metadata = manifest["metadata"]
    given = canonical(manifest["spec"], main)
    pod = given["template"]["spec"]
    parent = Parent(name, str(metadata.get("namespace") or "default"), "", 1, None, False, b"", b"")  # noqa: FBT003 - it has nine fields
    ports = [port for each in (*pod["containers"], *pod.get("initContainers", [])) for port in each.get("ports") or []]
    beside = Beside(
        parent,
        (manifest["spec"]["template"].get("metadata") or {}).get("labels") or {},
        objects,
        str(metadata["name"]),
        main,
        {port["name"]: port["containerPort"] for port in reversed(ports) if "name" in port},
    )
    spec, model, problems = valid(name, beside.with_service(translated(given)))
    if spec is None or model is None:
        result.say(Weight.LOST, problems[-1])
        return
    for each in manifest["spec"]["template"]["spec"]["containers"]:
        if each["name"] != main:
            result.say(Weight.CHANGED, f"container {each['name']} is a sidecar: it starts before the application")
    spec = beside.with_others(spec)
    beside.compare_service(model)
    made = made_deployment(parent, model, {}, Replicas(model.replicas))
    _compare(result, given, canonical(made["spec"], CONTAINER), main, problems)
    for comment in beside.comments:
        result.say(Weight.CHANGED, comment)
    for lost in beside.lost:
        result.say(Weight.LOST, lost)
    own = labels(parent).items()
    users = {
        "namespace": metadata.get("namespace"),
        "labels": {key: value for key, value in (metadata.get("labels") or {}).items() if (key, value) not in own},
        "annotations": kept_annotations(metadata),
    }
    kept = {field: value for field, value in users.items() if value}
    result.my_resource = {"apiVersion": API_VERSION, "kind": KIND, "metadata": {"name": name, **kept}, "spec": spec}


def _compare(result: Imported, given: Json, made: Json, main: str, problems: list[str]) -> None:
    """Say how the Deployment *made* for the MyResource is not as the *given* one."""
    if main != CONTAINER:
        result.say(Weight.ALWAYS, f"the container is called {CONTAINER}, not {main}")
    account = given["template"]["spec"].get("serviceAccountName")
    for found in differences(given, made, ("spec",)):
        weight, sentence = said(found, problems)
        if account and found.is_added and found.names[-1] == "automountServiceAccountToken":
            weight, sentence = Weight.CHANGED, f"no token of ServiceAccount {account} is mounted"
        result.say(weight, sentence.replace(f"containers[{CONTAINER}]", f"containers[{main}]"))
