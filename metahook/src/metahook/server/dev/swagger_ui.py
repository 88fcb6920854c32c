"""The files of Swagger UI, from the package fastapi-swagger of the extra ``dev``. Its code is not imported."""

from importlib.util import find_spec
from pathlib import Path

PACKAGE = "fastapi_swagger"

MEDIA_TYPES = {
    "swagger-ui.css": "text/css",
    "swagger-ui-bundle.js": "text/javascript",
    "favicon-32x32.png": "image/png",
}


def find_files(package: str = PACKAGE) -> dict[str, Path]:
    """Return the files of Swagger UI in *package* by name; none if it is not installed, or lacks one."""
    spec = find_spec(package)
    folders = spec.submodule_search_locations if spec else None
    files = {name: Path(folder, "resources", name) for folder in folders or [] for name in MEDIA_TYPES}
    return files if all(file.is_file() for file in files.values()) else {}
