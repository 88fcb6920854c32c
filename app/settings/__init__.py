"""The operator's settings. The options of the commands, their help and the tables in the docs are made from them.

A setting has the value of its option, else that of its variable ``MYRESOURCE_<NAME>``, else its default. An empty
variable counts as not set. Tests compare the chart's values with the settings.

Nouns: *Settings* are those of ``myresource serve``, among them *WatchSettings* (what is watched), *CallerSettings* (who
may call), *LimitSettings* (what requests may take) and *LogSettings*; an *Option* says how one is given, *reading*
checks the values.

Imports core, for what is watched, and the server's limits and logs.
"""

from app.settings.callers import CallerSettings
from app.settings.limits import LimitSettings
from app.settings.logs import LogSettings
from app.settings.option import PREFIX, Option
from app.settings.reading import (
    InvalidSetting,
    bounds,
    changed,
    flag_of,
    meaning_of,
    names,
    option_of,
    read,
    variable_of,
)
from app.settings.serve import Settings
from app.settings.watch import MOST_KINDS, WatchSettings, dependency_kind

__all__ = [
    "MOST_KINDS",
    "PREFIX",
    "CallerSettings",
    "InvalidSetting",
    "LimitSettings",
    "LogSettings",
    "Option",
    "Settings",
    "WatchSettings",
    "bounds",
    "changed",
    "dependency_kind",
    "flag_of",
    "meaning_of",
    "names",
    "option_of",
    "read",
    "variable_of",
]
