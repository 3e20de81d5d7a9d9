# Part of kami, under the Apache License v2.0 with LLVM Exceptions.
# See LICENSE for license information.
# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Compiled programs on disk, by what they were compiled from.

KAMI_CACHE_DIR names the folder (empty: no cache), KAMI_CACHE_BYTES how much it
may hold. Processes share it: a file appears as a whole, under a name that says
its contents' origin, and one that is gone is made again.
"""

from __future__ import annotations

import contextlib
import functools
import hashlib
import os
import pathlib
import tempfile

from . import _library

_DEFAULT_BYTES = 256 * 2**20


def folder() -> pathlib.Path | None:
    """Where the files are; None where nothing is kept."""
    named = os.environ.get("KAMI_CACHE_DIR")
    if named is not None:
        return pathlib.Path(named) if named else None
    base = os.environ.get("XDG_CACHE_HOME") or os.path.expanduser("~/.cache")
    return pathlib.Path(base) / "kami"


def limit() -> int:
    """Bytes that the folder may hold."""
    named = os.environ.get("KAMI_CACHE_BYTES")
    if named is None:
        return _DEFAULT_BYTES
    if not named.isdigit():
        raise ValueError(f"KAMI_CACHE_BYTES: expected a number, but got {named!r}")
    return int(named)


@functools.cache
def _library_identity() -> str:
    """Another library compiles to other programs."""
    status = os.stat(_library.LIBRARY_PATH)
    return f"{_library.version()} {status.st_size} {status.st_mtime_ns}"


def key_of(request: str) -> str:
    text = f"{_library_identity()}\n{request}"
    return hashlib.sha256(text.encode()).hexdigest()


def load(key: str, kind: str) -> bytes | None:
    where = folder()
    if where is None:
        return None
    path = where / f"{key}.{kind}"
    try:
        contents = path.read_bytes()
        # The oldest go first.
        os.utime(path)
    except OSError:
        return None
    return contents


def contains(key: str, kind: str) -> bool:
    where = folder()
    return where is not None and (where / f"{key}.{kind}").exists()


def store(key: str, kind: str, contents: bytes) -> None:
    """Keeps the contents, if that is possible."""
    where = folder()
    if where is None:
        return
    try:
        where.mkdir(parents=True, exist_ok=True)
        descriptor, path = tempfile.mkstemp(dir=where, prefix=".new-")
        try:
            with os.fdopen(descriptor, "wb") as file:
                file.write(contents)
            os.replace(path, where / f"{key}.{kind}")
        except OSError:
            os.unlink(path)
            raise
    except OSError:
        # A full or read-only disk makes things slow, not wrong.
        return
    _prune(where)


def entries(where: pathlib.Path) -> list[tuple[float, int, pathlib.Path]]:
    """Time of the last use, bytes and path of each file."""
    found = []
    with contextlib.suppress(OSError):
        for path in where.iterdir():
            with contextlib.suppress(OSError):
                status = path.stat()
                found.append((status.st_mtime, status.st_size, path))
    return found


def _prune(where: pathlib.Path) -> None:
    files = sorted(entries(where))
    total = sum(size for _, size, _ in files)
    for _, size, path in files:
        if total <= limit():
            return
        with contextlib.suppress(OSError):
            path.unlink()
        total -= size


def clear() -> int:
    """Removes everything that is kept; how many bytes that were."""
    where = folder()
    total = 0
    for _, size, path in entries(where) if where else []:
        with contextlib.suppress(OSError):
            path.unlink()
            total += size
    return total
