"""What all tests share: how long they run, how they are collected, and how they are reported."""

pytest_plugins = ["toolkit.lengths", "toolkit.reports"]
