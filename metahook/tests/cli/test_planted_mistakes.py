"""Mistakes in the hooks of projects of ``metahook new``: the project's own tests, or ``make check``, notice each."""

import subprocess
import sys
from pathlib import Path

import pytest

from toolkit.cli.command import call
from toolkit.cli.projects import DECORATOR, FINALIZING, SITE, TENANT, run
from toolkit.slow import short_or_whole

WORKLOADS = ["work", "--parent", "example.com/v1/Work", "--child", "StatefulSet", "--child", "CronJob"]
WORKLOADS += [word for kind in ("Service", "Ingress", "PersistentVolumeClaim") for word in ("--child", kind)]

Mistake = tuple[list[str], str, str, str]
"""A project, a file of it, a text in the file, and the wrong text in its place."""

FOUND_BY_TESTS: dict[str, Mistake] = {
    "replicas are ignored": (SITE, "children.py", '"replicas": spec.replicas', '"replicas": 1'),
    "the port is ignored": (SITE, "children.py", '"targetPort": spec.port', '"targetPort": 8080'),
    "the image is ignored": (SITE, "children.py", "_pod(spec.image)", '_pod("registry.k8s.io/pause:3.10")'),
    "one replica too many": (SITE, "children.py", '"replicas": spec.replicas', '"replicas": spec.replicas + 1'),
    "a field in another's place": (SITE, "children.py", '"targetPort": spec.port', '"targetPort": spec.replicas'),
    "a random value": (SITE, "children.py", '"replicas": spec.replicas', '"replicas": id(object()) % 7'),
    "no Pods are selected": (
        SITE,
        "children.py",
        '{"selector": labels, "ports"',
        '{"selector": {"app": "web"}, "ports"',
    ),
    "labels of all parents": (SITE, "children.py", '{"app": parent.name}', '{"app": "site"}'),
    "one name for all parents": (SITE, "children.py", '"name": parent.name', '"name": "site"'),
    "children of an invalid spec are deleted": (SITE, "hook.py", ", kept=request.children.kept()", ""),
    "an invalid spec is in progress": (SITE, "hook.py", '"InvalidSpec"', '"Progressing"'),
    "always ready": (SITE, "hook.py", '"Ready" if is_ready else "Progressing"', '"Ready"'),
    "never ready": (SITE, "hook.py", '"Ready" if is_ready else "Progressing"', '"Progressing"'),
    "ready during a rollout": (SITE, "hook.py", "is_ready and rolled_out", "is_ready or rolled_out"),
    "ready with one child of two": (SITE, "hook.py", "child in children)", "child in children[:1])"),
    "ready before the Pods of a StatefulSet": (WORKLOADS, "hook.py", " and stateful_set.is_ready", ""),
    "ready by what a StatefulSet was": (WORKLOADS, "children.py", "return is_observed and ", "return "),
    "ready with old children": (
        SITE,
        "hook.py",
        "drifted_field(child, request.children)",
        "request.children.observed(child) is None",
    ),
    "a child is missing": (SITE, "children.py", ", service(parent, spec)]", "]"),
    "a condition without its generation": (SITE, "model.py", ", generation=generation)", ", generation=0)"),
    "the status True for any reason": (SITE, "model.py", '"True" if reason == "Ready" else "False"', '"True"'),
    "a CRD of another model": (SITE, "crd.yaml", "maximum: 65535", "maximum: 70000"),
    "a field that no child has": (
        SITE,
        "model.py",
        "class Status(",
        'class Spec(Spec):\n    owner: str = ""\n\n\nclass Status(',
    ),
    "the schedule is ignored": (WORKLOADS, "children.py", '"schedule": spec.schedule', '"schedule": "0 3 * * *"'),
    "the size is ignored": (WORKLOADS, "children.py", '"storage": spec.size', '"storage": "1Gi"'),
    "the host is ignored": (WORKLOADS, "children.py", '"host": spec.host', '"host": "www.example.com"'),
    "an Ingress of another Service": (
        WORKLOADS,
        "children.py",
        '{"service": {"name": parent.name',
        '{"service": {"name": "web"',
    ),
    "the user is ignored": (TENANT, "children.py", '"name": spec.user', '"name": "jane"'),
    "the quota is ignored": (TENANT, "children.py", "str(spec.pods)", '"10"'),
    "another Role is bound": (
        TENANT,
        "children.py",
        '"kind": "Role", "name": parent.name',
        '"kind": "Role", "name": "x"',
    ),
    "one namespace for all tenants": (TENANT, "children.py", 'f"tenant-{parent.name}"', '"tenant-example"'),
    "the text is ignored": (FINALIZING, "children.py", '{"text": spec.text}', '{"text": "hello"}'),
    "a text that is encoded twice": (FINALIZING, "children.py", "spec.text.encode()", "b64encode(spec.text.encode())"),
    "a parent that goes before its children": (FINALIZING, "hook.py", "finalized=is_done", "finalized=True"),
    "a parent that never goes": (FINALIZING, "hook.py", "finalized=is_done", "finalized=False"),
    "finalize is not in the controller": (FINALIZING, "hook.py", ", finalize=finalize", ""),
    "Pods of another StatefulSet": (
        DECORATOR,
        "children.py",
        '_selector(parent).get("matchLabels", {})',
        '{"app": parent.name + "-0"}',
    ),
    "the name of the decorated object": (DECORATOR, "children.py", '"name": _name(parent)', '"name": parent.name'),
    "one name for all objects": (DECORATOR, "children.py", '"name": _name(parent)', '"name": "db-db"'),
    "a long name that stays": (DECORATOR, "children.py", "[-a-z0-9]{1,52}", "[-.a-z0-9]{1,253}"),
    "a long name that is only cut": (DECORATOR, "children.py", "sha256(name.encode()).hexdigest()[:8]", "'cut'"),
    "an attachment is missing": (DECORATOR, "children.py", ", pod_disruption_budget(parent)]", "]"),
    "each object in the cluster": (
        DECORATOR,
        "controller.yaml",
        "labelSelector: {matchLabels: {db: enabled}}",
        "labelSelector: {}",
    ),
}

