"""A Deployment in a simulated cluster."""

from typing import Any

from metahook.simulator.world import World
from toolkit.worlds import DEPLOYMENT, Answers, deployment, world


def started(**spec: Any) -> World:
    """Return a world in which a Deployment was just made."""
    child = deployment(**spec)
    child["metadata"]["namespace"] = "default"
    return world("dynamic-apply", Answers(), child)


def edited(made: World, **spec: Any) -> None:
    """Change the Deployment's spec."""
    made.edit(DEPLOYMENT, lambda item: item["spec"].update(spec))


def imaged(made: World, image: str) -> None:
    """Change the Deployment's image."""
    made.edit(DEPLOYMENT, lambda item: item["spec"]["template"]["spec"]["containers"][0].update(image=image))


def count(made: World, name: str) -> int:
    """Return a count of the Deployment's status."""
    found: int = made.get(DEPLOYMENT)["status"].get(name, 0)
    return found
