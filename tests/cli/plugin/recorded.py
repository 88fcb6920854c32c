"""What kubectl printed about a failing rollout, and a kubectl that prints it again; make e2e runs the real one.

It was printed on a real control plane (Kubernetes 1.36, an emulated kubelet) while a MyResource with two replicas got
an image that can't be pulled: the MyResource, the objects with its label, and the Events of its namespace without those
of the EndpointSlice controller, which needs nodes. docs/apps/kubectl-plugin.md shows the same.
"""

import json
import os
import shlex
import sys
from pathlib import Path
from typing import Any

from tests.docs.documents import ROOT

Json = dict[str, Any]

FOLDER = ROOT / "tests/data/plugin"
MYRESOURCE: Json = json.loads((FOLDER / "myresource.json").read_text())
OBJECTS: list[Json] = json.loads((FOLDER / "objects.json").read_text())["items"]

_SCRIPT = """#!/bin/sh
echo "$*" >> "$0.log"
case "$*" in *" --watch "*) exec cat "$0.watched" ;; esac
case "$1 $2 $3" in
  "get myresources.mygroup.example.com --"*) echo "{\\"items\\": [$(/bin/cat myresource.json)]}" ;;
  "get myresources.mygroup.example.com web") exec /bin/cat myresource.json ;;
  "get deployments.apps,"*) exec /bin/cat objects.json ;;
  "get events "*) exec /bin/cat events.json ;;
  "myresource "*) shift; exec kubectl-myresource "$@" ;;
  "patch "*) echo "myresource.mygroup.example.com/web patched" ;;
  *) echo 'Error from server (NotFound): myresources.mygroup.example.com "other" not found' >&2; exit 7 ;;
esac
"""


def kubectl(folder: Path) -> Path:
    """Return a kubectl in *folder* that prints what is recorded, and writes its arguments to a file beside it."""
    program = folder / "kubectl"
    recorded = _SCRIPT.replace("/bin/cat ", f"/bin/cat {shlex.quote(str(FOLDER))}/")
    program.write_text(recorded)
    program.chmod(0o755)
    return program


def path_with(program: Path) -> str:
    """Return a PATH with *program* and our plugin."""
    return os.pathsep.join([str(program.parent), str(Path(sys.executable).parent), "/usr/bin", "/bin"])


def print_instead(program: Path, myresource: Json) -> None:
    """Let *program* print *myresource* in place of the recorded one."""
    file = program.with_name("myresource.json")
    file.write_text(json.dumps(myresource))
    program.write_text(program.read_text().replace(f"{FOLDER}/myresource.json", str(file)))


def print_when_watched(program: Path, *items: Json) -> None:
    """Let *program* print *items* for a watch, one after the other, as kubectl does."""
    Path(f"{program}.watched").write_text("".join(f"{json.dumps(item, indent=4)}\n" for item in items))


def calls(program: Path) -> list[str]:
    """Return the arguments of each call of *program*."""
    return Path(f"{program}.log").read_text().splitlines()
