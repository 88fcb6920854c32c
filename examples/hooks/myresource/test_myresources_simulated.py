"""The hook in the simulator, in the life of a MyResource, and when it takes over what the reconciler created."""

from pathlib import Path
from typing import Any

import pytest
import yaml
from life import LIFE, deployment, my_resource, seen
from myresources import MYRESOURCES

from metahook import Manifest
from metahook.simulator import MODES, Key, Mode, Settings, World
from metahook.simulator.objects import reference_to

HERE = Path(__file__).parent
CRD, COMPOSITE = (yaml.safe_load((HERE / name).read_text()) for name in ("crd.yaml", "compositecontroller.yaml"))

WEB, DEPLOYMENT = (Key(kind, "default", "web") for kind in ("MyResource", "Deployment"))

both_modes = pytest.mark.parametrize("mode", MODES)


class Simulated:
    """A stage on a virtual clock."""

    def __init__(self, mode: Mode) -> None:
        self.world = World(MYRESOURCES, Settings.read(COMPOSITE, [CRD], mode))

    def apply(self, manifest: Manifest) -> None:
        self.world.apply(manifest)

    def delete(self, kind: str, name: str) -> None:
        self.world.delete(Key(kind, "default", name))

    def start_pods(self) -> None:
        self.world.until_quiet()

    def labels(self) -> dict[str, str]:
        found: dict[str, str] = self.world.get(DEPLOYMENT)["metadata"]["labels"]
        return found

    def sees(self) -> str:
        has_error = any(self.world.history.events("SyncError"))
        return seen(self.world.api.get(WEB), list(self.world.api.all("Deployment")), has_error=has_error)


@both_modes
def test_the_life_of_a_myresource(mode: Mode) -> None:
    stage = Simulated(mode)
    for event in LIFE:
        event.happen(stage)
        stage.world.run(0.5)  # a Pod takes longer to start

        assert stage.sees() == event.hook, event.name


def changes(world: World) -> list[str]:
    """Return the writes of Metacontroller that changed something."""
    return [str(write) for write in world.history.writes("metacontroller") if write.changed]


@both_modes
def test_after_a_rollout_nothing_is_written_for_an_hour(mode: Mode) -> None:
    stage = Simulated(mode)
    for event in LIFE[:4]:
        event.happen(stage)
    before = changes(stage.world)

    stage.world.run(3600)

    assert changes(stage.world) == before


@both_modes
def test_a_spec_that_the_crd_would_refuse_leaves_the_deployment_unchanged(mode: Mode) -> None:
    stage = Simulated(mode)
    for event in LIFE[:2]:
        event.happen(stage)
    before = stage.world.get(DEPLOYMENT)

    stage.world.edit(WEB, lambda item: item["spec"].update(image=5))
    stage.world.run(1)

    assert stage.world.get(DEPLOYMENT) == before
    assert stage.world.parent("web")["status"]["state"] == "Failed"


def taken_over(mode: Mode, *, with_label: bool) -> tuple[Any, Any, str]:
    """Start Metacontroller where the reconciler has run; return the Deployment before and after, and the state."""
    stage = Simulated(mode)
    stage.world.metacontroller.restart(after=60)
    stage.apply(my_resource("nginx:1.27"))
    owner = reference_to(stage.world.get(WEB))
    labels = {"app": "web", **({"controller-uid": owner["uid"]} if with_label else {})}
    stage.apply(deployment("web", "nginx:1.27", labels=labels, ownerReferences=[owner]))
    stage.world.run(30)
    before = stage.world.get(DEPLOYMENT)

    stage.world.run(600)

    return before, stage.world.get(DEPLOYMENT), stage.sees()


@both_modes
def test_a_labelled_deployment_of_the_reconciler_is_taken_over_without_a_rollout(mode: Mode) -> None:
    before, after, state = taken_over(mode, with_label=True)

    assert (after["metadata"]["uid"], after["spec"]) == (before["metadata"]["uid"], before["spec"])
    assert after["metadata"]["ownerReferences"] == before["metadata"]["ownerReferences"]
    assert state == "Ready: web nginx:1.27"


def test_without_the_label_dynamic_apply_releases_it() -> None:
    _, after, state = taken_over("dynamic-apply", with_label=False)

    assert not after["metadata"].get("ownerReferences")
    assert state == "Building: web nginx:1.27"
