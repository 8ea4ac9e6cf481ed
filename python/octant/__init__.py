"""Octant: N-body simulation on any OpenCL device.

>>> import octant
>>> sim = octant.Simulation("plummer")
>>> rows = sim.run(until=1)
>>> sim.bodies.position
"""

from __future__ import annotations

import importlib
from typing import TYPE_CHECKING, Any

from ._errors import (
    AbsentError,
    BusyError,
    ClosedError,
    DeviceError,
    Error,
    FileError,
    ForkError,
    InputError,
    InternalError,
    MissingError,
    NumberError,
    OutOfMemoryError,
    SpaceError,
)

if TYPE_CHECKING:
    from . import plot
    from ._agama import from_agama, to_agama
    from ._amuse import from_amuse, to_amuse
    from ._devices import Device, devices
    from .bodies import Bodies
    from .exchange import from_rebound, to_rebound
    from .reading import File, read
    from .scene import Scene, builtin_scenes
    from .simulation import Simulation
    from .sweeping import sweep

# Loaded when they are first asked for: importing the package costs nothing.
_LAZY = {
    "Bodies": "bodies",
    "Device": "_devices",
    "File": "reading",
    "Scene": "scene",
    "Simulation": "simulation",
    "builtin_scenes": "scene",
    "devices": "_devices",
    "from_agama": "_agama",
    "from_amuse": "_amuse",
    "from_rebound": "exchange",
    "plot": "",
    "read": "reading",
    "sweep": "sweeping",
    "to_agama": "_agama",
    "to_amuse": "_amuse",
    "to_rebound": "exchange",
}

__all__ = [
    "AbsentError",
    "Bodies",
    "BusyError",
    "ClosedError",
    "Device",
    "DeviceError",
    "Error",
    "File",
    "FileError",
    "ForkError",
    "InputError",
    "InternalError",
    "MissingError",
    "NumberError",
    "OutOfMemoryError",
    "Scene",
    "Simulation",
    "SpaceError",
    "__version__",
    "builtin_scenes",
    "devices",
    "from_agama",
    "from_amuse",
    "from_rebound",
    "plot",
    "read",
    "sweep",
    "to_agama",
    "to_amuse",
    "to_rebound",
]


def __getattr__(name: str) -> Any:
    if name == "__version__":
        from ._library import opened, text

        return text(opened().lib.oct_version())
    if name not in _LAZY:
        raise AttributeError(f"module 'octant' has no attribute '{name}'")
    module = importlib.import_module(f".{_LAZY[name] or name}", __name__)
    value = getattr(module, name) if _LAZY[name] else module
    globals()[name] = value
    return value


def __dir__() -> list[str]:
    return sorted({*globals(), *__all__})
