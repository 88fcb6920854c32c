"""Who may call: the settings for TLS, client certificates and tokens."""

from typing import Annotated

from pydantic import Field
from pydantic_settings import BaseSettings

from app.settings.option import CONFIG, Option

File = Annotated[str | None, Field(min_length=1), Option("FILE")]


class CallerSettings(BaseSettings):
    """Who may call. The files are read again when they change."""

    model_config = CONFIG

    tls_cert: File = None
    """File with the certificate and its chain, in PEM format, to serve the hooks over TLS."""
    tls_key: File = None
    """File with the key of the certificate, in PEM format and not encrypted."""
    tls_client_ca: File = None
    """File with CA certificates, in PEM format. Only clients with a certificate of one of them can connect."""
    tokens: Annotated[str | None, Field(min_length=1), Option("PATH")] = None
    """File with a token, or directory of such files. Requests need the header Authorization: Bearer TOKEN with one of
    them."""
