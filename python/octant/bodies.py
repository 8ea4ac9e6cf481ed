"""The bodies of a simulation as NumPy arrays, by column."""

from __future__ import annotations

import difflib
from collections.abc import Iterator
from typing import TYPE_CHECKING, Any

import numpy as np

from ._arrays import Column, id_array, numbers
from ._errors import InputError
from ._library import check, encode, opened

if TYPE_CHECKING:
    from .simulation import Simulation


class Bodies:
    """Bodies, all of them or a selection: ``sim.bodies``, ``sim.bodies[mask]``.

    Columns are attributes, and those that the scene declares too: ``position``, ``velocity``,
    ``mass``, ``radius``, ``spin``, ``acceleration``, ``potential``, ``id``, ``type``, ``system``.
    Reading gives a copy that cannot be changed; assigning writes: ``bodies.velocity = v``. A
    selection takes what NumPy takes: a slice, a mask, a list of indices, one index.
    """

    __slots__ = ("_sim", "_chosen")
    _sim: Simulation
    _chosen: np.ndarray | None

    def __init__(self, sim: Simulation, chosen: np.ndarray | None = None) -> None:
        object.__setattr__(self, "_sim", sim)
        object.__setattr__(self, "_chosen", chosen)

    # Selecting

    def __len__(self) -> int:
        with self._sim._core:
            places = self._places()
            return self._sim._size() if places is None else len(places)

    def __getitem__(self, which: Any) -> Bodies:
        with self._sim._core:
            places = self._places()
            if places is None:
                places = np.arange(self._sim._size(), dtype=np.uint32)
        if isinstance(which, tuple):
            raise InputError("bodies have one index; a column has more: bodies.position[0, 2]")
        try:
            chosen = np.atleast_1d(places[which])
        except (IndexError, TypeError) as error:
            raise InputError(f"no selection of {len(places)} bodies: {error}") from None
        if chosen.ndim != 1 or which is None:
            raise InputError("no selection of bodies: an index has one dimension")
        return Bodies(self._sim, chosen.astype(np.uint32))

    def __iter__(self) -> Iterator[Bodies]:
        return (self[i] for i in range(len(self)))

    def __reduce__(self) -> Any:
        return Bodies, (self._sim, self._chosen)

    def of(self, ids: Any) -> Bodies:
        """Those with these ids, in this order."""
        wanted = id_array(ids)
        found = np.empty(len(wanted), np.uint32)
        library = opened()
        with self._sim._core as pointer:
            check(
                library.lib.oct_sim_find(
                    library.ffi.from_buffer("uint32_t[]", found, require_writable=True),
                    pointer,
                    library.ffi.from_buffer("uint64_t[]", wanted),
                    len(wanted),
                )
            )
        missing = wanted[found == np.iinfo(np.uint32).max]
        if missing.size:
            raise InputError(f"there is no body with id {missing[0]}")
        return Bodies(self._sim, found)

    def _places(self) -> np.ndarray | None:
        """Indices in the library's arrays; None: all. A selection holds as long as its bodies."""
        if self._chosen is not None:
            return self._chosen
        if self._sim._size() == self._sim._count():
            return None
        kinds = self._sim._read(self._sim._columns()["type"], None)
        return np.flatnonzero(kinds != opened().lib.OCT_TYPE_REMOVED).astype(np.uint32)

    # Columns

    def __getattr__(self, name: str) -> np.ndarray:
        if name.startswith("_"):
            raise AttributeError(name)
        with self._sim._core:
            column = self._column(name)
            array = self._sim._read(column, self._places())
        array.flags.writeable = False
        return array

    def __setattr__(self, name: str, value: Any) -> None:
        library = opened()
        with self._sim._core as pointer:
            column = self._column(name)
            places = self._places()
            n = self._sim._size() if places is None else len(places)
            array = numbers(value, column, self._sim.units, n)
            selection = self._sim._selection(places)
            data = library.ffi.from_buffer(array)
            check(library.lib.oct_sim_write(pointer, encode(name), selection, data, column.element))

    def quantity(self, name: str) -> Any:
        """A column with its unit, as astropy's quantity."""
        from astropy import units

        with self._sim._core:
            column = self._column(name)
        if column.unit is not None:
            unit = units.Unit(column.unit)
        else:
            unit = self._sim.units.unit(*column.dimension)
        return getattr(self, name) * unit

    def to_dict(self) -> dict[str, np.ndarray]:
        """All columns by name."""
        return {name: getattr(self, name) for name in self._sim._columns()}

    def to_pandas(self) -> Any:
        """A pandas table with a row for each body; vectors have a column a coordinate."""
        import pandas

        flat = {}
        for name, array in self.to_dict().items():
            if array.ndim == 2:
                flat.update({f"{name}_{axis}": array[:, i] for i, axis in enumerate("xyz")})
            else:
                flat[name] = array
        return pandas.DataFrame(flat)

    def _column(self, name: str) -> Column:
        columns = self._sim._columns()
        if name not in columns:
            near = difflib.get_close_matches(name, columns, 1)
            hint = f"; did you mean '{near[0]}'?" if near else ""
            raise AttributeError(f"bodies have no column '{name}'{hint}")
        return columns[name]

    def __dir__(self) -> list[str]:
        return sorted({*object.__dir__(self), *self._sim._columns()})

    def __repr__(self) -> str:
        return f"<{len(self)} bodies: {', '.join(self._sim._columns())}>"
