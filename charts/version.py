"""The version of the chart, and of the image and the manifests by default: that of the package, as Helm writes it."""

from app import __version__


def semver(version: str) -> str:
    """Return *version* as Semantic Versioning, which Helm wants: ``0.4.0-dev.0`` for ``0.4.0.dev0``."""
    return version.replace(".dev", "-dev.")


VERSION = semver(__version__)
