"""The Dockerfile fits the chart and the lock file. tests/own looks into the image."""

import json
import re
from dataclasses import dataclass
from pathlib import Path

from tests.chart.sets import objects, the

ROOT = Path(__file__).parents[2]


@dataclass(frozen=True)
class Step:
    """An instruction and its arguments."""

    word: str
    rest: str

    def form(self) -> list[str]:
        """Return the arguments of an instruction in exec form, which needs no shell."""
        words: list[str] = json.loads(self.rest)
        return words


def steps() -> list[Step]:
    """Return the instructions of the Dockerfile, in order."""
    text = re.sub(r"\\\n\s*", "", (ROOT / "Dockerfile").read_text())
    lines = [line for line in text.splitlines() if line and not line.startswith("#")]
    return [Step(*line.split(" ", 1)) for line in lines]


def stages() -> list[list[Step]]:
    """Return the instructions of each stage."""
    found: list[list[Step]] = []
    for step in steps():
        if step.word == "FROM":
            found.append([])
        if found:
            found[-1].append(step)
    return found


def arguments() -> dict[str, str]:
    """Return the defaults of the arguments."""
    return dict(step.rest.split("=", 1) for step in steps() if step.word == "ARG")


def last(word: str) -> Step:
    """Return the last instruction *word* of the last stage."""
    return [step for step in stages()[-1] if step.word == word][-1]


def test_helm_test_asks_the_hook_with_the_python_of_the_image() -> None:
    (pod,) = [item for item in objects() if item["kind"] == "Pod"]
    (container,) = pod["spec"]["containers"]

    assert container["command"][0] == last("ENTRYPOINT").form()[0]


def test_the_base_with_pip_is_only_that_of_the_build_and_both_have_one_python() -> None:
    bases = arguments()
    runtime, build, image = [stage[0].rest for stage in stages()]

    # Renovate adds the digests.
    digest = "(@sha256:[0-9a-f]{64})?"
    assert re.fullmatch(rf"docker\.io/library/python:3\.13\.\d+-slim-trixie{digest}", bases["BUILD_BASE"])
    runtime_base = rf"gcr\.io/distroless/python3-debian13:nonroot{digest}"  # which has Python 3.13
    assert re.fullmatch(runtime_base, bases["RUNTIME_BASE"])
    assert (runtime, build, image) == ("${RUNTIME_BASE} AS runtime", "${BUILD_BASE} AS build", "${RUNTIME_BASE}")


def test_every_package_is_installed_by_its_hash_from_a_wheel() -> None:
    installs = [step.rest for step in steps() if "install" in step.rest]

    assert len(installs) == 1
    assert "--no-deps --require-hashes --only-binary :all:" in installs[0]


def test_the_chart_uses_the_user_and_the_ports_of_the_image() -> None:
    pod = the("Deployment")["spec"]["template"]["spec"]
    (container,) = pod["containers"]
    security = pod["securityContext"]

    assert last("USER").rest == f"{security['runAsUser']}:{security['runAsGroup']}"
    assert last("EXPOSE").rest.split() == [str(port["containerPort"]) for port in container["ports"]]
    assert last("CMD").form() == container["args"]


def test_the_build_context_contains_only_copied_files() -> None:
    lines = (ROOT / ".dockerignore").read_text().splitlines()
    copied = {step.rest.split()[0] for step in stages()[1] if step.word == "COPY"}

    assert lines[0] == "*"
    assert {line.removeprefix("!") for line in lines if line.startswith("!")} == copied
