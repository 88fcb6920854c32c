"""What the plugin imports: kubectl reaches the cluster, so that it needs no HTTP, no files and no simulator.

No contract of import-linter sees this: what a name of metahook.commands imports, it imports when the name is asked for.
"""

import subprocess
import sys

NOT_ITS = ("app.cli.bound", "httpx", "metahook.cli.files", "metahook.cli.hooks.remote_hook", "metahook.simulator")
CODE = """
import importlib, pkgutil, sys
from app.cli import plugin
for module in pkgutil.walk_packages(plugin.__path__, "app.cli.plugin."):
    importlib.import_module(module.name)
print(*sys.modules)
"""


def test_the_plugin_reaches_a_cluster_through_kubectl_alone() -> None:
    ended = subprocess.run([sys.executable, "-c", CODE], capture_output=True, text=True, check=True)

    assert "app.cli.plugin.commands" in ended.stdout
    assert {*NOT_ITS} & {*ended.stdout.split()} == set()
