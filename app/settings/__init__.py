"""The operator's settings. The options of the commands, their help and the tables in the docs are made from them.

A setting has the value of its option, else that of its variable ``MYRESOURCE_<NAME>``, else its default. An empty
variable counts as not set. Tests compare the chart's values with the settings.

Nouns: *ServeSettings* are those of ``myresource serve``, among them *WatchSettings* (what is watched), *CallerSettings*
(who may call), *LimitSettings* (what requests may take) and *LogSettings*; an *Option* says how one is given.

Imports core, for what is watched, api, for dependencies and docstrings, and the server's limits and logs.
"""
