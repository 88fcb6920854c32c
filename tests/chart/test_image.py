"""The Dockerfile fits the chart and the lock file."""

import json
import re

from tests.chart.sets import objects, the
from tests.docs.documents import ROOT

TEXT = re.sub(r"\\\n\s*", "", (ROOT / "Dockerfile").read_text())  # with each instruction in one line
_, *STAGES = re.split(r"^FROM ", TEXT, flags=re.MULTILINE)


def arguments(word: str, text: str = STAGES[-1]) -> list[str]:
    """Return those of each instruction *word* in *text*, the last stage by default."""
    return re.findall(rf"^{word} (.*)$", text, re.MULTILINE)


def test_the_base_with_pip_is_only_that_of_the_build_and_both_have_one_python() -> None:
    bases = dict(each.split("=", 1) for each in arguments("ARG", TEXT))

    # Renovate adds the digests.
    digest = "(@sha256:[0-9a-f]{64})?"
    assert re.fullmatch(rf"docker\.io/library/python:3\.13\.\d+-slim-trixie{digest}", bases["BUILD_BASE"])
    runtime_base = rf"gcr\.io/distroless/python3-debian13:nonroot{digest}"  # which has Python 3.13
    assert re.fullmatch(runtime_base, bases["RUNTIME_BASE"])
    assert arguments("FROM", TEXT) == ["${RUNTIME_BASE} AS runtime", "${BUILD_BASE} AS build", "${RUNTIME_BASE}"]


def test_every_package_is_installed_by_its_hash_from_a_wheel() -> None:
    (install,) = [line for line in TEXT.splitlines() if "install" in line and not line.startswith("#")]

    assert "--no-deps --require-hashes --only-binary :all:" in install


def test_the_chart_uses_the_user_the_ports_and_the_commands_of_the_image() -> None:
    pod = the("Deployment")["spec"]["template"]["spec"]
    (container,), security = pod["containers"], pod["securityContext"]
    (test,) = [item for item in objects() if item["kind"] == "Pod"]
    (python, *_), words = (json.loads(arguments(word)[-1]) for word in ("ENTRYPOINT", "CMD"))

    assert arguments("USER")[-1] == f"{security['runAsUser']}:{security['runAsGroup']}"
    assert arguments("EXPOSE")[-1].split() == [str(port["containerPort"]) for port in container["ports"]]
    assert words == container["args"]
    assert python == test["spec"]["containers"][0]["command"][0]


def test_the_build_context_contains_only_copied_files() -> None:
    first, *lines = (ROOT / ".dockerignore").read_text().splitlines()
    copied = {each.split()[0] for each in arguments("COPY", STAGES[1])}

    assert first == "*"
    assert {line.removeprefix("!") for line in lines if line.startswith("!")} == copied
