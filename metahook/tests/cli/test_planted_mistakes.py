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

PROJECTS = {"site": SITE, "workloads": WORKLOADS, "tenant": TENANT, "finalizing": FINALIZING, "decorator": DECORATOR}

Mistakes = dict[tuple[str, str], dict[str, tuple[str, str]]]
"""Of a project and a file of it, the mistakes: a text in the file, and the wrong text in its place."""

FOUND_BY_TESTS: Mistakes = {
    ("site", "children.py"): {
        "replicas are ignored": ('"replicas": spec.replicas', '"replicas": 1'),
        "the port is ignored": ('"targetPort": spec.port', '"targetPort": 8080'),
        "the image is ignored": ("_pod(spec.image)", '_pod("registry.k8s.io/pause:3.10")'),
        "one replica too many": ('"replicas": spec.replicas', '"replicas": spec.replicas + 1'),
        "a field in another's place": ('"targetPort": spec.port', '"targetPort": spec.replicas'),
        "a random value": ('"replicas": spec.replicas', '"replicas": id(object()) % 7'),
        "no Pods are selected": ('{"selector": labels, "ports"', '{"selector": {"app": "web"}, "ports"'),
        "labels of all parents": ('{"app": parent.name}', '{"app": "site"}'),
        "one name for all parents": ('"name": parent.name', '"name": "site"'),
        "a child is missing": (", service(parent, spec)]", "]"),
    },
    ("site", "hook.py"): {
        "children of an invalid spec are deleted": (", kept=request.children.kept()", ""),
        "an invalid spec is in progress": ('"InvalidSpec"', '"Progressing"'),
        "always ready": ('"Ready" if is_ready else "Progressing"', '"Ready"'),
        "never ready": ('"Ready" if is_ready else "Progressing"', '"Progressing"'),
        "ready during a rollout": ("is_ready and rolled_out", "is_ready or rolled_out"),
        "ready with one child of two": ("child in children)", "child in children[:1])"),
        "ready with old children": (
            "drifted_field(child, request.children)",
            "request.children.observed(child) is None",
        ),
    },
    ("workloads", "hook.py"): {
        "ready before the Pods of a StatefulSet": (" and stateful_set.is_ready", ""),
    },
    ("workloads", "children.py"): {
        "ready by what a StatefulSet was": ("return is_observed and ", "return "),
        "the schedule is ignored": ('"schedule": spec.schedule', '"schedule": "0 3 * * *"'),
        "the size is ignored": ('"storage": spec.size', '"storage": "1Gi"'),
        "the host is ignored": ('"host": spec.host', '"host": "www.example.com"'),
        "an Ingress of another Service": ('{"service": {"name": parent.name', '{"service": {"name": "web"'),
    },
    ("site", "model.py"): {
        "a condition without its generation": (", generation=generation)", ", generation=0)"),
        "the status True for any reason": ('"True" if reason == "Ready" else "False"', '"True"'),
        "a field that no child has": ("class Status(", 'class Spec(Spec):\n    owner: str = ""\n\n\nclass Status('),
    },
    ("tenant", "children.py"): {
        "the user is ignored": ('"name": spec.user', '"name": "jane"'),
        "the quota is ignored": ("str(spec.pods)", '"10"'),
        "another Role is bound": ('"kind": "Role", "name": parent.name', '"kind": "Role", "name": "x"'),
        "one namespace for all tenants": ('f"tenant-{parent.name}"', '"tenant-example"'),
    },
    ("finalizing", "children.py"): {
        "the text is ignored": ('{"text": spec.text}', '{"text": "hello"}'),
        "a text that is encoded twice": ("spec.text.encode()", "b64encode(spec.text.encode())"),
    },
    ("finalizing", "hook.py"): {
        "a parent that goes before its children": ("finalized=is_done", "finalized=True"),
        "a parent that never goes": ("finalized=is_done", "finalized=False"),
        "finalize is not in the controller": (", finalize=finalize", ""),
    },
    ("decorator", "children.py"): {
        "Pods of another StatefulSet": ('_selector(parent).get("matchLabels", {})', '{"app": parent.name + "-0"}'),
        "the name of the decorated object": ('"name": _name(parent)', '"name": parent.name'),
        "one name for all objects": ('"name": _name(parent)', '"name": "db-db"'),
        "a long name that stays": ("[-a-z0-9]{1,52}", "[-.a-z0-9]{1,253}"),
        "a long name that is only cut": ("sha256(name.encode()).hexdigest()[:8]", "'cut'"),
        "an attachment is missing": (", pod_disruption_budget(parent)]", "]"),
    },
    ("decorator", "controller.yaml"): {
        "each object in the cluster": ("labelSelector: {matchLabels: {db: enabled}}", "labelSelector: {}"),
    },
}

FOUND_BY_CHECK: Mistakes = {
    ("site", "controller.yaml"): {
        "children that are never updated": (
            "resource: services, updateStrategy: {method: InPlace}",
            "resource: services",
        ),
        "a kind that is not in the manifest": (
            "    - {apiVersion: v1, resource: services, updateStrategy: {method: InPlace}}\n",
            "",
        ),
    },
    ("site", "children.py"): {
        "a value that the API server stores otherwise": ('"128Mi"', '"131072Ki"'),
        "a misspelt field of a child": ('"targetPort"', '"targetport"'),
    },
    ("finalizing", "controller.yaml"): {
        "a hook that no URL calls": ("    finalize:", "    finalise:"),
    },
}

GENERATE = "import model, yaml; open('crd.yaml', 'w').write(yaml.safe_dump(model.CRD))"
"""What ``make generate`` runs."""

SHORT = ["replicas are ignored", "children of an invalid spec are deleted", "one name for all objects"]


@pytest.fixture(autouse=True)
def _directory(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.chdir(tmp_path)


def names(mistakes: Mistakes) -> list[str]:
    return [name for texts in mistakes.values() for name in texts]


def plant(mistakes: Mistakes, name: str) -> None:
    """Write a project to the directory ``it``, with the mistake *name* in it."""
    ((project, file, text, wrong),) = ((*place, *texts[name]) for place, texts in mistakes.items() if name in texts)
    call("new", *PROJECTS[project], "-o", "it")
    path = Path("it", file)
    assert text in path.read_text()
    path.write_text(path.read_text().replace(text, wrong))
    if file == "model.py":
        subprocess.run([sys.executable, "-c", GENERATE], cwd="it", check=True)


@pytest.mark.slow
@pytest.mark.parametrize("name", short_or_whole(SHORT, names(FOUND_BY_TESTS)))
def test_the_tests_of_a_project_notice_a_mistake(name: str) -> None:
    plant(FOUND_BY_TESTS, name)

    ended = run("it", "pytest", "-q", "-x")

    assert ended.returncode == 1, ended.stdout
    assert "failed" in ended.stdout
    assert " error" not in ended.stdout


@pytest.mark.slow
@pytest.mark.parametrize("name", short_or_whole(names(FOUND_BY_CHECK)[:1], names(FOUND_BY_CHECK)))
def test_make_check_notices_a_mistake(name: str) -> None:
    plant(FOUND_BY_CHECK, name)
    manifests = [word for file in Path("it").glob("c*.yaml") for word in ("-k", file.name)]
    only = short_or_whole(["--only", "manifests"], [])
    rest = ["-f", "example.yaml", "--hook", "hook.py:CONTROLLER", *only]

    ended = run("it", "metahook.cli", "check", *manifests, *rest)

    assert ended.returncode == 1, ended.stdout + ended.stderr
