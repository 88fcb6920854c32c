"""Manifests: the objects of files, and hooks at another address."""

from pathlib import Path
from typing import Any

import pytest

from metahook.envtest.cluster import documents, with_hooks_at


def test_all_objects_of_the_files_are_read_and_empty_documents_are_none(tmp_path: Path) -> None:
    (tmp_path / "a.yaml").write_text("kind: A\n---\n---\nkind: B\n")
    (tmp_path / "c.yaml").write_text("kind: C\n")

    read = documents(tmp_path / "a.yaml", tmp_path / "c.yaml")

    assert [item["kind"] for item in read] == ["A", "B", "C"]


@pytest.mark.parametrize(
    ("webhook", "url"),
    [
        ({"url": "http://greetings.default.svc/sync"}, "http://127.0.0.1:1/sync"),
        ({"url": "https://greetings.default.svc:8443/first/sync?rev=2"}, "http://127.0.0.1:1/first/sync?rev=2"),
        ({"path": "/sync", "service": {"name": "greetings", "namespace": "default"}}, "http://127.0.0.1:1/sync"),
    ],
)
def test_a_hook_keeps_its_path_and_its_settings_at_another_address(webhook: dict[str, Any], url: str) -> None:
    composite = {"spec": {"hooks": {"sync": {"version": "v2", "webhook": {**webhook, "timeout": "10s"}}}}}

    moved = with_hooks_at("127.0.0.1:1", composite)

    assert moved == {"spec": {"hooks": {"sync": {"version": "v2", "webhook": {"url": url, "timeout": "10s"}}}}}
