"""``metahook check`` finds nothing in hooks without mistakes."""

from pathlib import Path

import pytest

from metahook.simulator.metacontroller.settings import MODES
from toolkit.cli.command import call
from toolkit.cli.sites import GOOD, checked, write_hook
from toolkit.slow import short_or_whole

EXAMPLES = {
    "greeting": ("greetings.py", "kind: Greeting\nmetadata: {name: hi}\nspec: {text: hello}"),
    "backup": (
        "backups.py",
        "kind: BackupConfig\nmetadata: {name: a}\nspec: {app: shop, image: 'busybox:1.37', command: [run]}",
    ),
    "staticsite": (
        "staticsites.py",
        "kind: StaticSite\nmetadata: {name: www}\nspec: {host: www.example.com, html: hello}",
    ),
    "tenant": ("tenants.py", "kind: Tenant\nmetadata: {name: acme}\nspec: {groups: [acme-developers]}"),
    "notebook": ("notebooks.py", "kind: Notebook\nmetadata: {name: ada}\nspec: {image: 'jupyter:1'}"),
}


def test_a_hook_without_mistakes_has_no_findings() -> None:
    write_hook(GOOD)

    assert checked() == (0, [])


@pytest.mark.slow
@pytest.mark.parametrize("mode", short_or_whole(MODES[:1], MODES))
@pytest.mark.parametrize("name", short_or_whole(["greeting"], [*EXAMPLES]))
def test_the_examples_have_no_findings(name: str, mode: str) -> None:
    hook, parent = EXAMPLES[name]
    folder = Path(__file__).parents[3] / "examples" / name
    Path("parent.yaml").write_text(f"apiVersion: example.com/v1\n{parent}\n")

    ended = call(
        "check", "-k", str(folder), "-f", "parent.yaml", "--hook", str(folder / hook), "--apply-strategy", mode
    )

    assert (ended.code, ended.err) == (0, ""), ended.out
