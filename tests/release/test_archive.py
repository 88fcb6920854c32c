"""The archives of a release depend on their files alone."""

import gzip
import io
import tarfile

from release.archive import tar_gz

FILES = {"a/b": b"1", "a/c": b"2"}


def test_the_same_files_give_the_same_bytes() -> None:
    assert tar_gz(FILES, 5) == tar_gz(dict(reversed(FILES.items())), 5)


def test_the_archive_has_the_files_without_an_owner() -> None:
    with tarfile.open(fileobj=io.BytesIO(gzip.decompress(tar_gz(FILES, 5)))) as archive:
        members = [(member.name, member.uid, member.uname, member.mtime) for member in archive]

    assert members == [(name, 0, "", 5) for name in FILES]
