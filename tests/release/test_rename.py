"""A clone becomes the operator of another kind, or is left as it is, with a sentence that says why."""

import shutil
from pathlib import Path

import pytest

from release.names import Cluster, Names
from release.rename import LEFT_ALONE, OF_THE_OPERATOR, ROOT, NotRenamable, Words, is_renamed, rename
from tests.release.test_source import commit, committed

WEB_APP = Names.of("apps.acme.io", "WebApp")
LONG = "InternalWebApplicationInstance"
KINDS = "metahook/src/metahook/simulator/apiserver/built_in_kinds.json"
FILES = {
    "app/api/names.py": 'GROUP = "mygroup.example.com"\nKIND = "MyResource"\nSHORT_NAME = "myr"\n',
    "charts/myresource-operator/run": "myresource render -f examples/hooks/myresource/hi.yaml",
    "metahook/docs/from-controller-runtime.md": "MyResource web",
    "metahook/docs/port-your-reconciler.md": "MyResource web",
    "CHANGELOG.md": "A MyResource: [kept](docs/a.md#delete-a-myresource), [told](docs/myresources.md)",
    "LICENSE": "MyResource",
    "pyproject.toml": "ignore = [\n]\n",
    ".github/workflows/renamed.yml": "run: make rename",
}


@pytest.fixture(name="clone")
def _clone(tmp_path: Path) -> Path:
    """Return a clone with some files."""
    (tmp_path / "charts/myresource-operator").mkdir(parents=True)
    (tmp_path / "charts/myresource-operator/run").touch(0o755)
    (tmp_path / "logo.png").write_bytes(b"\xff MyResource")
    (tmp_path / KINDS).parent.mkdir(parents=True)
    shutil.copy(ROOT / KINDS, tmp_path / KINDS)
    return committed(tmp_path, FILES)


def files(folder: Path) -> dict[str, bytes]:
    paths = [path for path in folder.rglob("*") if path.is_file() and ".git" not in path.relative_to(folder).parts]
    return {str(path.relative_to(folder)): path.read_bytes() for path in paths}


def test_contents_and_paths_are_renamed_and_what_is_not_the_operators_is_left_alone(clone: Path) -> None:
    kept = {"metahook/docs/port-your-reconciler.md", "LICENSE", "pyproject.toml"}
    rename(clone, WEB_APP)

    found = {path: content.decode() for path, content in files(clone).items() if path not in {KINDS, "logo.png"}}
    assert found == {
        "app/api/names.py": 'GROUP = "apps.acme.io"\nKIND = "WebApp"\nSHORT_NAME = "wa"\n',
        "charts/webapp-operator/run": "webapp render -f examples/hooks/myresource/hi.yaml",
        "metahook/docs/from-controller-runtime.md": "WebApp web",
        "CHANGELOG.md": "A MyResource: [kept](docs/a.md#delete-a-webapp), [told](docs/webapps.md)",
        **{path: text for path, text in FILES.items() if path in kept},
    }
    assert (clone / "charts/webapp-operator/run").stat().st_mode & 0o111
    assert (clone / "logo.png").read_bytes() == b"\xff MyResource"


def test_texts_may_be_longer_than_lines_of_code_if_the_kind_is_longer(clone: Path) -> None:
    rename(clone, Names.of("apps.acme.io", LONG))

    assert '"E501",' in (clone / "pyproject.toml").read_text()


def test_a_clone_with_changes_and_one_that_is_renamed_are_refused_as_they_are(clone: Path) -> None:
    (clone / "new.txt").write_text("myresource")
    before = files(clone)
    with pytest.raises(NotRenamable, match=r"files are changed or new, see git status; commit, stash or remove them"):
        rename(clone, WEB_APP)
    assert files(clone) == before

    (clone / "new.txt").unlink()
    rename(clone, WEB_APP)
    commit(clone)
    before = files(clone)
    with pytest.raises(NotRenamable, match=r"its kind is WebApp already, see app/api/names.py; rename a fresh"):
        rename(clone, Names.of("shop.acme.io", "Shop"))
    assert files(clone) == before