FOUND_BY_CHECK: dict[str, Mistake] = {
    "children that are never updated": (
        SITE,
        "controller.yaml",
        "resource: services, updateStrategy: {method: InPlace}",
        "resource: services",
    ),
    "a kind that is not in the manifest": (
        SITE,
        "controller.yaml",
        "    - {apiVersion: v1, resource: services, updateStrategy: {method: InPlace}}\n",
        "",
    ),
    "a value that the API server stores otherwise": (SITE, "children.py", '"128Mi"', '"131072Ki"'),
    "a hook that no URL calls": (FINALIZING, "controller.yaml", "    finalize:", "    finalise:"),
    "a misspelt field of a child": (SITE, "children.py", '"targetPort"', '"targetport"'),
}

GENERATE = "import model, yaml; open('crd.yaml', 'w').write(yaml.safe_dump(model.CRD))"
"""What ``make generate`` runs."""

SHORT = ["replicas are ignored", "children of an invalid spec are deleted", "one name for all objects"]


@pytest.fixture(autouse=True)
def _directory(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.chdir(tmp_path)


def plant(mistake: Mistake) -> None:
    """Write the project of *mistake* to the directory ``it``, with the mistake in it."""
    project, file, text, wrong = mistake
    call("new", *project, "-o", "it")
    path = Path("it", file)
    assert text in path.read_text()
    path.write_text(path.read_text().replace(text, wrong))
    if file == "model.py":
        subprocess.run([sys.executable, "-c", GENERATE], cwd="it", check=True)


@pytest.mark.slow
@pytest.mark.parametrize("name", short_or_whole(SHORT, list(FOUND_BY_TESTS)))
def test_the_tests_of_a_project_notice_a_mistake(name: str) -> None:
    plant(FOUND_BY_TESTS[name])

    ended = run("it", "pytest", "-q", "-x")

    assert ended.returncode == 1, ended.stdout
    assert "failed" in ended.stdout
    assert " error" not in ended.stdout


@pytest.mark.slow
@pytest.mark.parametrize("name", short_or_whole(list(FOUND_BY_CHECK)[:2], list(FOUND_BY_CHECK)))
def test_make_check_notices_a_mistake(name: str) -> None:
    plant(FOUND_BY_CHECK[name])
    manifests = [word for file in Path("it").glob("c*.yaml") for word in ("-k", file.name)]

    ended = run("it", "metahook.cli", "check", *manifests, "-f", "example.yaml", "--hook", "hook.py:CONTROLLER")

    assert ended.returncode == 1, ended.stdout + ended.stderr
