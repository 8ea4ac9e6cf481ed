"""Devices: those of the machine, and the ones that simulations run on."""

from __future__ import annotations

import dataclasses
import threading
from typing import Any

from . import _drivers
from ._errors import DeviceError, MissingError
from ._library import check, opened, text, was_forked

NO_PLATFORM = "CL_PLATFORM_NOT_FOUND"  # what a loader says that finds no driver


@dataclasses.dataclass(frozen=True)
class Device:
    """An OpenCL device of this machine."""

    index: int
    name: str
    vendor: str
    driver: str
    platform: str
    kind: str
    memory: int
    max_buffer: int
    fp64: bool
    compute_units: int


def _describe(info: Any, index: int) -> Device:
    texts = {name: text(getattr(info, name)) for name in ("name", "vendor", "driver", "platform")}
    return Device(
        index=index,
        kind=text(info.kind),
        memory=info.memory,
        max_buffer=info.max_buffer,
        fp64=bool(info.fp64),
        compute_units=info.compute_units,
        **texts,
    )


def devices() -> list[Device]:
    """The devices of this machine; empty where there is none."""
    library = opened()
    out, n = library.ffi.new("oct_device_info **"), library.ffi.new("size_t *")
    try:
        check(library.lib.oct_device_list(out, n))
    except (MissingError, DeviceError) as error:
        if isinstance(error, DeviceError) and NO_PLATFORM not in str(error):
            raise
        return []
    try:
        return [_describe(out[0][i], i) for i in range(n[0])]
    finally:
        library.lib.oct_device_list_free(out[0])


class Queue:
    """A device with a queue of its own, for one simulation; programs are compiled once for all."""

    def __init__(self, choice: str | None) -> None:
        library = opened()
        out = library.ffi.new("oct_device **")
        self.pointer: Any = None
        self.choice = choice
        check(library.lib.oct_device_share(out, _base(choice)))
        self.pointer = out[0]

    def describe(self) -> Device:
        """What it is."""
        return _describe(opened().lib.oct_device_describe(self.pointer)[0], -1)

    def close(self) -> None:
        """Gives it back, after the simulation on it."""
        pointer, self.pointer = self.pointer, None
        if pointer is not None and not was_forked():
            opened().lib.oct_device_free(pointer)


# Devices that others share, by what was asked for; they stay open.
_bases: dict[str | None, Any] = {}
_lock = threading.Lock()


def _base(choice: str | None) -> Any:
    library = opened()
    with _lock:
        if choice not in _bases:
            out = library.ffi.new("oct_device **")
            name = library.ffi.NULL if choice is None else choice.encode()
            try:
                check(library.lib.oct_device_open(out, name))
            except (MissingError, DeviceError) as error:
                if devices():
                    raise
                raise MissingError(
                    f"no OpenCL device was found: {_drivers.ADVICE}", error.place
                ) from None
            _bases[choice] = out[0]
        return _bases[choice]
