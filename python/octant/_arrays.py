"""NumPy arrays as the library takes bodies, and back."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any, NamedTuple

import numpy as np

from ._errors import InputError
from ._library import encode, opened, sized, text
from ._units import Units

# NumPy's types for those of the library.
ELEMENTS = {
    "OCT_ELEMENT_DOUBLE": np.float64,
    "OCT_ELEMENT_FLOAT": np.float32,
    "OCT_ELEMENT_INT64": np.int64,
    "OCT_ELEMENT_UINT64": np.uint64,
    "OCT_ELEMENT_UINT32": np.uint32,
    "OCT_ELEMENT_UINT8": np.uint8,
}


class Column(NamedTuple):
    """What a column of bodies is."""

    name: str
    width: int
    element: int
    dtype: Any
    dimension: tuple[int, int, int]
    unit: str | None
    writable: bool

    def shape(self, n: int) -> tuple[int, ...]:
        """That of the numbers of n bodies."""
        return (n, 3) if self.width == 3 else (n,)


def columns_of(sim: Any) -> dict[str, Column]:
    """The columns of a simulation's bodies; of NULL, those that all bodies have."""
    library = opened()
    ffi = library.ffi
    dtypes = {getattr(library.lib, name): dtype for name, dtype in ELEMENTS.items()}
    told = sized("oct_body_column")
    found: dict[str, Column] = {}
    while library.lib.oct_sim_body_column(told, sim, len(found)):
        name = text(told.name)
        found[name] = Column(
            name=name,
            width=told.width,
            element=int(told.element),
            dtype=dtypes[int(told.element)],
            dimension=(told.length, told.mass, told.time),
            unit=None if told.unit == ffi.NULL else text(told.unit),
            writable=bool(told.writable),
        )
    return found


def numbers(value: Any, column: Column, units: Units, n: int | None = None) -> np.ndarray:
    """A value as the array of a column: of n bodies, or of as many as it has."""
    value = units.value(value, *column.dimension)
    if np.ma.is_masked(value):
        raise InputError(f"{column.name} has masked values; expected numbers for all bodies")
    try:
        array = np.asarray(value)
    except (TypeError, ValueError) as error:
        raise InputError(f"{column.name}: {error}") from None
    allowed = "fiub" if column.dtype == np.float64 else "iub"
    if array.dtype.kind not in allowed:
        kind = "numbers" if "f" in allowed else "whole numbers"
        raise InputError(f"{column.name} is of type {array.dtype}; expected {kind}")
    if array.dtype.kind in "iu" and column.dtype != np.float64 and array.size:
        limits = np.iinfo(column.dtype)
        low, high = int(array.min()), int(array.max())
        if low < limits.min or high > limits.max:
            wrong = low if low < limits.min else high
            raise InputError(f"{column.name} {wrong} is not from {limits.min} to {limits.max}")
    if n is None:
        n = array.shape[0] if array.ndim else 1
    shape = column.shape(n)
    if array.shape != shape:
        try:
            array = np.broadcast_to(array, shape)
        except ValueError:
            raise InputError(
                f"{column.name} has the shape {array.shape}; expected {shape}"
            ) from None
    return np.ascontiguousarray(array, dtype=column.dtype)


def id_array(ids: Any) -> np.ndarray:
    """Ids of bodies, which say who is meant."""
    array = np.atleast_1d(np.asarray(ids))
    if array.size and (array.dtype.kind not in "iu" or int(array.min()) < 0):
        raise InputError(f"{ids!r} are no ids of bodies; expected whole numbers")
    return np.ascontiguousarray(array.ravel(), np.uint64)


class GivenBodies:
    """Bodies of arrays, as the library's struct, which points into them."""

    def __init__(
        self, arrays: Mapping[str, Any], users: Mapping[str, Column], units: Units
    ) -> None:
        ffi = opened().ffi
        known = columns_of(ffi.NULL)
        if "position" not in arrays:
            raise InputError("bodies have no position; expected an array of shape (n, 3)")
        position = numbers(arrays["position"], known["position"], units)
        n = len(position)
        self.struct = ffi.new("oct_bodies *")
        self.struct.n = n
        self.arrays: dict[str, np.ndarray] = {}
        self._kept: list[Any] = []
        rest = {}
        for name, value in arrays.items():
            if name in known:
                array = numbers(value, known[name], units, n)
                self.arrays[name] = array.copy() if array is value else array
                pointer = ffi.cast(_pointer_type(name), ffi.from_buffer(self.arrays[name]))
                setattr(self.struct, name, pointer)
            elif name in users:
                rest[name] = numbers(value, users[name]._replace(dtype=np.float64), units, n)
            else:
                names = ", ".join([*known, *users])
                raise InputError(f"bodies have no column '{name}'; expected {names}")
        # Ids that the library gives are written back.
        if "id" not in self.arrays:
            self.arrays["id"] = np.zeros(n, np.uint64)
            self.struct.id = ffi.cast("uint64_t *", ffi.from_buffer(self.arrays["id"]))
        self._add_users(rest, users)

    def _add_users(self, rest: Mapping[str, np.ndarray], users: Mapping[str, Column]) -> None:
        ffi = opened().ffi
        columns = ffi.new("oct_user_column[]", max(len(rest), 1))
        for struct, (name, array) in zip(columns, rest.items()):
            struct.name = encode(name)
            struct.unit = encode(users[name].unit or "")
            struct.width = users[name].width
            struct.integer = users[name].dtype == np.int64
            struct.data = ffi.cast("double *", ffi.from_buffer(array))
        self._kept += [columns, dict(rest)]
        self.struct.n_columns = len(rest)
        self.struct.columns = columns


def _pointer_type(name: str) -> Any:
    return dict(opened().ffi.typeof("oct_bodies").fields)[name].type
