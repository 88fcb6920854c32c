"""The CompositeControllers and DecoratorControllers of this repository are right for their controllers."""

import json
import re

import msgspec
import pytest
import yaml
from backups import BACKUPS
from greetings import GREETINGS
from myresources import MYRESOURCES
from notebooks import NOTEBOOKS
from rotations import rotations
from stateful_set_services import SERVICES
from staticsites import SITES
from tenants import TENANTS

from metahook import Controller, InstallationProblem
from metahook.protocol.installation import check_installation
from tests.docs.documents import ROOT
from tests.requests.builders import MYRESOURCE
from tests.requests.installation import SPEC

LAPTOP = (ROOT / "docs/contributing/hook-on-your-laptop.md").read_text()


def found(text: str, controller: Controller) -> list[str]:
    """Return what is wrong for *controller* with the CompositeController in *text*, a file or a page."""
    (composite,) = re.findall(
        r"^apiVersion: metacontroller.k8s.io/v1alpha1$.*?(?=^```$|\Z)", text, re.DOTALL | re.MULTILINE
    )
    field = msgspec.Raw(json.dumps(yaml.safe_load(composite)).encode())
    return [each.name for each in check_installation(field, json.dumps(SPEC).encode(), controller.requirements)]


@pytest.mark.parametrize(
    ("file", "controller"),
    [
        ("metacontroller/compositecontroller.yaml", MYRESOURCE),
        ("metahook/docs/hook-in-a-cluster.md", GREETINGS),
        ("metahook/examples/backup/compositecontroller.yaml", BACKUPS),
        ("metahook/examples/greeting/compositecontroller.yaml", GREETINGS),
        ("examples/hooks/myresource/compositecontroller.yaml", MYRESOURCES),
        ("metahook/examples/notebook/compositecontroller.yaml", NOTEBOOKS),
        ("metahook/examples/rotation/compositecontroller.yaml", rotations(b"a key for tests, of 32 bytes or more")),
        ("metahook/examples/service-per-statefulset/controller.yaml", SERVICES),
        ("metahook/examples/staticsite/controller.yaml", SITES),
        ("metahook/examples/tenant/controller.yaml", TENANTS),
    ],
)
def test_nothing_is_wrong_with_what_this_repository_installs(file: str, controller: Controller) -> None:
    assert found((ROOT / file).read_text(), controller) == []


def test_of_the_laptop_only_the_timeout_is_reported() -> None:
    assert found(LAPTOP, MYRESOURCE) == ["HookTimeoutOutOfRange"]


def test_the_page_lists_all_findings() -> None:
    page = (ROOT / "metahook/docs/hook-reference.md").read_text()

    assert re.findall(r"^\| `([A-Z]\w+)` \|", page, re.MULTILINE) == [finding.name for finding in InstallationProblem]
