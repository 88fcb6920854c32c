"""The Dockerfile fits the chart and the lock file. tests/own looks into the image."""

import re
from pathlib import Path

from tests.chart import dockerfile
from tests.chart.sets import objects, the

ROOT = Path(__file__).parents[2]


def test_helm_test_asks_the_hook_with_the_python_of_the_image() -> None:
    (pod,) = [item for item in objects() if item["kind"] == "Pod"]
    (container,) = pod["spec"]["containers"]

    assert container["command"][0] == dockerfile.last("ENTRYPOINT").form()[0]


def test_the_base_with_pip_is_only_that_of_the_build_and_both_have_one_python() -> None:
    bases = dockerfile.arguments()
    runtime, build, image = [stage[0].rest for stage in dockerfile.stages()]

    # Renovate adds the digests.
    digest = "(@sha256:[0-9a-f]{64})?"
    assert re.fullmatch(rf"docker\.io/library/python:3\.13\.\d+-slim-trixie{digest}", bases["BUILD_BASE"])
    runtime_base = rf"gcr\.io/distroless/python3-debian13:nonroot{digest}"  # which has Python 3.13
    assert re.fullmatch(runtime_base, bases["RUNTIME_BASE"])
    assert (runtime, build, image) == ("${RUNTIME_BASE} AS runtime", "${BUILD_BASE} AS build", "${RUNTIME_BASE}")


def test_every_package_is_installed_by_its_hash_from_a_wheel() -> None:
    installs = [step.rest for step in dockerfile.steps() if "install" in step.rest]

    assert len(installs) == 1
    assert "--no-deps --require-hashes --only-binary :all:" in installs[0]


def test_the_chart_uses_the_user_and_the_ports_of_the_image() -> None:
    pod = the("Deployment")["spec"]["template"]["spec"]
    (container,) = pod["containers"]
    security = pod["securityContext"]

    assert dockerfile.last("USER").rest == f"{security['runAsUser']}:{security['runAsGroup']}"
    assert dockerfile.last("EXPOSE").rest.split() == [str(port["containerPort"]) for port in container["ports"]]
    assert dockerfile.last("CMD").form() == container["args"]


def test_the_build_context_contains_only_copied_files() -> None:
    lines = (ROOT / ".dockerignore").read_text().splitlines()
    copied = {step.rest.split()[0] for step in dockerfile.stages()[1] if step.word == "COPY"}

    assert lines[0] == "*"
    assert {line.removeprefix("!") for line in lines if line.startswith("!")} == copied
