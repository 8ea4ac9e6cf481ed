"""Measurements: a row of named numbers, and a table of such rows."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from typing import TYPE_CHECKING, Any, NamedTuple

import numpy as np

from ._errors import InputError
from ._library import text
from ._units import Units

if TYPE_CHECKING:
    import pandas


class Measure(NamedTuple):
    """A column of measurements."""

    name: str
    width: int
    dimension: tuple[int, int, int]
    doc: str
    unit: str


def measures(columns: Any) -> list[Measure]:
    """The library's columns, up to the one without a name."""
    found, i = [], 0
    while columns[i].name:
        c = columns[i]
        dimension = (c.length, c.mass, c.time)
        found.append(Measure(text(c.name), c.count, dimension, text(c.doc), text(c.unit)))
        i += 1
    return found


class Record(Mapping[str, Any]):
    """What was measured at a moment: numbers by name, ``record.energy`` or ``record["energy"]``."""

    __slots__ = ("step", "time", "_table", "_values")

    def __init__(self, table: Table, step: int, time: float, values: np.ndarray) -> None:
        self.step, self.time, self._table, self._values = step, time, table, values

    def __getitem__(self, name: str) -> Any:
        first, measure = self._table._places[name]
        if measure.width == 1:
            return float(self._values[first])
        return self._values[first : first + measure.width]

    def __getattr__(self, name: str) -> Any:
        if name.startswith("_"):  # one that is not whole yet, as pickle makes them
            raise AttributeError(name)
        if name not in self._table._places:
            raise AttributeError(f"'{name}' is not measured; there are {', '.join(self)}")
        return self[name]

    def __iter__(self) -> Iterator[str]:
        return iter(self._table._places)

    def __len__(self) -> int:
        return len(self._table._places)

    def __dir__(self) -> list[str]:
        return sorted({*object.__dir__(self), *self})

    def quantity(self, name: str) -> Any:
        """A number with its unit, as astropy's quantity."""
        unit = self._table.unit(name)
        return self[name] * unit

    def __repr__(self) -> str:
        shown = ", ".join(f"{name}={self[name]}" for name in self)
        return f"<record at step {self.step}, time {self.time:g}: {shown}>"


class Table:
    """Rows of measurements as NumPy arrays by column: ``table.energy``, ``table["energy"]``."""

    def __init__(self, columns: Sequence[Measure], units: Units) -> None:
        self.columns = list(columns)
        self.units = units
        self._places: dict[str, tuple[int, Measure]] = {}
        first = 0
        for measure in self.columns:
            self._places[measure.name] = (first, measure)
            first += measure.width
        self.width = first
        self._rows: list[Record] = []

    def add(self, step: int, time: float, values: np.ndarray) -> Record:
        """Adds a row."""
        self._rows.append(Record(self, step, time, values))
        return self._rows[-1]

    @property
    def step(self) -> np.ndarray:
        """The step of each row."""
        return np.array([row.step for row in self._rows], np.uint64)

    @property
    def time(self) -> np.ndarray:
        """The time of each row, in the units of the scene."""
        return np.array([row.time for row in self._rows])

    def __getitem__(self, name: str) -> np.ndarray:
        first, measure = self._places[name]
        shape = (0,) if measure.width == 1 else (0, measure.width)
        return np.array([row[name] for row in self._rows]) if self._rows else np.empty(shape)

    def __getattr__(self, name: str) -> np.ndarray:
        if name.startswith("_"):
            raise AttributeError(name)
        if name not in self._places:
            raise AttributeError(f"'{name}' is not measured; there are {', '.join(self.names)}")
        return self[name]

    def __dir__(self) -> list[str]:
        return sorted({*object.__dir__(self), *self._places})

    @property
    def names(self) -> list[str]:
        """The names of what was measured."""
        return list(self._places)

    def doc(self, name: str) -> str:
        """What a column is."""
        return self._places[name][1].doc

    def unit(self, name: str) -> Any:
        """astropy's unit of a column."""
        if name not in self._places:
            raise InputError(f"'{name}' is not measured; there are {', '.join(self.names)}")
        measure = self._places[name][1]
        if measure.unit in ("deg", "yr"):
            from astropy import units

            return units.Unit(measure.unit)
        return self.units.unit(*measure.dimension)

    def quantity(self, name: str) -> Any:
        """A column with its unit, as astropy's quantity."""
        unit = self.unit(name)
        return self[name] * unit

    def to_pandas(self) -> pandas.DataFrame:
        """The rows as a pandas table with the time as index."""
        import pandas

        flat: dict[str, Any] = {"step": self.step}
        for name, (_, measure) in self._places.items():
            array = self[name]
            if measure.width == 1:
                flat[name] = array
            else:
                flat.update({f"{name}_{axis}": array[:, i] for i, axis in enumerate("xyz")})
        return pandas.DataFrame(flat, index=pandas.Index(self.time, name="time"))

    def __iter__(self) -> Iterator[Record]:
        return iter(self._rows)

    def __len__(self) -> int:
        return len(self._rows)

    def __repr__(self) -> str:
        return f"<{len(self)} rows of {', '.join(self.names)}>"

    def _repr_html_(self) -> str:
        head = "".join(f"<th>{name}</th>" for name in ("step", "time", *self.names))
        shown = self._rows if len(self._rows) <= 10 else self._rows[:5] + self._rows[-5:]
        rows = ""
        for row in shown:
            cells = (row.step, f"{row.time:.6g}", *(_short(row[name]) for name in self.names))
            rows += "<tr>" + "".join(f"<td>{cell}</td>" for cell in cells) + "</tr>"
        return f"<table><tr>{head}</tr>{rows}</table><p>{len(self)} rows</p>"


def _short(value: Any) -> str:
    if isinstance(value, float):
        return f"{value:.6g}"
    return "(" + ", ".join(f"{x:.4g}" for x in value) + ")"
