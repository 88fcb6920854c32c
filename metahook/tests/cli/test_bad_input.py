"""Bad input of ``metahook``: one line with file, place and remedy, exit code 2, and nothing half written."""

import json
import threading
from pathlib import Path

import pytest

from metahook.cli.hooks import remote_hook
from metahook.simulator.hook import Reply
from toolkit.cli.command import problem
from toolkit.cli.served import serving

GREETING = Path(__file__).parents[2] / "examples/greeting"
CONTROLLER = (GREETING / "compositecontroller.yaml").read_text()
CRD = (GREETING / "crd.yaml").read_text()
PARENT = "apiVersion: example.com/v1\nkind: Greeting\nmetadata: {name: hello}\nspec: {text: hi}\n"
HOOK = str(GREETING / "greetings.py")
BOMB = "a0: &a0 [x, x, x, x, x, x, x, x, x, x]\n" + "".join(
    f"a{n}: &a{n} [*a{n - 1}, *a{n - 1}, *a{n - 1}, *a{n - 1}, *a{n - 1}, *a{n - 1}]\n" for n in range(1, 10)
)


@pytest.fixture(name="files", autouse=True)
def _files(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    """Return the working directory, with a controller, a CRD, a parent and a hook."""
    monkeypatch.chdir(tmp_path)
    monkeypatch.setattr("sys.path", [str(tmp_path), *__import__("sys").path])
    Path("controller.yaml").write_text(CONTROLLER)
    Path("crd.yaml").write_text(CRD)
    Path("parent.yaml").write_text(PARENT)
    return tmp_path


def rendered(*more: str, hook: str = HOOK, code: int = 2) -> str:
    options = ("-k", "controller.yaml", "-k", "crd.yaml", "-f", "parent.yaml", "--hook", hook)
    return problem("render", *options, *more, code=code)


WRONG = {
    "an unknown field": (
        "controller.yaml",
        ("timeout: 10s", "timeOut: 10s"),
        "controller.yaml:14: spec.hooks.sync.webhook.timeOut: unknown field; did you mean timeout?",
    ),
    "a field that is nothing like another": (
        "controller.yaml",
        ("generateSelector: true", "zzz: true"),
        "controller.yaml:6: spec.zzz: unknown field; remove it",
    ),
    "a word that is not one of a field": (
        "controller.yaml",
        ("version: v2", "version: v3"),
        "controller.yaml:13: spec.hooks.sync.version: must be one of v1, v2",
    ),
    "a value of another type": (
        "controller.yaml",
        ("resyncPeriodSeconds: 600", "resyncPeriodSeconds: '600'"),
        "controller.yaml:7: spec.resyncPeriodSeconds: must be a whole number",
    ),
    "a field that is missing": (
        "controller.yaml",
        ("apiVersion: v1, resource: configmaps", "resource: configmaps"),
        "controller.yaml:10: spec.childResources[0].apiVersion: missing; add it",
    ),
    "a list that is an object": (
        "controller.yaml",
        ("    - {apiVersion: v1, resource: configmaps, updateStrategy: {method: InPlace}}", "    {}"),
        "controller.yaml:9: spec.childResources: must be a list",
    ),
    "a resource that nothing serves": (
        "controller.yaml",
        ("resource: greetings", "resource: greeting"),
        "controller.yaml:5: no greeting in example.com/v1",
    ),
    "a rolling update": (
        "controller.yaml",
        ("method: InPlace", "method: RollingInPlace"),
        "controller.yaml:10: spec.childResources[0].updateStrategy.method is RollingInPlace, with which Metacontroller",
    ),
    "a CRD without status": (
        "crd.yaml",
        ("      subresources: {status: {}}\n", ""),
        (
            "crd.yaml:10: spec.versions[0] has no status, so Metacontroller ignores the controller; "
            "add subresources: {status: {}}"
        ),
    ),
    "a type that no schema has": (
        "crd.yaml",
        ("text: {type: string", "text: {type: strnig"),
        "the CRD of Greeting: no API server accepts its schema; give the one that you apply",
    ),
    "a CRD without names": ("crd.yaml", ("  names:", "  name:"), "crd.yaml:5: not a CRD: it needs spec.group"),
    "not YAML": ("parent.yaml", ("{text: hi}", "{text: hi"), "parent.yaml:4: not YAML or JSON: a map in brackets that"),
    "no name": ("parent.yaml", ("{name: hello}", "{}"), "parent.yaml:3: a Greeting has no metadata.name; give it one"),
    "no kind": ("parent.yaml", ("kind: Greeting\n", ""), "parent.yaml:1: not a Kubernetes object; each needs"),
    "a parent of another kind": (
        "parent.yaml",
        ("kind: Greeting", "kind: Secret"),
        "parent.yaml: no Greeting of example.com/v1, but a Secret of example.com/v1 (parent.yaml:1); name",
    ),
}


REFUSED = {
    "a name that the API server refuses": (
        "parent.yaml",
        ("name: hello", "name: 5"),
        "parent.yaml:3: Greeting 5: metadata.name: ",
    ),
    "a label that the API server refuses": (
        "parent.yaml",
        ("{name: hello}", "{name: hello, labels: {a: 5}}"),
        "parent.yaml:3: Greeting hello: metadata.labels: must be a map of strings",
    ),
    "another object that the API server refuses": (
        "parent.yaml",
        (
            "spec: {text: hi}\n",
            "spec: {text: hi}\n---\napiVersion: v1\nkind: ConfigMap\nmetadata: {name: a}\ndata: {a: 5}\n",
        ),
        "parent.yaml:9: ConfigMap a: data.a: Invalid value: 5: must be a string",
    ),
    "a value that the CRD refuses": (
        "parent.yaml",
        ("text: hi", "text: 5"),
        "parent.yaml:4: Greeting hello: spec.text: Invalid value: 5: must be of type string",
    ),
    "a text that is too long for the CRD": (
        "parent.yaml",
        ("text: hi", f"text: {'hi' * 600}"),
        f'parent.yaml:4: Greeting hello: spec.text: Invalid value: "{"hi" * 29}h...: must have at most 1000 characters',
    ),
    "a field that is missing in the parent": (
        "parent.yaml",
        ("{text: hi}", "{text: null}"),
        "parent.yaml:4: Greeting hello: spec.text is required",
    ),
    "a field that the CRD lacks": (
        "parent.yaml",
        ("{text: hi}", "{text: hi, txet: hi}"),
        "parent.yaml:4: Greeting hello: spec.txet: unknown field; did you mean text?",
    ),
    "an object that is there twice": (
        "parent.yaml",
        ("spec: {text: hi}\n", f"spec: {{text: hi}}\n---\n{PARENT}"),
        "parent.yaml:6: Greeting hello: the same object as in parent.yaml:1; remove one of them",
    ),
}


@pytest.mark.parametrize(("file", "change", "line"), REFUSED.values(), ids=REFUSED)
def test_what_a_cluster_refuses_is_named_with_its_line(file: str, change: tuple[str, str], line: str) -> None:
    text = Path(file).read_text()
    assert change[0] in text
    Path(file).write_text(text.replace(*change, 1))

    assert rendered(code=1).startswith(line)


@pytest.mark.parametrize(("file", "change", "line"), WRONG.values(), ids=WRONG)
def test_a_wrong_manifest_is_named_with_its_line(file: str, change: tuple[str, str], line: str) -> None:
    text = Path(file).read_text()
    assert change[0] in text
    Path(file).write_text(text.replace(*change))

    assert rendered().startswith(line)


@pytest.mark.parametrize("file", ["controller.yaml", "crd.yaml", "parent.yaml"])
def test_aliases_that_grow_are_refused_at_their_line(file: str) -> None:
    Path(file).write_text(BOMB)

    assert rendered() == f"{file}:6: not YAML or JSON: aliases repeat more than 100000 values; write the values out"


@pytest.mark.parametrize(
    ("arguments", "line"),
    [
        (["-k", "none.yaml"], "none.yaml: no such file or directory; name a file, or - for standard input"),
        (
            ["-k", "crd.yaml"],
            "crd.yaml: no CompositeController of metacontroller.k8s.io/v1alpha1 or DecoratorController",
        ),
        (["-k", "."], "parent.yaml: no such file"),
        (
            ["-k", "controller.yaml", "-k", "other.yaml"],
            "controller.yaml, other.yaml: 2 controllers; choose one with --controller: greeting, other",
        ),
        (
            ["-k", "controller.yaml", "--controller", "third"],
            "controller.yaml: no controller has the name in --controller; choose one of greeting",
        ),
    ],
)
def test_which_manifests_are_missing_or_too_many_is_named(arguments: list[str], line: str) -> None:
    Path("other.yaml").write_text(CONTROLLER.replace("name: greeting", "name: other"))
    if "." in arguments:
        Path("other.yaml").unlink()
        Path("parent.yaml").unlink()

    assert problem("render", "-f", "parent.yaml", "--hook", HOOK, *arguments).startswith(line)


HOOKS = {
    "no file": ("none.py", "", "--hook none.py: no such file; write FILE.py:NAME, MODULE:NAME, or a URL"),
    "no module": ("no_module:X", "", "--hook no_module: no such module; write FILE.py:NAME, MODULE:NAME, or a URL"),
    "a URL without its scheme": ("localhost:3000", "", "--hook localhost: no such module; write FILE.py:NAME, MODULE:"),
    "imports what is not installed": ("bad.py", "import no_module", "--hook bad.py:1: ModuleNotFoundError: "),
    "ends the process": ("bad.py", "import sys; sys.exit(3)", "--hook bad.py:1: SystemExit: 3"),
    "ends the process when it is called": (
        "bad.py",
        (
            "from metahook import Controller\ndef sync(request, now):\n    raise SystemExit(3)\n"
            "HOOK = Controller(sync=sync, children=())\n"
        ),
        "bad.py:3: SystemExit: 3",
    ),
    "no Controller": ("bad.py", "x = 1", "--hook bad.py: name a Controller; it has none; write one as NAME = "),
    "another name": ("bad.py:Y", "x = 1", "--hook bad.py: Y is not a Controller in it; it has none"),
    "not Python": ("bad.py", "x = 1\nx = = 2\n", "--hook bad.py:2: SyntaxError: invalid syntax"),
    "fails": ("bad.py", "\n\nx = {}['key']\n", "--hook bad.py:3: KeyError: 'key'"),
    "raises": (
        "bad.py",
        (
            "from metahook import Controller\ndef sync(request, now):\n    return {}['key']\n"
            "HOOK = Controller(sync=sync, children=())\n"
        ),
        "bad.py:3: KeyError: 'key'",
    ),
}


@pytest.mark.parametrize(("hook", "code", "line"), HOOKS.values(), ids=HOOKS)
def test_a_hook_that_cannot_run_is_named_with_its_line(hook: str, code: str, line: str) -> None:
    if code:
        Path("bad.py").write_text(code)

    assert rendered(hook=hook).startswith(line)


def test_credentials_that_a_hook_in_this_process_does_not_need_are_refused() -> None:
    assert rendered("--token-file", "none").startswith("--hook runs in this process, which needs no certificate and no")


@pytest.mark.parametrize(
    ("hook", "line"),
    [
        ("http://localhost:3000", "HOOK: a hook at a URL is served already; name its --manifests to see it in a page"),
        ("none.py", "HOOK none.py: no such file; write FILE.py:NAME or MODULE:NAME"),
    ],
)
def test_what_dev_cannot_serve_is_named(hook: str, line: str) -> None:
    assert problem("dev", hook) == line


def test_a_comparison_needs_two_files_and_simulate_a_time() -> None:
    options = ("-k", "controller.yaml", "-k", "crd.yaml", "--hook", HOOK)

    assert problem("diff", "-", "-", *options).startswith("OLD and NEW are both standard input; name a file for one")
    assert problem("simulate", "-f", "parent.yaml", *options, "--until", "ready").endswith("10m or 1h, or quiet")


def test_a_change_that_the_crd_refuses_is_named() -> None:
    options = ("-k", "controller.yaml", "-k", "crd.yaml", "--hook", HOOK, "-f", "parent.yaml")

    refused = [problem("simulate", *options, "--set", change, code=1) for change in ("text=[]", "a=b")]
    assert refused == ["--set text: spec.text: must be of type string", "--set a: spec.a: unknown field; remove it"]


def test_a_child_that_the_api_server_keeps_refusing_is_not_compared() -> None:
    Path("bad.py").write_text(
        "from metahook import ConfigMap, Controller, SyncResponse\n"
        "def sync(request, now):\n"
        "    child = {'apiVersion': 'v1', 'kind': 'ConfigMap', 'metadata': {'name': 'a'}, 'data': {'a': 5}}\n"
        "    return SyncResponse({'state': 'Ready'}, [child])\n"
        "HOOK = Controller(sync, (ConfigMap,))\n"
    )
    options = ("-k", "controller.yaml", "-k", "crd.yaml", "--hook", "bad.py")

    assert problem("diff", "parent.yaml", "parent.yaml", *options) == (
        "parent.yaml: Greeting hello: can't apply ConfigMap a: data.a: must be a string; "
        "see what happens with: metahook simulate"
    )


ANSWERS = {
    "HTML": (200, b"<html>", "--hook: sync returns something that is not JSON; give the URL of a hook"),
    "500": (500, b"{}", "--hook: sync returns status 500; see the log of the hook, or give the URL of a hook"),
    "401": (401, b"{}", "--hook: sync returns status 401; name the file with its token with --token-file"),
    "NaN": (
        200,
        b'{"status": {"share": NaN}}',
        "--hook: sync returns NaN or Infinity, which JSON does not have; leave the field out",
    ),
    "404": (
        404,
        b"",
        "--hook: sync returns status 404; correct the path of this hook in the controller's manifest, or the URL",
    ),
    "50 MB": (200, b"x" * 50_000_000, "--hook: more than 16 MiB in the answer from http://127.0.0.1:"),
}


@pytest.mark.parametrize("command", ["check", "render", "simulate"])
@pytest.mark.parametrize(("status", "body", "line"), ANSWERS.values(), ids=ANSWERS)
def test_what_is_no_answer_of_a_hook_is_named(command: str, status: int, body: bytes, line: str) -> None:
    with serving(lambda _: Reply(status, body)) as url:
        found = problem(command, "-k", "controller.yaml", "-k", "crd.yaml", "-f", "parent.yaml", "--hook", url)

    assert found.startswith(line)


def test_a_hook_that_is_down_or_late_is_named_with_its_url(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(remote_hook, "TIMEOUT", 0.2)
    released = threading.Event()

    def answer(_: bytes) -> Reply:
        released.wait(10)
        return Reply(200, b"{}")

    with serving(answer) as url:
        late = rendered(hook=url)
        released.set()

    assert late == f"--hook: no answer from {url}/sync within 0 s; start the hook there, or give its URL"
    assert rendered(hook=url) == f"--hook: no answer from {url}/sync; start the hook there, or give its URL"


RECORDINGS = {
    "cut off": (b'{"path": "/sync", "request": {"parent": {"meta', "rec/1.json:1: not YAML or JSON: "),
    "empty": (b"", "rec: no recording; give what metahook record wrote, or a request's body"),
    "another object": (b'{"kind": "Secret"}', "rec/1.json: not a hook request; give what metahook record wrote"),
    "a parent that is a number": (b'{"parent": 5}', "rec/1.json: not a hook request: its parent is no object; give"),
    "no parent": (b'{"request": {}}', "rec/1.json: not a hook request: it has no parent; give what metahook record"),
    "without values": (
        (
            b'{"path": "/sync", "status": 200, "redacted": true, "request": {"parent": {}, "children": {}}, '
            b'"response": {"children": [], "status": {}}}'
        ),
        "rec/1.json: placeholders are in place of the texts of the response; record with --values, or compare with",
    ),
    "no name": (b'{"parent": {}, "children": {}}', "rec/1.json: not a hook request: parent.metadata is missing; give"),
}


@pytest.mark.parametrize(("content", "line"), RECORDINGS.values(), ids=RECORDINGS)
def test_a_recording_that_is_damaged_is_named(content: bytes, line: str) -> None:
    Path("rec").mkdir()
    Path("rec/1.json").write_bytes(content)

    assert problem("replay", "rec", "--hook", HOOK).startswith(line)


def test_a_damaged_recording_among_others_ends_the_replay_before_it_prints() -> None:
    Path("rec").mkdir()
    request = {"parent": {**json.loads("{}"), "metadata": {"name": "a", "namespace": "b", "uid": "c"}}, "children": {}}
    Path("rec/1.json").write_text(json.dumps({"path": "/sync", "request": request, "response": {}, "status": 200}))
    Path("rec/2.json").write_text('{"path":')

    assert problem("replay", "rec", "--hook", HOOK).startswith("rec/2.json:1: ")


def test_another_version_of_a_hook_to_compare_with_is_named_by_its_url() -> None:
    Path("1.json").write_text('{"parent": {}, "children": {}}')

    found = problem("replay", "1.json", "--hook", HOOK, "--against", HOOK)

    assert found == "--against: not the URL of a hook; write it as http://127.0.0.1:8080"


def test_a_hook_that_is_called_in_a_loop_is_not_rendered() -> None:
    Path("growing.py").write_text(
        "from metahook import ConfigMap, Controller, SyncResponse\n"
        "def sync(request, now):\n"
        "    count = len(request.children.all(ConfigMap)) + 1\n"
        "    names = [f'a{number}' for number in range(count)]\n"
        "    children = [{'apiVersion': 'v1', 'kind': 'ConfigMap', 'metadata': {'name': name}} for name in names]\n"
        "    return SyncResponse({'state': 'Made'}, children)\n"
        "HOOK = Controller(sync, (ConfigMap,))\n"
    )
    options = ("-k", "controller.yaml", "-k", "crd.yaml", "--hook", "growing.py")

    said = problem("render", "-f", "parent.yaml", *options)

    assert said.startswith("the cluster does not become quiet: stopped after ")
    assert said.endswith("more children than the one before; see what happens with: metahook simulate")
