"""``python -m tests.node up`` starts a node with the operator; ``down`` removes it. See docs/testing.md."""

import subprocess
import sys
import time

from tests.node import images, machine
from tests.node.daemon import Late
from tests.node.layout import KUBECONFIG, LOGS
from tests.node.programs import CHART, path, require
from tests.node.shell import Failed, Shell
from tests.node.walk import INSTALL, steps
from tests.programs import Missing


def up() -> None:
    """Start a new node, and install the operator by the commands of the page."""
    require()
    machine.stop()
    began = time.monotonic()
    machine.prepare()
    images.make_for_node()
    machine.start()
    print(f"The node is ready after {time.monotonic() - began:.0f} s.")
    shell = Shell()
    images.push_all(shell)
    shell.run(f"helm push {path(CHART)} oci://ghcr.io/metacontroller")
    for command in steps(*INSTALL):
        print(f"\n$ {command}", flush=True)
        print(shell.run(command), end="", flush=True)


def kubeconfig() -> None:
    """Print the path of the kubeconfig."""
    print(KUBECONFIG)


def describe() -> None:
    """Print how to use the node, and how to remove it."""
    print(f"\nThe node runs on; make cluster-down removes it. To use it:\n\n    export KUBECONFIG={KUBECONFIG}")


COMMANDS = {"up": up, "down": machine.stop, "kubeconfig": kubeconfig, "describe": describe}


def main(arguments: list[str]) -> str | int:
    """Run a command, and return the exit code or a message."""
    if len(arguments) != 1 or arguments[0] not in COMMANDS:
        return f"usage: python -m tests.node {'|'.join(COMMANDS)}"
    try:
        COMMANDS[arguments[0]]()
    except Missing as missing:
        return str(missing)
    except (Late, Failed, subprocess.CalledProcessError) as failed:
        return f"{failed}\nThe logs of the node are in {LOGS}; make cluster-down removes it."
    return 0


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
