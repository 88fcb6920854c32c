"""What all tests share: how long they run, and how they are collected."""

pytest_plugins = ["toolkit.lengths"]
