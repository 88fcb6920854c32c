"""The pages for users: their commands pass checks that need no cluster."""

import re
import shlex
import subprocess
from functools import cache
from itertools import pairwise
from pathlib import Path

import helm_python as helm
import pytest
import yaml

from charts.rendering import CHART, rendered
from tests.api.apiserver import refusals
from tests.chart.cluster import NEW, cluster, installing
from tests.chart.sets import Json, objects
from tests.docs.commands import PAGES, commands, settings
from tests.docs.documents import ROOT
from tests.e2e.sharded import target
from toolkit.documents import blocks
from toolkit.slow import short_or_whole
from website.site import pages

COMMANDS = [(page, command) for page in PAGES for command in commands(page)]
FOLDERS = "app|charts|docs|examples|metacontroller|metahook|tests|website"
TOOLS = "kubectl|helm|docker|kind|make|openssl|mkdir|chmod|python3|sed"
TOOLS += r"|\w+=\$\((?:kubectl|make)|[\w/.]+/bin/(?:pip|myresource)"
each_page = pytest.mark.parametrize("page", sorted({page for page, _ in COMMANDS}))


@each_page
def test_the_commands_of_a_page_use_tools_that_it_requires_and_files_that_exist(page: str) -> None:
    found = commands(page)
    check = ["/bin/bash", "-n"]

    assert subprocess.check_output(check, input="\n".join(found), text=True, stderr=subprocess.STDOUT) == ""
    assert [command for command in found if not re.match(rf"({TOOLS}) ", command)] == []
    for command in found:
        words = shlex.split(command, comments=True)
        for option, file in pairwise(words):
            known = file in {"-", "web.yaml", "laptop.yaml", "myresources.json"} or "://" in file
            assert option not in {"-f", "-k"} or known or (ROOT / file).exists()
        assert [word for word in words if word.startswith("charts/") and not (ROOT / word).is_dir()] == []


OURS = [
    (page, command)
    for page, command in COMMANDS
    if f"charts/{CHART.name}" in command or "helm install myres" in command
]


@pytest.mark.slow
@pytest.mark.parametrize(("page", "command"), OURS[:: short_or_whole(3, 1)])
def test_a_command_that_installs_the_chart_uses_valid_values(page: str, command: str) -> None:
    values: Json = {}
    for setting in settings(command):
        values |= helm.parse_set_string(setting)

    with cluster(crds=[NEW]) as address:
        assert installing(address, values) == "", page


def test_the_secrets_that_the_page_creates_are_those_that_the_chart_uses() -> None:
    page = "docs/clusters/tls.md"
    created = [re.findall(r"generic (\S+)|--from-\w+=(?:certs/)?([\w.]+)", each) for each in commands(page)]
    (upgrade,) = [command for command in commands(page) if "tls.mode=secret" in command]
    tls = helm.parse_set_string(*settings(upgrade))["tls"]
    made = rendered({"tls": tls}, release="myresource-operator", namespace="myresource-operator")

    keys = {found[0][0]: {key for _, key in found[1:]} for found in created if found}
    assert keys == {
        tls["secretName"]: {"tls.crt", "tls.key", "ca.crt"},
        tls["clientCertificate"]["secretName"]: {"tls.crt", "tls.key"},
        tls["token"]["secretName"]: {"token"},
    }
    (name,) = re.findall(r"subjectAltName=DNS:([\w.-]+)", (ROOT / page).read_text())
    assert f"https://{name}/" in made["compositecontroller.yaml"].replace(":443/", "/")


def test_a_value_in_the_page_about_the_installation_belongs_to_one_of_the_two_charts() -> None:
    metacontrollers: list[Json] = [{"fullnameOverride": "metacontroller"}, {"rbac": {"create": False}}]
    found = re.findall(r"--set ([^\s`]+)", (ROOT / "docs/clusters/install.md").read_text())

    for setting in (setting for setting in found if "..." not in setting):
        values = helm.parse_set_string(setting.replace('"', "").replace("$version", "1.0.0"))
        assert values in metacontrollers or rendered(values)


