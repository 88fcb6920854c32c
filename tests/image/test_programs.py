"""make image without its tools. These tests need none of them."""

import os
import subprocess
import sys
from pathlib import Path

from tests.documents import ROOT


def made(path: str) -> subprocess.CompletedProcess[str]:
    command = [sys.executable, "-m", "tests.image.build", "registry.example.com/myresource-operator:0.2.0"]
    environment = {**os.environ, "PATH": path}
    return subprocess.run(command, cwd=ROOT, env=environment, capture_output=True, text=True, check=False)


def test_without_buildah_and_docker_one_sentence_says_what_is_missing() -> None:
    ended = made("/nonexistent")

    assert (ended.returncode, ended.stdout) == (1, "")
    assert ended.stderr == "make image: buildah is not installed: on Debian and Ubuntu, apt-get install buildah\n"


def test_docker_builds_if_there_is_no_buildah(tmp_path: Path) -> None:
    docker = tmp_path / "docker"
    docker.write_text('#!/bin/sh\necho "$@"\n')
    docker.chmod(0o755)

    ended = made(str(tmp_path))

    assert (ended.returncode, ended.stderr) == (0, "")
    assert ended.stdout == f"build --quiet --tag registry.example.com/myresource-operator:0.2.0 {ROOT}\n"
