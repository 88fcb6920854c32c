"""The binaries of a control plane and of Metacontroller, looked up as envtest does."""

import os
import shutil
from dataclasses import dataclass, fields
from pathlib import Path

CRDS = "metacontroller-crds-v1.yaml"


class Missing(Exception):
    """Raised if binaries are missing. The message names them and says how to get them."""


@dataclass(frozen=True)
class Binaries:
    """The paths of the binaries."""

    apiserver: Path
    controller_manager: Path
    etcd: Path
    metacontroller: Path
    openssl: Path
    crds: Path
    """Metacontroller's CRDs, which are no binary."""


NAMES = {
    "apiserver": "kube-apiserver",
    "controller_manager": "kube-controller-manager",
    "crds": CRDS,
}
"""File names that differ from the field name."""


def assets() -> Path:
    """Return the folder of the control plane's binaries: that of ``KUBEBUILDER_ASSETS``, or envtest's default."""
    return Path(os.environ.get("KUBEBUILDER_ASSETS") or "/usr/local/kubebuilder/bin")


def find_binaries() -> Binaries:
    """Return the binaries; raise Missing."""
    places = {field.name: _place(field.name) for field in fields(Binaries)}
    missing = [NAMES.get(name, name) for name, place in places.items() if place is None]
    if missing:
        message = f"not found: {', '.join(missing)}; {_remedy()}"
        raise Missing(message)
    return Binaries(**{name: place for name, place in places.items() if place is not None})


def missing_binaries() -> str:
    """Return which binaries are missing and how to get them, or an empty string; for ``pytest.mark.skipif``."""
    try:
        find_binaries()
    except Missing as missing:
        return str(missing)
    return ""


def _remedy() -> str:
    return (
        f"put kube-apiserver and kube-controller-manager of a Kubernetes server release, and etcd, into {assets()} (or "
        "set KUBEBUILDER_ASSETS), put metacontroller 4.17.2 or later on PATH (or set METACONTROLLER_BIN), and its "
        f"manifests/production/{CRDS} into the folder above (or set METACONTROLLER_CRDS); openssl comes with most "
        "systems"
    )


def _place(field: str) -> Path | None:
    if field == "crds":
        named = os.environ.get("METACONTROLLER_CRDS")
        places = [Path(named)] if named else [assets() / CRDS, assets().parent / CRDS]
        return next((place for place in places if place.is_file()), None)
    if field == "metacontroller" and "METACONTROLLER_BIN" in os.environ:
        return _executable(Path(os.environ["METACONTROLLER_BIN"]))
    name = NAMES.get(field, field)
    return _executable(assets() / name) or _executable(name)


def _executable(name: Path | str) -> Path | None:
    place = shutil.which(name)
    return Path(place) if place else None
