"""The folder of recordings: who may write to it, and how much it takes on the disk."""

import errno
import os
import subprocess
from pathlib import Path

import pytest

from metahook.record import recorder as module
from metahook.record.recorder import CannotRecord, Folder

KIB = 1024
MIB = 1024 * KIB
MOST = 200 * KIB
FILES = 300


def on_disk(folder: Path) -> int:
    """Return the bytes that *folder* takes on the disk, as du counts them."""
    counted = subprocess.run(["du", "-s", "-B1", str(folder)], capture_output=True, text=True, check=True)  # noqa: S607 - as in a shell
    return int(counted.stdout.split()[0])


def most_on_disk(folder: Path, *, size: int = 100) -> int:
    """Fill *folder* with files of *size* bytes until its limit, and return how many bytes it takes."""
    opened = Folder(folder, MOST)
    for number in range(FILES):
        if opened.has_room(size):
            opened.save(f"{number:0200}.json", b"x" * size)
    return on_disk(folder)


# How much


@pytest.mark.parametrize("size", [0, 1, 100, 4096, 4097, 50 * KIB])
def test_the_folder_never_takes_more_than_its_limit_on_the_disk(size: int, tmp_path: Path) -> None:
    assert MOST // 2 < most_on_disk(tmp_path / "new", size=size) <= MOST


def test_a_limit_of_lengths_would_be_exceeded_on_the_disk(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(module, "_on_disk", lambda status: status.st_size)
    monkeypatch.setattr(module, "_allocated", lambda size: size)

    assert most_on_disk(tmp_path / "new") > 2 * MOST


def test_what_is_in_the_folder_counts_also_in_folders_within(tmp_path: Path) -> None:
    (tmp_path / "within").mkdir()
    (tmp_path / "within" / "file").write_bytes(b"x" * (MOST - 60 * KIB))
    (tmp_path / "link").symlink_to("/usr")

    assert most_on_disk(tmp_path) <= MOST


def test_a_file_that_is_over_the_limit_alone_has_no_room(tmp_path: Path) -> None:
    assert not Folder(tmp_path, MOST).has_room(MOST)
    assert not Folder(tmp_path, 0).has_room(0)


# Who may write to it


@pytest.mark.parametrize("mode", [0o777, 0o1777, 0o775, 0o772, 0o2770])
def test_a_folder_that_others_can_write_to_is_refused(mode: int, tmp_path: Path) -> None:
    tmp_path.chmod(mode)
    problem = "its group or other users can write to it (chmod go-w removes this permission)"

    with pytest.raises(CannotRecord) as refused:
        Folder(tmp_path, MOST)

    assert str(refused.value) == f"can't record in {tmp_path}: {problem}"
    assert list(tmp_path.iterdir()) == []


@pytest.mark.parametrize("mode", [0o700, 0o755, 0o2750])
def test_a_folder_that_others_can_only_read_is_not_refused(mode: int, tmp_path: Path) -> None:
    tmp_path.chmod(mode)

    Folder(tmp_path, MOST).save("file", b"x")

    assert (tmp_path / "file").read_bytes() == b"x"


@pytest.mark.parametrize("mode", [0o777, 0o1777, 0o2777], ids=["emptyDir", "sticky", "emptyDir with fsGroup"])
def test_a_new_folder_in_one_that_all_can_write_to_is_private(mode: int, tmp_path: Path) -> None:
    tmp_path.chmod(mode)

    for _ in range(2):  # a container that restarts finds the folder of before
        Folder(tmp_path / "requests", MOST).save("file", b"x")

    assert (tmp_path / "requests").stat().st_mode & 0o777 == 0o700


@pytest.mark.skipif(os.geteuid() != 0, reason="only root can give a folder away")
def test_a_folder_of_another_user_is_refused(tmp_path: Path) -> None:
    os.chown(tmp_path, 12345, -1)

    with pytest.raises(CannotRecord, match=r"it belongs to another user$"):
        Folder(tmp_path, MOST)


def test_another_user_is_one_who_is_neither_this_one_nor_root(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    owner = tmp_path.stat().st_uid
    monkeypatch.setattr("os.geteuid", lambda: owner + 1)

    if owner == 0:
        Folder(tmp_path, MOST)
    else:
        with pytest.raises(CannotRecord, match="it belongs to another user"):
            Folder(tmp_path, MOST)


# Links


@pytest.mark.parametrize("name", ["link", "link/", "link/."])
def test_a_link_is_refused(name: str, tmp_path: Path) -> None:
    target = tmp_path / "target"
    target.mkdir()
    (tmp_path / "link").symlink_to(target)

    with pytest.raises(CannotRecord, match=r"can't record in .*/link: it is a symbolic link$"):
        Folder(tmp_path / name, MOST)

    assert list(target.iterdir()) == []


def test_a_link_to_nothing_is_refused_and_makes_no_folder(tmp_path: Path) -> None:
    (tmp_path / "link").symlink_to(tmp_path / "target")

    with pytest.raises(CannotRecord, match="it is a symbolic link"):
        Folder(tmp_path / "link", MOST)

    assert not (tmp_path / "target").exists()


def test_a_link_that_replaces_the_folder_while_it_is_opened_is_refused(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """The negative control is the same race without the flag."""
    target, path = tmp_path / "target", tmp_path / "requests"
    target.mkdir()

    def mkdir(path: Path, **_: object) -> None:
        path.symlink_to(target)

    monkeypatch.setattr(Path, "mkdir", mkdir)
    with pytest.raises(CannotRecord, match=r"not a directory|too many levels"):
        Folder(path, MOST)

    path.unlink()
    monkeypatch.setattr("os.O_NOFOLLOW", 0)
    Folder(path, MOST).save("file", b"x")
    assert (target / "file").exists()


def test_a_link_in_place_of_a_file_is_not_followed(tmp_path: Path) -> None:
    folder, target = tmp_path / "requests", tmp_path / "target"
    target.write_bytes(b"mine")
    opened = Folder(folder, MOST)
    (folder / ".new").symlink_to(target)
    (folder / "done").symlink_to(target)

    with pytest.raises(FileExistsError):
        opened.save("new", b"x")
    opened.save("done", b"x")

    assert target.read_bytes() == b"mine"
    assert (folder / "done").is_symlink() is False


def test_a_folder_that_is_replaced_gets_no_file(tmp_path: Path) -> None:
    """The negative control: a path, which is what others can change, leads to the new folder."""
    folder = tmp_path / "requests"
    opened = Folder(folder, MOST)
    folder.rename(tmp_path / "moved")
    folder.mkdir(mode=0o777)

    opened.save("file", b"x")
    (folder / "by path").write_bytes(b"x")

    assert [file.name for file in folder.iterdir()] == ["by path"]
    assert [file.name for file in (tmp_path / "moved").iterdir()] == ["file"]


def test_a_folder_that_can_not_be_written_is_refused_at_once(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    def fail(*_: object) -> None:
        raise OSError(errno.EROFS, "Read-only file system")

    monkeypatch.setattr(module, "_create", fail)

    with pytest.raises(CannotRecord, match=r"read-only file system$"):
        Folder(tmp_path, MOST)
