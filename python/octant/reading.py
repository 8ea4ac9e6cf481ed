"""Files of bodies: snapshots, checkpoints, GADGET's HDF5 and CSV, read when they are looked at."""

from __future__ import annotations

import os
import pathlib
from typing import Any, Union

import numpy as np

from ._arrays import columns_of
from ._errors import InputError, MissingError
from ._library import check, encode, opened, sized, text
from ._units import Units

Path = Union[str, "os.PathLike[str]"]


class File:
    """A file of bodies: columns are attributes, read at the first look; ``quantity`` adds units."""

    def __init__(self, path: Path, units: str | None = None) -> None:
        self.path = pathlib.Path(os.fsdecode(encode(path)))
        self._into = units
        self._columns: dict[str, np.ndarray] | None = None
        self._about: dict[str, Any] = {}
        if not self.path.is_file():
            raise MissingError(f"there is no file '{self.path}'")

    def _load(self) -> dict[str, np.ndarray]:
        if self._columns is None:
            self._columns = self._read()
        return self._columns

    def _read(self) -> dict[str, np.ndarray]:
        library = opened()
        ffi = library.ffi
        into = ffi.NULL
        if self._into is not None:
            into = ffi.new("oct_units *")
            check(library.lib.oct_units_from_text(into, encode(self._into)))
        bodies, info = ffi.new("oct_bodies *"), sized("oct_file_info")
        check(library.lib.oct_bodies_read(bodies, info, encode(self.path), into))
        try:
            found, self._dimensions, self._unit_texts = {}, {}, {}
            for name, column in columns_of(ffi.NULL).items():
                size = np.dtype(column.dtype).itemsize * column.width * bodies.n
                data = ffi.buffer(getattr(bodies, name), size)
                found[name] = np.frombuffer(data, column.dtype).reshape(column.shape(bodies.n))
                self._dimensions[name] = column.dimension
            for i in range(bodies.n_columns):
                user = bodies.columns[i]
                data = np.frombuffer(ffi.buffer(user.data, 8 * user.width * bodies.n))
                name = text(user.name)
                found[name] = data.reshape(-1, 3) if user.width == 3 else data
                self._unit_texts[name] = text(user.unit)
            self._tell(info)
            return {name: array.copy() for name, array in found.items()}
        finally:
            library.lib.oct_bodies_clear(bodies)

    def _tell(self, info: Any) -> None:
        for name in ("kind", "title", "generator", "run", "components"):
            self._about[name] = text(getattr(info, name))
        for name in ("time", "step", "periodic", "orbit"):
            self._about[name] = getattr(info, name)
        self._about["box"] = np.array(list(info.box))
        self._about["units"] = Units.of(info.units, text(info.units.name))

    @property
    def info(self) -> dict[str, Any]:
        """What the file says beside the bodies: kind, title, time, step, box, units and more."""
        self._load()
        return dict(self._about)

    @property
    def time(self) -> float:
        """The simulated time, in the file's units."""
        return self.info["time"]

    @property
    def units(self) -> Units:
        """The units of the numbers."""
        return self.info["units"]

    @property
    def names(self) -> list[str]:
        """The names of the columns."""
        return list(self._load())

    def quantity(self, name: str) -> Any:
        """A column, or the time, with its unit, as astropy's quantity."""
        units = self.units
        if name == "time":
            return self.time * units.unit(0, 0, 1)
        array = self[name]
        if name in self._unit_texts:
            from astropy import units as known

            return array * known.Unit(self._unit_texts[name])
        return array * units.unit(*self._dimensions[name])

    def __getitem__(self, name: str) -> np.ndarray:
        columns = self._load()
        if name not in columns:
            raise InputError(f"'{self.path}' has no column '{name}'; it has {', '.join(columns)}")
        return columns[name]

    def __getattr__(self, name: str) -> np.ndarray:
        if name.startswith("_") or name not in self._load():
            raise AttributeError(f"a file of bodies has no '{name}'")
        return self[name]

    def __dir__(self) -> list[str]:
        return sorted({*object.__dir__(self), *self._load()})

    def __len__(self) -> int:
        return len(self._load()["id"])

    def __repr__(self) -> str:
        state = "not read yet" if self._columns is None else f"{len(self)} bodies"
        return f"<octant.File '{self.path}', {state}>"


def read(path: Path, units: str | None = None) -> File:
    """A file of bodies, which is read when it is first looked at.

    ``units`` converts numbers: a name (``"solar"``) or sizes (``"AU, Msun, yr"``).
    """
    return File(path, units)