def test_the_page_for_clusters_without_internet_access_saves_all_images() -> None:
    (saved,) = [command.split()[4:] for command in commands("docs/clusters/offline.md") if "docker save" in command]
    made = rendered({"image": {"repository": "registry.example.com/myresource-operator", "tag": "1.0.0"}})
    used = {image for text in made.values() for image in re.findall(r"(?m)^ *(?:- )?image: \"?([^\s\"]+)", text)}

    assert "tests/sync.yaml" in made  # the Pod of helm test
    assert {image.replace("$version", "1.0.0") for image in saved if "metacontroller/" not in image} == used


def test_the_values_that_the_page_about_dependencies_gives_are_those_of_the_chart() -> None:
    page = (ROOT / "docs/apps/dependencies.md").read_text()
    (text,) = re.findall(r"^```\n(watch:.*?)^```$", page, re.DOTALL | re.MULTILINE)
    made = rendered({**yaml.safe_load(text), "metacontroller": {"check": False}})

    (variable,) = re.findall(r"MYRESOURCE_WATCH_DEPENDENCIES, value: \"(.*)\"", made["deployment.yaml"])
    assert f"`{variable}`" in (ROOT / "docs/clusters/install.md").read_text()


def test_the_metacontrollers_of_shards_have_the_selectors_that_the_tests_run() -> None:
    text = "\n".join(commands("docs/clusters/scale.md"))

    assert re.findall(r"--target-label-selector=(.*?)}", text) == [target(1, 2), target(0, 2)]


def test_the_pages_name_what_the_chart_installs() -> None:
    kinds = {"customresourcedefinition": "crd"}
    made = {(kinds.get(item["kind"].lower(), item["kind"].lower()), item["metadata"]["name"]) for item in objects()}
    ours = r"\b(deployment|compositecontroller|crd)[ /]((?:myresource-operator|myresources|myresource)[\w.-]*)"
    named = {match for _, command in COMMANDS for match in re.findall(ours, command)}

    assert len(named) >= 3
    assert named <= made


@pytest.mark.parametrize("page", [*PAGES, "README.md"])
def test_every_myresource_of_a_page_is_accepted(page: str) -> None:
    for block in blocks((ROOT / page).read_text(), "yaml"):
        item = yaml.safe_load(block)
        assert item["kind"] == "CompositeController" or refusals(item) == []


def test_every_page_requires_the_same_version_of_metacontroller() -> None:
    texts = [(ROOT / page).read_text() for page in (*PAGES, "README.md")]
    texts += [(CHART / "templates/_checks.tpl").read_text()]
    versions = {
        version
        for text in texts
        for version in re.findall(r"(?:Metacontroller\*{0,2},? |--version |ref=v)(4\.\d+\.\d+) ?(?:or later)?", text)
    }

    assert versions - {"4.13.1"} == {"4.17.2"}


@cache
def anchors(page: Path) -> set[str]:
    """Return the anchors of the headings of *page*, as GitHub makes them."""
    headings = re.findall(r"^#+ (.*)$", page.read_text(), re.MULTILINE)
    return {re.sub(r"[^\w -]", "", heading.lower()).replace(" ", "-") for heading in headings}


@pytest.mark.parametrize("page", pages(), ids=lambda page: str(page.relative_to(ROOT)))
def test_files_links_and_anchors_of_the_page_exist(page: Path) -> None:
    files = re.findall(rf"`((?:{FOLDERS})/[\w./-]+)`", page.read_text())
    assert [file for file in files if not (ROOT / file).exists()] == []

    prose = re.sub(r"^```.*?^```$", "", page.read_text(), flags=re.DOTALL | re.MULTILINE)
    for link in re.findall(r"\]\((?!\w+://)([^)]+)\)", prose):
        name, _, anchor = link.partition("#")
        target = page.parent / name if name else page

        assert target.exists(), link
        assert not anchor or anchor in anchors(target), link