@pytest.mark.parametrize(
    ("given", "reason"),
    [
        ({"group": ""}, "GROUP= is not a domain in lower case with a dot; name one of yours, as in apps.acme.io"),
        ({"group": "acme"}, "GROUP=acme is not a domain in lower case with a dot; name one of yours"),
        ({"group": f"{'a' * 64}.io"}, "is not a domain in lower case"),
        ({"group": ".".join(["a" * 63] * 4)[:215]}, "is too long for keys with it; shorten it by 1"),
        ({"group": "k8s.io"}, "GROUP=k8s.io is in k8s.io; name a domain of yours, as in apps.acme.io"),
        ({"group": "a.kubernetes.io"}, "GROUP=a.kubernetes.io is in kubernetes.io; name a domain of yours"),
        ({"kind": "webApp"}, "KIND=webApp is not in camel case; write it as in WebApp"),
        ({"kind": LONG + "s"}, f"KIND={LONG}s is too long for names with it; take at most 30 characters"),
        ({"kind": "Deployment"}, "KIND=Deployment is a kind of Kubernetes or of what the operator uses; take another"),
        ({"kind": "ServiceMonitor"}, "KIND=ServiceMonitor is a kind of Kubernetes or of what the operator uses"),
        ({"kind": "App"}, "KIND=App would give children the label app, which others use; take another"),
        ({"plural": "WebApps"}, "PLURAL=WebApps is no DNS label of at most 63 characters, such as webapps"),
        ({"plural": "pods"}, "PLURAL=pods is the name of something else; set another one"),
        ({"kind": "Ingester"}, "SHORT=ing is the name of something else; set another one"),
        ({"kind": "X"}, "SHORT= is no DNS label of at most 63 characters, such as webapps; set another one"),
        ({"name": "a" * 40}, f"NAME={'a' * 40} is no DNS label of at most 39 characters"),
        ({"name": "metahook"}, "NAME=metahook is the name of something else; set another one"),
    ],
)
def test_a_name_that_a_cluster_would_refuse_is_named_with_the_remedy(given: dict[str, str], reason: str) -> None:
    names = Names.of(**{"group": "apps.acme.io", "kind": "WebApp", **given})

    assert reason in next(names.problems(Cluster.of(ROOT)), "nothing")


@pytest.mark.parametrize(
    ("kind", "names"),
    [
        ("WebApp", ("webapps", "wa", "webapp-operator")),
        ("Box", ("boxes", "bo", "box-operator")),
        ("HTTPPolicy", ("httppolicies", "hp", "httppolicy-operator")),
        (LONG, (f"{LONG.lower()}s", "iwai", f"{LONG.lower()}-operator")),
    ],
)
def test_the_kind_decides_the_other_names(kind: str, names: tuple[str, ...]) -> None:
    found = Names.of("apps.acme.io", kind)

    assert (found.plural, found.short, found.name) == names
    assert list(found.problems(Cluster.of(ROOT))) == []


POLICY = Names.of("apps.acme.io", "HTTPPolicy", name="policy-operator")
ENGINE = Names.of("apps.acme.io", "Engine")


@pytest.mark.parametrize(
    ("names", "text", "renamed"),
    [
        (POLICY, "MyResourceSpec of MyResources", "HTTPPolicySpec of HTTPPolicies"),
        (POLICY, "kubectl get myresources.mygroup.example.com", "kubectl get httppolicies.apps.acme.io"),
        (POLICY, "#myresourcestatusesstale", "#httppolicystatusesstale"),
        (POLICY, "MYRESOURCE_PORT, _MYRESOURCES", "HTTPPOLICY_PORT, _MYHTTPPOLICIES"),
        (POLICY, "from my_resources import my_resource", "from my_http_policies import my_http_policy"),
        (POLICY, "MY_RESOURCE = MYRESOURCE", "MY_HTTP_POLICY = MYHTTPPOLICY"),
        (POLICY, "myresource_operator-1.whl of myresource-operator", "policy_operator-1.whl of policy-operator"),
        (POLICY, "myr and myrtle", "hp and myrtle"),
        (POLICY, "from myresources import MYRESOURCES as A", "from myresources import MYRESOURCES as A"),
        (ENGINE, "A MyResource, or a `MyResource`", "An Engine, or an `Engine`"),
        (ENGINE, "delete-a-myresource", "delete-an-engine"),
        (ENGINE, "Delete a\n  MyResource", "Delete an\n  Engine"),
        (ENGINE, "the MyResource", "the Engine"),
        (WEB_APP, "a MyResource", "a WebApp"),
    ],
)
def test_each_form_of_a_word_has_its_own_and_the_article_follows_the_sound(
    names: Names, text: str, renamed: str
) -> None:
    assert Words(names).renamed(text) == renamed


def test_with_the_names_that_it_has_a_clone_stays_as_it_is() -> None:
    words = Words(Names("mygroup.example.com", "MyResource", "myresources", "myr", "myresource-operator"))

    assert {words.renamed(old) == old for old in (*words.table, "a my_resource", "MY_RESOURCE")} == {True}


def test_what_is_left_alone_exists() -> None:
    for pattern in [*LEFT_ALONE, *OF_THE_OPERATOR]:
        assert list(ROOT.glob(pattern)), pattern
    assert not is_renamed("metahook/docs/metahook.md")
