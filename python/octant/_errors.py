"""Exceptions: one class for each kind of failure of the library, and those of Python's side.

Each carries the library's sentence as its message.
"""

from __future__ import annotations

from typing import Any


class Error(Exception):
    """A failure. ``kind`` is the library's name of it, ``place`` where it was detected."""

    kind = "error"

    def __init__(self, sentence: str, place: str = "") -> None:
        super().__init__(sentence)
        self.place = place

    def __reduce__(self) -> Any:
        return type(self), (str(self), self.place)


class InputError(Error, ValueError):
    """A scene, a file or an argument is wrong. Nothing has changed."""

    kind = "input"


class MissingError(Error, LookupError):
    """There is no such file, device or name. Nothing has changed."""

    kind = "missing"


class SpaceError(Error):
    """It does not fit on the device. Nothing has changed."""

    kind = "space"


class AbsentError(Error, NotImplementedError):
    """This build of the library was made without it."""

    kind = "absent"


class OutOfMemoryError(Error, MemoryError):
    """The host has no memory left."""

    kind = "memory"


class DeviceError(Error, RuntimeError):
    """An OpenCL call failed, or a step found no room on the device."""

    kind = "device"


class FileError(Error, OSError):
    """Reading or writing failed. A simulation that was to be written is as it was."""

    kind = "io"


class NumberError(Error, ArithmeticError):
    """A NaN or an infinity appeared in the state."""

    kind = "number"


class InternalError(Error, RuntimeError):
    """A fault of Octant's own."""

    kind = "internal"


class ClosedError(Error, ValueError):
    """The simulation, scene or viewer was closed before."""

    kind = "closed"


class BusyError(Error, RuntimeError):
    """Another thread is using the simulation."""

    kind = "busy"


class ForkError(Error, RuntimeError):
    """The process was forked from one that had used OpenCL."""

    kind = "fork"


BY_KIND = {cls.kind: cls for cls in Error.__subclasses__()}
