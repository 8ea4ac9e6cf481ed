"""What simulations are made of: devices, precisions and bodies as the library takes them."""

from __future__ import annotations

import os
from collections.abc import Mapping
from typing import Any

import numpy as np

from ._arrays import Column, GivenBodies
from ._devices import Device
from ._errors import InputError
from ._library import check, encode, opened, taken_text, text
from ._units import Units
from ._values import whole
from .scene import Scene


def choice(device: None | int | str | Device) -> str | None:
    """A device as the library is asked for it."""
    if device is None or isinstance(device, str):
        return device
    if isinstance(device, Device):
        return str(device.index)
    return str(whole("device", device))


def precision(name: str) -> int:
    """The library's number of a precision."""
    library = opened()
    numbers = sorted(library.ffi.typeof("oct_precision").elements)
    known = {text(library.lib.oct_precision_name(number)): number for number in numbers}
    if name not in known:
        raise InputError(f"there is no precision '{name}'; expected {', '.join(known)}")
    return known[name]


def given(scene: Scene, arrays: Mapping[str, Any]) -> GivenBodies:
    """Bodies in the units of a scene, with the columns that it declares."""
    library = opened()
    values = scene._values()
    struct = library.lib.oct_units_find(encode(values["units"]))
    units = Units.of(struct, values["units"])
    users = {}
    for name, declared in values["columns"].items():
        whole = declared["type"] == "integer"
        users[name] = Column(
            name=name,
            width=declared["width"],
            element=library.lib.OCT_ELEMENT_INT64 if whole else library.lib.OCT_ELEMENT_DOUBLE,
            dtype=np.int64 if whole else np.float64,
            dimension=(0, 0, 0),
            unit=declared["unit"],
            writable=True,
        )
    return GivenBodies(arrays, users, units)


def scene_of(checkpoint: str | os.PathLike[str]) -> str:
    """The scene that comes with a checkpoint, as resolved."""
    library = opened()
    out = library.ffi.new("oct_scene **")
    check(library.lib.oct_scene_restore(out, encode(checkpoint)))
    try:
        return taken_text(library.lib.oct_scene_resolve, out[0])
    finally:
        library.lib.oct_scene_free(out[0])
