"""``myresource import``: what it reads, prints and says, and its exit code."""

import io
from pathlib import Path

import pytest
import yaml

from app.cli.bound import problems
from app.cli.import_ import _path
from app.cli.importing.comparison import Weight
from metahook.cli.files.manifests import manifests_in
from tests.cli.command import assert_one_line, call
from tests.cli.importing.given import container, deployment, result_of, service
from tests.requests.builders import Json


def file_with(folder: Path, *objects: Json) -> str:
    file = folder / "old.yaml"
    file.write_text(yaml.safe_dump_all(objects))
    return str(file)


def test_it_prints_a_my_resource_that_is_valid(tmp_path: Path) -> None:
    ended = call("import", "-f", file_with(tmp_path, deployment()))

    assert (ended.code, ended.err) == (0, "")
    (printed,) = yaml.safe_load_all(ended.out)
    assert problems(printed) == []
    assert ended.out == (
        "---\n"
        "# From Deployment shop. The new one is shop-deployment, and selects its Pods by myresource: shop.\n"
        "apiVersion: mygroup.example.com/v1alpha1\nkind: MyResource\nmetadata:\n  name: shop\n"
        "spec:\n  image: shop:1\n  podMetadata:\n    labels:\n      app: shop\n"
    )


def test_what_is_left_out_is_on_standard_error_with_its_place(tmp_path: Path) -> None:
    file = file_with(tmp_path, deployment(pod={"hostNetwork": True}), deployment(name="other"))
    line = Path(file).read_text().splitlines().index("      hostNetwork: true") + 1

    ended = call("import", "-f", file)

    assert ended.code == 1
    assert ended.err == (
        f"myresource: {file}:{line}: Deployment shop: left out: spec.template.spec.hostNetwork: "
        "it opens the node to the Pod\n"
    )
    assert [each["metadata"]["name"] for each in yaml.safe_load_all(ended.out)] == ["shop", "other"]


def test_a_deployment_that_needs_a_choice_is_left_out_and_the_others_are_not(tmp_path: Path) -> None:
    file = file_with(tmp_path, deployment(container("a"), container("b")), deployment(name="other"))

    ended = call("import", "-f", file)
    chosen = call("import", "-f", file, "--container", "b")
    unknown = call("import", "-f", file, "--container", "b", "--container", "x")
    both = call("import", "-f", file, "--container", "b", "--container", "a")

    assert (ended.code, chosen.code) == (1, 0)
    assert "choose that of the application with --container" in ended.err
    assert [each["spec"]["image"] for each in yaml.safe_load_all(chosen.out)] == ["b:1", "shop:1"]
    assert "choose only that of the application with --container" in both.err
    assert (unknown.code, unknown.out) == (2, "")
    assert "--container x: no Deployment has a container of this name" in unknown.err


def test_a_deployment_of_an_old_group_needs_no_selector(tmp_path: Path) -> None:
    old = {**deployment(), "apiVersion": "extensions/v1beta1"}
    del old["spec"]["selector"]

    ended = call("import", "-f", file_with(tmp_path, old))

    assert (ended.code, ended.err, yaml.safe_load(ended.out)["metadata"]) == (0, "", {"name": "shop"})


@pytest.mark.parametrize(
    ("objects", "said"),
    [
        ([deployment(), deployment()], "the same object as in"),
        ([deployment(), service("shop"), service("shop")], "the same object as in"),
        ([deployment(), deployment(name="shop-deployment", labels={"myresource": "shop"})], "becomes MyResource shop"),
        ([{**deployment(), "apiVersion": "apps/v2"}], "did you mean Deployment of apps/v1?"),
        ([deployment(), {**deployment(name="a"), "kind": "Deploymnet"}], "did you mean Deployment of apps/v1?"),
    ],
    ids=["the same Deployment", "the same Service", "the same MyResource", "no such version", "misspelt beside one"],
)
def test_what_is_there_twice_or_misspelt_is_refused(objects: list[Json], said: str, tmp_path: Path) -> None:
    ended = call("import", "-f", file_with(tmp_path, *objects))

    assert ended.code == 2
    assert said in ended.err


