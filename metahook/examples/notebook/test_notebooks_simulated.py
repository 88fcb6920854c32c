"""The notebook hook in the simulator: which Notebook a Pod's change calls, and what its status then shows."""

from collections import Counter
from pathlib import Path

import pytest
import yaml
from msgspec.structs import replace
from notebooks import LABEL, NOTEBOOKS

from metahook import Controller, CustomizeRequest, RelatedRule
from metahook.simulator import MODES, Key, Mode, Settings, World
from metahook.simulator.findings import findings
from metahook.simulator.objects import reference_to

HERE = Path(__file__).parent
CRD, COMPOSITE = (yaml.safe_load((HERE / name).read_text()) for name in ("crd.yaml", "compositecontroller.yaml"))

ADA, POD = Key("Notebook", "default", "ada"), Key("Pod", "default", "ada-0")

both_modes = pytest.mark.parametrize("mode", MODES)


def cluster(mode: Mode, controller: Controller = NOTEBOOKS, *, has_customize: bool = True) -> World:
    """Return a quiet world with two Notebooks."""
    world = World(controller, replace(Settings.read(COMPOSITE, [CRD], mode), has_customize=has_customize))
    for name in ("ada", "grace"):
        metadata = {"name": name, "namespace": "default"}
        world.apply({
            "apiVersion": "example.com/v1", "kind": "Notebook", "metadata": metadata, "spec": {"image": "jupyter:1"},
        })  # fmt: skip
    world.until_quiet()
    return world


def create_pod(world: World, name: str = "ada-0", notebook: str = "ada") -> None:
    """Create a Pod as the StatefulSet controller does. The simulator has none; its kubelet starts it."""
    owner = reference_to(world.get(Key("StatefulSet", "default", notebook)))
    metadata = {"name": name, "namespace": "default", "labels": {LABEL: notebook}, "ownerReferences": [owner]}
    spec = {"containers": [{"name": "notebook", "image": "jupyter:1"}]}
    world.apply({"apiVersion": "v1", "kind": "Pod", "metadata": metadata, "spec": spec})
    world.until_quiet()


class Calls:
    """The calls of sync since this was created."""

    def __init__(self, world: World) -> None:
        self._world, self._before = world, len(list(world.history.calls()))

    @property
    def of(self) -> Counter[str]:
        """How often each Notebook was called."""
        return Counter(call.key.name for call in list(self._world.history.calls())[self._before :])


def status(world: World, name: str = "ada") -> tuple[str, dict[str, int] | None]:
    found = world.parent(name)["status"]
    return found["phase"], found.get("pods")


@both_modes
def test_the_phase_of_a_pod_that_the_stateful_set_owns_is_in_the_status(mode: Mode) -> None:
    world = cluster(mode)
    assert status(world) == ("NoPods", {})

    create_pod(world)

    assert status(world) == ("Running", {"Running": 1})
    reported = [write.after for write in world.history.writes("metacontroller") if write.key == ADA and write.after]
    assert [each["status"]["phase"] for each in reported] == ["NoPods", "Pending", "Running"]


@both_modes
def test_a_pod_calls_its_own_notebook_alone(mode: Mode) -> None:
    world = cluster(mode)
    calls = Calls(world)

    create_pod(world)

    assert calls.of["ada"] > 0
    assert calls.of["grace"] == 0


@both_modes
def test_a_pod_with_the_label_of_no_notebook_calls_none(mode: Mode) -> None:
    world = cluster(mode)
    create_pod(world)
    world.edit(POD, lambda pod: pod["metadata"].update(labels={LABEL: "linus"}))
    world.until_quiet()
    calls = Calls(world)

    world.edit(POD, lambda pod: pod["status"].update(phase="Failed"))
    world.until_quiet()

    assert calls.of == Counter()
    assert status(world) == ("NoPods", {})


@both_modes
def test_a_pod_whose_label_changes_calls_both(mode: Mode) -> None:
    world = cluster(mode)
    create_pod(world)
    calls = Calls(world)

    world.edit(POD, lambda pod: pod["metadata"].update(labels={LABEL: "grace"}))
    world.until_quiet()

    assert calls.of == {"ada": 1, "grace": 1}
    assert [status(world), status(world, "grace")] == [("NoPods", {}), ("Running", {"Running": 1})]


@both_modes
def test_a_deleted_pod_calls_its_notebook(mode: Mode) -> None:
    world = cluster(mode)
    create_pod(world)

    world.delete(POD)
    world.until_quiet()

    assert status(world) == ("NoPods", {})


@both_modes
def test_pods_in_several_phases_are_counted(mode: Mode) -> None:
    world = cluster(mode)
    create_pod(world)
    create_pod(world, "ada-1")

    world.edit(POD, lambda pod: pod["status"].update(phase="Failed"))
    world.until_quiet()

    assert status(world) == ("Mixed", {"Failed": 1, "Running": 1})


@both_modes
def test_another_image_changes_the_stateful_set_and_nothing_is_written_afterwards(mode: Mode) -> None:
    world = cluster(mode)
    world.edit(ADA, lambda notebook: notebook["spec"].update(image="jupyter:2"))
    world.until_quiet()
    (container,) = world.get(Key("StatefulSet", "default", "ada"))["spec"]["template"]["spec"]["containers"]
    assert container["image"] == "jupyter:2"

    before = len(list(world.history.writes("metacontroller")))
    world.run(3600)
    assert len(list(world.history.writes("metacontroller"))) == before
    assert findings(world.history) == []


@both_modes
def test_without_customize_the_phase_is_unknown(mode: Mode) -> None:
    world = cluster(mode, has_customize=False)

    create_pod(world)

    assert status(world) == ("Unknown", None)


@both_modes
def test_with_one_label_for_all_notebooks_a_pod_calls_all_of_them(mode: Mode) -> None:
    def customize(request: CustomizeRequest) -> list[RelatedRule]:
        has_label = {"matchExpressions": [{"key": LABEL, "operator": "Exists"}]}
        return [{"apiVersion": "v1", "resource": "pods", "namespace": "default", "labelSelector": has_label}]

    world = cluster(mode, replace(NOTEBOOKS, customize=customize))
    calls = Calls(world)

    create_pod(world)

    assert calls.of["grace"] == calls.of["ada"] > 0
