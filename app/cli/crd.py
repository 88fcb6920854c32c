"""``myresource crd``: prints the CustomResourceDefinition, generated from the models of the API."""

import click
import yaml

from app.api.crd import crd


@click.command("crd")
def command() -> None:
    """Print the CustomResourceDefinition of MyResource, as YAML.

    To install it: myresource crd | kubectl apply --server-side -f -
    """
    click.echo("# Made by: myresource crd")
    click.echo(yaml.safe_dump(crd(), sort_keys=False, width=120, allow_unicode=True), nl=False)