def test_what_helm_writes_of_its_release_is_neither_kept_nor_a_difference(tmp_path: Path) -> None:
    release = {"meta.helm.sh/release-name": "shop", "meta.helm.sh/release-namespace": "default"}
    objects = [deployment(), service("shop", {"port": 80})]
    for each in objects:
        each["metadata"] |= {"annotations": release, "labels": {"app.kubernetes.io/managed-by": "Helm"}}

    ended = call("import", "-f", file_with(tmp_path, *objects))

    assert (ended.code, ended.err) == (0, "")
    assert "elm" not in "".join(line for line in ended.out.splitlines() if not line.startswith("#"))


@pytest.mark.parametrize("text", ["spec:\n  replicas: {{ .Values.n }}\n", "{{- if .a }}\nspec: 1\n{{- end }}\n"])
def test_a_template_of_helm_is_called_one(text: str, tmp_path: Path) -> None:
    (tmp_path / "old.yaml").write_text(text)

    ended = call("import", "-f", str(tmp_path / "old.yaml"))

    assert ended.code == 2
    assert "a template of Helm; write what it becomes into a file, with helm template" in ended.err


def test_check_names_the_differences_instead(tmp_path: Path) -> None:
    file = file_with(tmp_path, deployment(pod={"hostNetwork": True, "serviceAccountName": "robot"}))

    ended = call("import", "-f", file, "--check")

    always, token = result_of(deployment()).said[Weight.ALWAYS], "no token of ServiceAccount robot is mounted"
    assert ended.code == 1
    assert "hostNetwork" in ended.err
    assert len(always) == 5
    assert ended.out.splitlines() == [f"{file}:1: Deployment shop: {said}" for said in (*always[:-1], token)]


def test_a_line_end_in_a_name_does_not_end_a_comment(tmp_path: Path) -> None:
    odd = deployment(container(), container("a\nspec: {image: evil:1}"))

    ended = call("import", "-f", file_with(tmp_path, odd), "--container", "shop")

    assert yaml.safe_load(ended.out)["spec"]["image"] == "shop:1"


def test_it_reads_lists_of_standard_input_and_names_other_kinds(monkeypatch: pytest.MonkeyPatch) -> None:
    others = [{"apiVersion": "v1", "kind": "ConfigMap", "metadata": {"name": "a"}}]
    items = [deployment(container(ports=[{"containerPort": 80}])), service(), *others]
    text = yaml.safe_dump({"apiVersion": "v1", "kind": "List", "items": items})
    monkeypatch.setattr("sys.stdin", io.StringIO(text))

    ended = call("import", "-f", "-")

    assert ended.code == 0
    assert ended.err.endswith("ConfigMap a: not imported: it is no part of a MyResource\n")
    assert yaml.safe_load(ended.out)["spec"]["ports"] == [{"containerPort": 80}]


