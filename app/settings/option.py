"""How a setting is given: its option and its variable."""

from dataclasses import dataclass

from pydantic_settings import SettingsConfigDict

PREFIX = "MYRESOURCE_"

CONFIG = SettingsConfigDict(env_prefix=PREFIX, env_ignore_empty=True, extra="ignore", frozen=True)


@dataclass(frozen=True)
class Option:
    """The option of a setting, where it is not made from the name and the type alone."""

    metavar: str
    """What the help calls the value."""
    flag: str = ""
