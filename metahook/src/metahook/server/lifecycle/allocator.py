"""The memory of large blocks, such as bodies and buffers of TLS, which is given back to the kernel."""

import ctypes
from contextlib import suppress

LARGE = 64 * 1024
"""Bytes. A connection with TLS has buffers of that size and more."""

_M_MMAP_THRESHOLD = -3
"""Of malloc.h."""


def give_back_large_blocks() -> None:
    """Have glibc give back each large block when it is freed; do nothing with another C library.

    Once it has freed a large block, glibc keeps blocks of up to 32 MiB, and those that two bodies grow by turns
    leave gaps that neither fits. Source: mallopt(3), M_MMAP_THRESHOLD.
    """
    with suppress(AttributeError, OSError):
        ctypes.CDLL(None).mallopt(_M_MMAP_THRESHOLD, LARGE)