def test_what_the_pods_use_is_printed_after_it_and_simulate_takes_all_of_it(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    config = {"apiVersion": "v1", "kind": "ConfigMap", "metadata": {"name": "config"}, "data": {"a": "1"}}
    claim = {
        "apiVersion": "v1",
        "kind": "PersistentVolumeClaim",
        "metadata": {"name": "data"},
        "spec": {"accessModes": ["ReadWriteOnce"], "resources": {"requests": {"storage": "1Gi"}}},
    }
    account = {"apiVersion": "v1", "kind": "ServiceAccount", "metadata": {"name": "robot"}}
    elsewhere = {**config, "metadata": {"name": "config", "namespace": "other"}}
    role = {"apiVersion": "rbac.authorization.k8s.io/v1", "kind": "Role", "metadata": {"name": "r"}, "rules": []}
    pod = {"serviceAccountName": "robot", "volumes": [{"name": "d", "persistentVolumeClaim": {"claimName": "data"}}]}
    shop = deployment(container(envFrom=[{"configMapRef": {"name": "config"}}]), pod=pod)
    other = deployment(container(envFrom=[{"configMapRef": {"name": "config"}}]), name="other")

    ended = call("import", "-f", file_with(tmp_path, config, elsewhere, role, shop, account, claim, other))

    printed = list(yaml.safe_load_all(ended.out))
    assert [each["kind"] for each in printed] == ["MyResource", *PASSED_ON, "MyResource"]
    assert printed[1:4] == [config, account, claim]
    assert ended.code == 0
    assert [line.split(": ", 2)[2] for line in ended.err.splitlines()] == [
        "ConfigMap config: not imported: it is no part of a MyResource",
        "Role r: not imported: it is no part of a MyResource",
    ]
    monkeypatch.setattr("sys.stdin", io.StringIO(ended.out))
    assert call("simulate", "-f", "-", "--speed", "0").code == 0


PASSED_ON = ["ConfigMap", "ServiceAccount", "PersistentVolumeClaim"]


@pytest.mark.parametrize(
    ("changes", "words"),
    [
        ({"kind": "StatefulSet"}, ["but a StatefulSet of apps/v1 (", "a MyResource can only replace a Deployment"]),
        ({"kind": "Deploymnt"}, [":2: nothing serves Deploymnt of apps/v1; did you mean Deployment of apps/v1?"]),
        ({"apiVersion": "app/v1"}, ["nothing serves Deployment of app/v1; did you mean Deployment of apps/v1?"]),
        ({"apiVersion": "v1", "kind": "Service"}, ["no Deployment of apps/v1, but a Service of v1 (", "name a file"]),
    ],
)
def test_without_a_deployment_it_says_what_there_is_and_what_is_meant(
    tmp_path: Path, changes: Json, words: list[str]
) -> None:
    file = file_with(tmp_path, {**deployment(), **changes})

    assert_one_line(call("import", "-f", file), 2, file, *words)


def test_a_service_of_another_namespace_is_not_its_own(tmp_path: Path) -> None:
    elsewhere = service()
    elsewhere["metadata"]["namespace"] = "other"

    ended = call("import", "-f", file_with(tmp_path, deployment(), elsewhere))

    assert "ports" not in yaml.safe_load(ended.out)["spec"]


@pytest.mark.parametrize(
    ("objects", "words"),
    [
        ([service()], ["no Deployment", "name a file that has one"]),
        (
            [{**deployment(), "spec": {"template": {"spec": {"containers": "x"}}}}],
            ["not a Deployment that an API server"],
        ),
        ([deployment(), {**service(), "spec": {"ports": 80}}], ["not a Service that an API server accepts"]),
        ([{**deployment(), "metadata": {}}], ["has no metadata.name"]),
    ],
)
def test_what_cannot_be_read_is_one_line_and_code_2(tmp_path: Path, objects: list[Json], words: list[str]) -> None:
    assert_one_line(call("import", "-f", file_with(tmp_path, *objects)), 2, *words)


@pytest.mark.parametrize(
    ("sentence", "line"),
    [
        ("spec.template.spec.containers[main].ports[53/UDP].hostPort: it opens the node", 7),
        ("spec.template.spec.containers[0].tty must be true or false", 4),
        ("spec.template.spec.containers[none].tty: a MyResource has no field for it", 3),
        ("metadata.labels.a.b/c: a MyResource has no field for it", 2),
        ("its containers are main, side: choose", 1),
    ],
)
def test_a_sentence_has_the_line_of_the_field_that_it_is_about(sentence: str, line: int) -> None:
    text = (
        "kind: Deployment\nmetadata: {labels: {team: web}, name: web}\nspec: {template: {spec: {containers: [\n"
        "  {name: other, tty: true},\n  {\n    name: main,\n"
        "    ports: [{containerPort: 53, protocol: UDP, hostPort: 53}],\n  }\n]}}}\napiVersion: apps/v1\n"
    )
    (manifest,) = manifests_in(text, "old.yaml")

    assert manifest.line_of(*_path(manifest, sentence)) == line
