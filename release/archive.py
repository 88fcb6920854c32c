"""Archives that depend on the names and the contents of their files alone: no owner, no order, no time of a build."""

import gzip
import io
import tarfile
from collections.abc import Mapping


def tar(files: Mapping[str, bytes], epoch: int) -> bytes:
    """Return a tar archive of *files*, by path, all changed at *epoch*."""
    out = io.BytesIO()
    with tarfile.open(fileobj=out, mode="w", format=tarfile.USTAR_FORMAT) as archive:
        for name, content in sorted(files.items()):
            member = tarfile.TarInfo(name)
            member.size, member.mtime, member.mode = len(content), epoch, 0o644
            archive.addfile(member, io.BytesIO(content))
    return out.getvalue()


def tar_gz(files: Mapping[str, bytes], epoch: int) -> bytes:
    """Return the same, compressed."""
    return gzip.compress(tar(files, epoch), mtime=epoch)
