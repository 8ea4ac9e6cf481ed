"""Values of Python as a scene has them, and back."""

from __future__ import annotations

import json
import math
import os
from collections.abc import Iterator, Mapping
from typing import Any

from ._errors import InputError
from ._quantities import as_astropy, is_quantity


def _with_unit(value: Any) -> Any:
    """A quantity as text with SI units, or a list of such."""
    from ._units import si_text

    si = as_astropy(value).si
    unit = si_text(si.unit)
    numbers = si.value
    if getattr(numbers, "ndim", 0):
        return [f"{float(x)!r} {unit}".strip() for x in numbers.ravel()]
    return f"{float(numbers)!r} {unit}".strip()


def whole(name: str, value: Any, least: int = 0, most: int = 2**62) -> int:
    """A whole number within bounds, such as a count of steps."""
    try:
        number = int(value)
        good = bool(number == value and least <= number <= most)
    except (TypeError, ValueError, OverflowError):
        good = False
    if not good or isinstance(value, (str, bool)):
        limits = f"from {least} to {most}" if most < 2**62 else f"of {least} or more"
        raise InputError(f"{name}={value!r}; expected a whole number {limits}")
    return number


def mapping(name: str, value: Any) -> Mapping[Any, Any]:
    """A dict, or nothing."""
    if value is not None and not isinstance(value, Mapping):
        raise InputError(f"{name} is a {type(value).__name__}; expected a dict")
    return value or {}


def plain(value: Any) -> Any:
    """A value as JSON can say it: arrays become lists, quantities text, paths their names."""
    if is_quantity(value):
        return _with_unit(value)
    if isinstance(value, (str, bool, int)):
        return value
    if isinstance(value, float):
        return value if math.isfinite(value) else str(value)
    if isinstance(value, os.PathLike):
        return os.fspath(value)
    if isinstance(value, Mapping):
        return {str(key): plain(item) for key, item in value.items()}
    if hasattr(value, "tolist"):
        return plain(value.tolist())
    if isinstance(value, (list, tuple)):
        return [plain(item) for item in value]
    if hasattr(value, "to_dict"):
        return plain(value.to_dict())
    raise InputError(
        f"a {type(value).__name__} cannot stand in a scene; expected a number, text, a list, a "
        "dict or a quantity"
    )


def as_text(value: Any) -> str:
    """A value as the right side of an assignment."""
    return json.dumps(plain(value), ensure_ascii=False)


def assignments(key: str, value: Any, selector: str = "") -> Iterator[tuple[str, str]]:
    """A value of a section as single assignments, that of the method first."""
    if not isinstance(value, Mapping):
        yield key, as_text(value)
        return
    if not value and "." in key:  # a column with nothing but its name; of a section it says nothing
        yield key, "{}"
    for name in sorted(value, key=lambda name: name != selector):
        yield from assignments(f"{key}.{name}", value[name])


def from_scene(value: Any, kind: str) -> Any:
    """A value of a resolved scene as Python has that type of field."""
    if kind in ("real", "seconds"):
        return float(value)
    if kind == "real3":
        import numpy

        return numpy.array([float(x) for x in value])
    if kind == "int3":
        return tuple(value)
    return value
