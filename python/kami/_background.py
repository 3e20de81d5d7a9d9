# Part of kami, under the Apache License v2.0 with LLVM Exceptions.
# See LICENSE for license information.
# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""A thread that compiles what nobody has to wait for."""

from __future__ import annotations

import atexit
import os
import threading
from collections.abc import Callable
from concurrent.futures import Future
from typing import Any

_Job = tuple[Callable[[], Any], "Future[Any]"]


def _do(job: Callable[[], Any], future: Future[Any]) -> None:
    try:
        future.set_result(job())
    except BaseException as error:
        future.set_exception(error)


class _Worker:
    """Does one job after the other, until the process ends."""

    def __init__(self) -> None:
        self._jobs: list[_Job] = []
        self._changes = threading.Condition()
        self._busy = threading.Lock()
        self._ends = False
        # A process does not wait for what nobody needs any more.
        threading.Thread(target=self._work, name="kami", daemon=True).start()

    def submit(self, job: Callable[[], Any]) -> Future[Any]:
        future: Future[Any] = Future()
        if self._ends:
            # What else is done at exit still has its results.
            _do(job, future)
        else:
            with self._changes:
                self._jobs.append((job, future))
                self._changes.notify()
        return future

    def hurry(self, future: Future[Any]) -> None:
        """Does a job that has not begun: who waits for it has nothing else to do,
        and need not wait for others."""
        with self._changes:
            found = [job for job in self._jobs if job[1] is future]
            for job in found:
                self._jobs.remove(job)
        for job in found:
            _do(*job)

    def _next(self) -> _Job | None:
        with self._changes:
            return self._jobs.pop(0) if self._jobs else None

    def _work(self) -> None:
        while True:
            with self._changes:
                self._changes.wait_for(lambda: self._jobs)
            with self._busy:
                if self._ends:
                    return
                job = self._next()
                if job is not None:
                    _do(*job)
            # What a job has made is whose it is for.
            del job

    def end(self) -> None:
        """Waits for the job that is being done, and has no other begun."""
        if not self._ends:
            self._ends = True
            self._busy.acquire()


_worker: _Worker | None = None
_lock = threading.Lock()


def submit(job: Callable[[], Any]) -> Future[Any]:
    global _worker
    with _lock:
        if _worker is None:
            _worker = _Worker()
        return _worker.submit(job)


def hurry(future: Future[Any]) -> None:
    """Has a job done at once, by the caller if nobody has begun."""
    with _lock:
        worker = _worker
    if worker is not None:
        worker.hurry(future)


@atexit.register
def _end() -> None:
    """A library must not be unloaded while a thread is in it."""
    if _worker is not None:
        _worker.end()


def _forget() -> None:
    """A process that was forked has none of its parent's threads."""
    global _worker, _lock
    _worker, _lock = None, threading.Lock()


os.register_at_fork(after_in_child=_forget)
