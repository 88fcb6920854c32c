"""The recipes, as far as they can be checked without a control plane; ``tests/e2e/test_recipes.py`` runs them."""

import re
from pathlib import Path

import pytest

from tests.api.apiserver import refusals, stored
from tests.cli.command import call
from tests.docs.recipes import RECIPES, File, objects, steps, text
from tests.e2e.fresh import desired_children
from tests.requests.builders import my_resource


@pytest.mark.parametrize("page", RECIPES)
def test_every_block_of_a_recipe_is_a_step_and_its_myresource_is_accepted(page: str) -> None:
    blocks = re.findall(r"^```\w+$", text(page), re.MULTILINE)
    (item,) = (item for item in objects(page) if item["kind"] == "MyResource")

    assert len([step for step in steps(page) if isinstance(step, File) or step.output]) == len(blocks)
    assert refusals(stored(item)) == []


def test_the_imported_myresource_is_what_the_command_prints(tmp_path: Path) -> None:
    old, new = (step for step in steps("docs/apps/move-a-deployment.md") if isinstance(step, File))
    file = tmp_path / "deployment.yaml"
    file.write_text(old.text.partition("---\n")[0])

    ended = call("import", "-f", str(file))

    assert (ended.code, ended.err) == (0, "")
    assert ended.out == f"---\n{new.text}"


def test_a_route_leads_to_a_port_of_the_service() -> None:
    items = {item["kind"]: item for item in objects(RECIPES[-1])}
    children = desired_children(my_resource(items["MyResource"]["metadata"]["name"], **items["MyResource"]["spec"]))
    (service,) = (child for child in children if child["kind"] == "Service")
    served = {(service["metadata"]["name"], port[key]) for port in service["spec"]["ports"] for key in ("name", "port")}

    of_ingress = [
        path["backend"]["service"] for rule in items["Ingress"]["spec"]["rules"] for path in rule["http"]["paths"]
    ]
    of_route = [each for rule in items["HTTPRoute"]["spec"]["rules"] for each in rule["backendRefs"]]
    assert len(of_ingress) == len(of_route) == 1
    assert (of_ingress[0]["name"], of_ingress[0]["port"]["name"]) in served
    assert (of_route[0]["name"], of_route[0]["port"]) in served
