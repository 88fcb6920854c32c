"""``metahook new``: the projects that it writes. tests/e2e/test_new_projects.py has them on a real control plane."""

import subprocess
import sys
import time
from pathlib import Path

import pytest
import yaml

from metahook.cli.commands.new import plural
from metahook.simulator.clock import START
from toolkit.cli.command import call, problem
from toolkit.cli.projects import DECORATOR, PROJECTS, SITE, TENANT, controller_of, run
from toolkit.root import ROOT
from toolkit.slow import only_whole, short_or_whole

FILES = [
    ".github/workflows/ci.yml",
    ".gitignore",
    "Dockerfile",
    "Makefile",
    "README.md",
    "children.py",
    "controller.yaml",
    "crd.yaml",
    "deploy/deployment.yaml",
    "deploy/kustomization.yaml",
    "deploy/namespace.yaml",
    "deploy/networkpolicy.yaml",
    "deploy/poddisruptionbudget.yaml",
    "deploy/service.yaml",
    "example.yaml",
    "hook.py",
    "kustomization.yaml",
    "model.py",
    "pyproject.toml",
    "test_hook.py",
]


@pytest.fixture(autouse=True)
def _directory(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.chdir(tmp_path)


def written(folder: str) -> list[str]:
    return sorted(str(file.relative_to(folder)) for file in Path(folder).rglob("*") if file.is_file())


def test_a_project_has_all_its_files_and_the_next_command_is_named() -> None:
    ended = call("new", *SITE)

    assert (ended.code, ended.err) == (0, "")
    assert written("site") == FILES
    assert ended.out.endswith("next: cd site && make test\n")
    assert not list(Path().glob(".site-*"))


def test_the_manifests_of_a_project_fit_together() -> None:
    call("new", *SITE, "-o", "deep/inside")
    folder = Path("deep/inside")
    items = {
        file.name: yaml.safe_load(file.read_text())
        for file in [*folder.glob("*.yaml"), *folder.glob("deploy/*.yaml")]
        if file.name != "kustomization.yaml"
    }
    kustomization = yaml.safe_load((folder / "deploy/kustomization.yaml").read_text())
    url = items["controller.yaml"]["spec"]["hooks"]["sync"]["webhook"]["url"]
    service, pod = items["service.yaml"], items["deployment.yaml"]["spec"]["template"]

    assert url == f"http://{service['metadata']['name']}.{service['metadata']['namespace']}.svc/sync"
    assert service["spec"]["selector"] == pod["metadata"]["labels"]
    assert (
        items["controller.yaml"]["spec"]["parentResource"]["resource"] == items["crd.yaml"]["spec"]["names"]["plural"]
    )
    assert sorted(kustomization["resources"]) == sorted(file.name for file in folder.glob("deploy/[!k]*.yaml"))


def test_the_example_of_a_cluster_scoped_kind_does_not_claim_the_namespace_of_the_hook() -> None:
    call("new", *TENANT, "-o", "it")

    assert yaml.safe_load(Path("it/deploy/namespace.yaml").read_text())["metadata"]["name"] == "acme"
    assert yaml.safe_load(Path("it/example.yaml").read_text())["metadata"]["name"] == "example"


@pytest.mark.parametrize("name", PROJECTS)
def test_the_hook_of_a_project_decides(name: str) -> None:
    call("new", *PROJECTS[name], "-o", "it")
    controller = controller_of(Path("it"))

    response = controller.decide(controller.request(yaml.safe_load(Path("it/example.yaml").read_text())), START)

    assert [child["kind"] for child in response.children] == [struct.KIND.kind for struct in controller.children]


def test_the_children_of_the_example_have_whole_names_however_long_that_of_a_decorator_is() -> None:
    call("new", "l" * 40, *DECORATOR[1:], "-o", "it")
    controller, example = controller_of(Path("it")), yaml.safe_load(Path("it/example.yaml").read_text())

    children = controller.decide(controller.request(example), START).children

    assert {child["metadata"]["name"] for child in children} == {f"{'l' * 11}-{'l' * 40}"}


@pytest.mark.slow
@only_whole
@pytest.mark.parametrize("name", PROJECTS)
def test_the_tests_of_a_project_pass(name: str) -> None:
    call("new", *PROJECTS[name], "-o", "it")

    ended = run("it", "pytest", "-q")

    assert (ended.returncode, ended.stderr) == (0, ""), ended.stdout


@pytest.mark.slow
def test_a_crd_older_than_its_model_is_the_only_error_of_the_tests_of_a_project() -> None:
    call("new", *SITE, "-o", "it")
    model = Path("it/model.py")
    model.write_text(
        model.read_text().replace("class Spec(Struct):", "class Spec(Struct, kw_only=True):\n    new: str\n")
    )

    ended = run("it", "pytest", "-q")

    assert "\ncrd.yaml is not made from model.py: run make generate\n" in ended.stdout
    assert ended.stdout.splitlines()[-1].startswith("1 error in ")


@pytest.mark.slow
@pytest.mark.parametrize("name", short_or_whole(["a decorator"], list(PROJECTS)))
def test_make_check_finds_nothing_in_a_new_project(name: str) -> None:
    call("new", *PROJECTS[name], "-o", "it")
    manifests = [word for file in Path("it").glob("c*.yaml") for word in ("-k", file.name)]
    rest = ["-f", "example.yaml", "--hook", "hook.py:CONTROLLER", "--limit", "300"]

    ended = run("it", "metahook.cli", "check", *manifests, *rest)

    assert (ended.returncode, ended.stderr) == (0, ""), ended.stdout


@pytest.mark.slow
@only_whole
@pytest.mark.parametrize("name", PROJECTS)
def test_the_code_of_a_project_is_tidy(name: str) -> None:
    call("new", *PROJECTS[name], "-o", "it")

    for command in (
        ["ruff", "format", "--check", "--line-length", "120", "."],
        ["ruff", "check", "--line-length", "120", "--select", "E,F,W,I,UP,B,ANN", "."],
        ["mypy", "--strict", "--cache-dir", str(ROOT / ".mypy_cache/new"), "."],
    ):
        ended = run("it", *command)
        assert ended.returncode == 0, ended.stdout


@pytest.mark.parametrize(
    ("arguments", "words"),
    [
        (["Site", *SITE[1:]], "NAME: must be lower case letters, digits and '-'"),
        (["site", "--child", "Service"], "give --parent for objects of a new kind, or --decorate"),
        ([*SITE, "--decorate", "Pod"], "give --parent for objects of a new kind, or --decorate"),
        ([*DECORATOR, "--cluster-scoped"], "--cluster-scoped is for --parent: leave it out"),
        ([*SITE, "--child", "Gadget"], "--child: no template for this kind; choose one of ConfigMap, "),
        ([*SITE, "--child", "v1/Deployment"], "--child: no template for this kind"),
        ([*SITE, "--child", "Namespace"], "--child: a cluster-scoped kind, such as Namespace, needs cluster-scoped"),
        (["it", *TENANT[1:4], "--child", "Role"], "--child: children of a cluster-scoped parent need a namespace"),
        ([*DECORATOR, "--child", "StatefulSet"], "--child: is the kind of --decorate"),
        (["it", "--parent", "v1/Site", "--child", "Role"], "--parent: write GROUP/VERSION/KIND"),
        (["it", "--parent", "apps.k8s.io/v1/Site", "--child", "Role"], "--parent: k8s.io and kubernetes.io are"),
        (["it", "--parent", "example.com/v1/Site"], "Missing option '--child'"),
    ],
)
def test_bad_input_is_one_line_and_nothing_is_written(arguments: list[str], words: str) -> None:
    assert words in problem("new", *arguments)
    assert not list(Path().iterdir())


def test_a_directory_that_has_files_is_not_overwritten_and_an_empty_one_is_filled() -> None:
    Path("site").mkdir()
    assert call("new", *SITE).code == 0

    assert problem("new", *SITE) == "site: exists already; choose another directory with -o"
    Path("file").write_text("")
    assert problem("new", *SITE, "-o", "file") == "file: exists already; choose another directory with -o"
    assert problem("new", *SITE, "-o", "file/in").startswith("file/in: can't be written: ")


@pytest.mark.parametrize(
    ("kind", "word"),
    [
        ("Site", "sites"),
        ("Policy", "policies"),
        ("Gateway", "gateways"),
        ("Ingress", "ingresses"),
        ("Switch", "switches"),
    ],
)
def test_the_plural_is_that_of_kubernetes(kind: str, word: str) -> None:
    assert plural(kind) == word


def ci_command(folder: str) -> list[str]:
    """Return what the hosted CI of the project in *folder* runs."""
    workflow = yaml.safe_load((Path(folder) / ".github/workflows/ci.yml").read_text())
    command: str = workflow["jobs"]["test"]["steps"][-1]["run"]
    return command.split()


def test_ci_runs_the_tests_and_the_check() -> None:
    call("new", *SITE)

    assert ci_command("site") == ["make", "test", "check"]


@pytest.mark.tools
def test_what_ci_runs_passes_in_a_project_within_five_minutes(tmp_path: Path) -> None:
    began = time.monotonic()
    call("new", *SITE)
    make = [*ci_command("site"), f"PYTHON={sys.executable}", f"METAHOOK={ROOT}"]

    ended = subprocess.run(make, cwd=tmp_path / "site", capture_output=True, text=True, check=False, timeout=300)

    assert ended.returncode == 0, ended.stdout + ended.stderr
    assert " passed" in ended.stdout
    assert "no problems" in ended.stdout
    assert time.monotonic() - began < 300
