"""``metahook new``: writes a project with a hook that runs, its tests, and what a cluster needs for it."""

import shutil
import tempfile
from pathlib import Path

import click

from metahook.cli.errors import InputError, input_errors
from metahook.cli.files.yaml_documents import dump_yaml
from metahook.cli.hooks.named_hook import load_file
from metahook.cli.project import project_files, read_project


@click.command("new")
@click.argument("name")
@click.option(
    "--parent", metavar="GROUP/VERSION/KIND", help="New kind of the parents, such as example.com/v1/StaticSite."
)
@click.option(
    "--decorate", metavar="KIND", help="Kind of Kubernetes whose objects get the children, instead of --parent."
)
@click.option(
    "--child", "children", multiple=True, required=True, metavar="KIND", help="Kind of a child. May be repeated."
)
@click.option(
    "--cluster-scoped", is_flag=True, help="Parents are in no namespace; the children of each are in one of its own."
)
@click.option(
    "--finalize", is_flag=True, help="The hook has finalize: a deleted parent waits until its children are gone."
)
@click.option("-o", "--output", "folder", metavar="DIR", help="Directory to create; default is NAME.")
@input_errors()
def command(  # noqa: PLR0913 - one argument an option
    name: str,
    parent: str | None,
    decorate: str | None,
    children: tuple[str, ...],
    folder: str | None,
    *,
    cluster_scoped: bool,
    finalize: bool,
) -> None:
    """Write a project with a hook that runs: hook, CRD, controller, tests, image, manifests and CI."""
    project = read_project(name, parent, decorate, children, cluster_scoped=cluster_scoped, finalize=finalize)
    target = Path(folder or name)
    if target.is_file() or (target.is_dir() and any(target.iterdir())):
        message = f"{target}: exists already; choose another directory with -o"
        raise InputError(message)
    files = project_files(project)
    try:
        _write(target, files)
    except OSError as error:
        message = f"{target}: can't be written: {(error.strerror or 'unknown error').lower()}; choose another with -o"
        raise InputError(message) from error
    lines = files["hook.py"].count("\n")
    print(f"wrote {target}/: hook.py ({lines} lines), its tests, manifests, image and CI")
    print(f"next: cd {target} && make test")


def _write(target: Path, files: dict[str, str]) -> None:
    """Write *files* and the CRD into a directory beside *target*, and then give it the name: all of them or none."""
    target.parent.mkdir(parents=True, exist_ok=True)
    with tempfile.TemporaryDirectory(dir=target.parent, prefix=f".{target.name}-") as temporary:
        folder = Path(temporary) / "project"
        for path, text in files.items():
            file = folder / path
            file.parent.mkdir(parents=True, exist_ok=True)
            file.write_text(text, encoding="utf-8")
        if "model.py" in files:
            crd = dump_yaml(load_file(folder / "model.py").CRD)
            (folder / "crd.yaml").write_text(crd, encoding="utf-8")
            shutil.rmtree(folder / "__pycache__", ignore_errors=True)  # of the model, which was run
        shutil.move(folder, target) if not target.exists() else folder.replace(target)
