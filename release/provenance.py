"""The provenance of a release: an unsigned in-toto statement with the predicate of SLSA 1.0."""

import json
import os
from pathlib import Path
from typing import Any

from release import image
from release.checksums import sha256
from release.source import Source

NAME = "provenance.json"
LOCKS = ("requirements/run.txt", "requirements/dev.txt", "requirements/release.txt")
_PLACEHOLDER = "https://mygroup.example.com/myresource-operator"
"""Where the repository is, if the environment does not name it as hosted CI does."""
_BASE = "org.opencontainers.image.base."


def write(source: Source, folder: Path, parts: list[str]) -> None:
    """Write the statement about all files in *folder*."""
    subjects = [{"name": file.name, "digest": {"sha256": sha256(file)}} for file in sorted(folder.iterdir())]
    statement = {
        "_type": "https://in-toto.io/Statement/v1",
        "subject": subjects,
        "predicateType": "https://slsa.dev/provenance/v1",
        "predicate": {
            "buildDefinition": {
                "buildType": f"{_PLACEHOLDER}/make-release/v1",
                "externalParameters": {"source": _repository(), "repository": source.image, "parts": parts},
                "resolvedDependencies": [_revision(source), *_locks(source), *_base(source, folder)],
            },
            "runDetails": {"builder": {"id": _builder()}},
        },
    }
    (folder / NAME).write_text(json.dumps(statement, indent=2) + "\n")


def _repository() -> str:
    server, name = (os.environ.get(f"GITHUB_{key}") for key in ("SERVER_URL", "REPOSITORY"))
    return f"{server}/{name}" if server and name else _PLACEHOLDER


def _builder() -> str:
    """Return the workflow that runs this; outside of hosted CI, that the build is local."""
    workflow = os.environ.get("GITHUB_WORKFLOW_REF")
    return f"{os.environ['GITHUB_SERVER_URL']}/{workflow}" if workflow else f"{_PLACEHOLDER}/local-build"


def _revision(source: Source) -> dict[str, Any]:
    return {"uri": f"git+{_repository()}", "digest": {"gitCommit": source.revision}}


def _locks(source: Source) -> list[dict[str, Any]]:
    return [{"uri": f"file:{name}", "digest": {"sha256": sha256(source.root / name)}} for name in LOCKS]


def _base(source: Source, folder: Path) -> list[dict[str, Any]]:
    """Return the base of the image; none if the image was left out."""
    found = image.annotations(source, folder)
    algorithm, _, digest = found.get(f"{_BASE}digest", "").partition(":")
    return [{"uri": f"docker://{found[f'{_BASE}name']}", "digest": {algorithm: digest}}] if digest else []
