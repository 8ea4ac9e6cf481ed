"""What a simulation holds of the library's: used by one thread at a time, and given back once."""

from __future__ import annotations

import atexit
import threading
import time
import weakref
from typing import Any

from ._devices import Queue
from ._errors import BusyError, ClosedError
from ._library import LOG, opened, text, was_forked

EXIT_WAIT_S = 30.0


class Core:
    """A simulation of the library's with its device. ``with core as pointer:`` uses it."""

    def __init__(self, queue: Queue) -> None:
        ffi = opened().ffi
        self.queue = queue
        self.pointer: Any = None
        self.viewer: Any = None  # holds buffers of the device
        self.lock = threading.RLock()
        self.stop = ffi.new("int *", 0)
        self.ending = False  # with the interpreter: no further steps
        self.handle = ffi.new_handle(self)
        self.on_trust: Any | None = None  # called with (done, all) while self-tests run
        self.error: BaseException | None = None  # raised in a function that the library called
        _living.add(self)

    def __enter__(self) -> Any:
        if not self.lock.acquire(blocking=False):
            raise BusyError(
                "another thread is using this simulation; one may use it at a time, and each "
                "thread may have simulations of its own"
            )
        try:
            opened()
            if self.pointer is None:
                raise ClosedError("the simulation was closed")
        except BaseException:
            self.lock.release()
            raise
        return self.pointer

    def __exit__(self, *_: Any) -> None:
        self.lock.release()

    def raise_pending(self) -> None:
        """Raises what the library could not hand through: Ctrl-C, or a log handler's failure."""
        error, self.error = self.error, None
        if error is not None:
            raise error

    def close(self) -> None:
        """Gives it back; a second time does nothing."""
        pointer, self.pointer = self.pointer, None
        if was_forked():
            return
        self.close_viewer()
        if pointer is not None:
            opened().lib.oct_sim_free(pointer)
        self.queue.close()

    def close_viewer(self) -> None:
        """Gives the viewer back, which nobody may be using."""
        viewer, self.viewer = self.viewer, None
        if viewer is not None:
            opened().lib.oct_viewer_free(viewer)

    def __del__(self) -> None:
        try:
            self.close()
        except Exception:  # at the end of the interpreter nothing is left to call
            pass


_living: weakref.WeakSet[Core] = weakref.WeakSet()


@atexit.register
def _end() -> None:
    """Stops what other threads still run, and gives all back while the interpreter is whole."""
    if was_forked():
        return
    for core in list(_living):
        core.stop[0], core.ending = 1, True
    last = time.monotonic() + EXIT_WAIT_S
    for core in list(_living):
        if core.lock.acquire(timeout=max(0.0, last - time.monotonic())):
            core.close()
            core.lock.release()


class Callbacks:
    """The functions that the library calls, made once for all simulations."""

    def __init__(self) -> None:
        ffi = opened().ffi
        fields = dict(ffi.typeof("oct_sim_options").fields)
        self.log = ffi.callback("oct_log", _note, onerror=keep)
        self.trust = ffi.callback(fields["progress"].type, _trusted, onerror=keep)


def keep(kind: Any, error: BaseException, traceback: Any) -> None:
    """Keeps what a function raised that the library called, with the first argument `context`."""
    context = traceback.tb_frame.f_locals.get("context") if traceback else None
    if context is not None:
        owner = opened().ffi.from_handle(context)
        owner.error = owner.error or error


def _note(context: Any, sentence: Any) -> None:
    LOG.info("%s", text(sentence))


def _trusted(context: Any, done: int, all_: int, name: Any) -> None:
    core = opened().ffi.from_handle(context)
    if core.on_trust is not None:
        core.on_trust(done, all_)


_callbacks: Callbacks | None = None


def callbacks() -> Callbacks:
    """Those functions."""
    global _callbacks
    if _callbacks is None:
        _callbacks = Callbacks()
    return _callbacks
