"""The library: found, opened together with an OpenCL loader, and called.

Nothing is loaded before it is used: ``import octant`` touches neither OpenCL nor NumPy.
"""

from __future__ import annotations

import logging
import os
import pathlib
import threading
from typing import Any, Callable

from . import _drivers
from ._errors import BY_KIND, Error, ForkError, InternalError

FOLDER = pathlib.Path(__file__).absolute().parent
LOG = logging.getLogger("octant")


class _Library:
    """The opened library, its types, and what is true of it in this process."""

    def __init__(self) -> None:
        from ._binding import ffi

        _drivers.open_loader(FOLDER / "loader")
        _drivers.offer_packaged_driver()
        self.ffi = ffi
        self.lib = ffi.dlopen(str(_path()))
        prefix = "OCT_STATUS_"
        self.kinds = {
            number: name[len(prefix) :].lower()
            for number, name in ffi.typeof("oct_status").elements.items()
        }


_lock = threading.RLock()
_opened: _Library | None = None
_forked = False


def _path() -> pathlib.Path:
    """Where the library is: OCTANT_LIBRARY names another than the package's."""
    chosen = os.environ.get("OCTANT_LIBRARY")
    if chosen:
        return pathlib.Path(chosen)
    found = sorted((FOLDER / "lib").glob("liboctant.so.*"), key=lambda path: len(path.name))
    if not found:
        raise InternalError(f"there is no liboctant in {FOLDER / 'lib'}: install the package anew")
    return found[0]


def _after_fork() -> None:
    global _forked, _lock
    _lock = threading.RLock()
    _forked = _opened is not None


os.register_at_fork(after_in_child=_after_fork)


def was_forked() -> bool:
    """Whether this process is a fork of one that had opened the library."""
    return _forked


def opened() -> _Library:
    """The library, opened at the first call."""
    global _opened
    if _forked:
        raise ForkError(
            "this process was forked from one that had used OpenCL, which does not survive that; "
            "start workers with multiprocessing's 'spawn' or 'forkserver'"
        )
    if _opened is None:
        with _lock:
            if _opened is None:
                _opened = _Library()
    return _opened


def failure(status: int) -> Error:
    """The exception for a status of this thread's last call."""
    library = opened()
    kind = library.kinds.get(status, "internal")
    sentence = text(library.lib.oct_last_error()) or f"the library returned {status}"
    return BY_KIND[kind](sentence, text(library.lib.oct_last_error_place()))


def check(status: int) -> None:
    """Raises what a status stands for."""
    if status != 0:
        raise failure(status)


def text(chars: Any) -> str:
    """C text, which may be NULL, as Python's."""
    ffi = opened().ffi
    return "" if chars == ffi.NULL else ffi.string(chars).decode("utf-8", "replace")


def encode(value: Any) -> bytes:
    """Text or a path as the library takes it."""
    from ._errors import InputError

    try:
        data = os.fsencode(value)
    except TypeError:
        raise InputError(f"{value!r} is neither text nor a path") from None
    if b"\0" in data:
        raise InputError("text holds a zero byte, where C's text would end")
    return data


def taken_text(function: Callable[..., int], *arguments: Any) -> str:
    """The text that a function hands out, given back to the library."""
    library = opened()
    out = library.ffi.new("char **")
    check(function(out, *arguments))
    try:
        return text(out[0])
    finally:
        library.lib.oct_text_free(out[0])


def sized(type_name: str, **members: Any) -> Any:
    """A struct that begins with its size, with these members."""
    ffi = opened().ffi
    struct = ffi.new(f"{type_name} *")
    struct.size = ffi.sizeof(type_name)
    for name, value in members.items():
        setattr(struct, name, value)
    return struct


def out_of(kind: str, array: Any) -> Any:
    """A NumPy array that the library writes into."""
    return opened().ffi.from_buffer(kind, array, require_writable=True)
