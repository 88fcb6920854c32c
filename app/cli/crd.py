"""``myresource crd``: prints the CustomResourceDefinition, generated from the models of the API."""

import click
import yaml

from app.api.crd import crd


@click.command("crd")
def command() -> None:
    """Print the CustomResourceDefinition of MyResource, as YAML.

    \b
    Install it:
      myresource crd | kubectl apply --server-side -f -
    """  # noqa: D301 - click keeps the line breaks after this control character
    click.echo("# Made by: myresource crd")
    click.echo(yaml.safe_dump(crd(), sort_keys=False, width=120, allow_unicode=True), nl=False)
