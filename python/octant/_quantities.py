"""Numbers that come with units: astropy's, unyt's (yt, swiftsimio), pynbody's and AMUSE's.

None of these packages is imported before one of its quantities is there.
"""

from __future__ import annotations

from typing import Any

from ._errors import InputError

SI = ("m", "kg", "s")


def is_quantity(value: Any) -> bool:
    """Whether a value has a unit."""
    return _converter(value) is not None


def _converter(value: Any) -> Any:
    """The function that converts a quantity of this kind, or None."""
    if hasattr(value, "value_in"):
        return _from_amuse
    if hasattr(value, "to_value"):
        return _from_astropy if hasattr(value, "unit") else _from_unyt
    if hasattr(value, "in_units") and hasattr(value, "units"):
        return _from_pynbody if str(value.units) != "NoUnit()" else None
    return None


def _text(powers: tuple[int, ...], times: str) -> str:
    return times.join(f"{name}**{power}" for name, power in zip(SI, powers) if power)


def _from_astropy(value: Any, powers: tuple[int, ...], physical: bool) -> Any:
    from astropy import units

    angles = units.dimensionless_angles()
    if not physical:
        return value.to_value(units.dimensionless_unscaled, equivalencies=angles)
    length, mass, time = powers
    return value.to_value(units.m**length * units.kg**mass * units.s**time, equivalencies=angles)


def _from_unyt(value: Any, powers: tuple[int, ...], physical: bool) -> Any:
    return value.to_value(_text(powers, "*") if physical and any(powers) else "dimensionless")


def _from_pynbody(value: Any, powers: tuple[int, ...], physical: bool) -> Any:
    import numpy as np

    return np.asarray(value.in_units(_text(powers, " ") if physical and any(powers) else "1"))


def _from_amuse(value: Any, powers: tuple[int, ...], physical: bool) -> Any:
    from amuse.units import nbody_system, units

    bases = (units.m, units.kg, units.s)
    if not physical:
        bases = (nbody_system.length, nbody_system.mass, nbody_system.time)
    unit = units.none
    for base, power in zip(bases, powers):
        unit = unit * base**power
    return value.value_in(unit)


def unit_of(value: Any) -> str:
    """The unit of a quantity as its package writes it."""
    return str(getattr(value, "unit", None) or value.units)


def number_of(value: Any, powers: tuple[int, ...], physical: bool) -> Any:
    """The number of a quantity in SI, by the powers of length, mass and time.

    In a simulation without physical units only numbers without a unit mean something, and AMUSE's
    of its nbody_system.
    """
    converter = _converter(value)
    try:
        return converter(value, powers, physical)
    except ImportError:
        raise
    except Exception as error:  # each package has classes of its own for this
        if not physical:
            raise InputError(
                f"'{unit_of(value)}' means nothing in a simulation with units nbody; give a number"
            ) from error
        raise InputError(f"'{unit_of(value)}' is no unit of {_dimension(powers)}") from error


def as_astropy(value: Any) -> Any:
    """A quantity as astropy's, whose unit tells its dimension."""
    if hasattr(value, "as_astropy_quantity"):
        return value.as_astropy_quantity()
    if hasattr(value, "to_astropy"):
        return value.to_astropy()
    if hasattr(value, "si"):
        return value
    from astropy import units

    return units.Quantity(value, units.Unit(str(value.units).replace("**", "^")))


def _dimension(powers: tuple[int, ...]) -> str:
    named = zip(("length", "mass", "time"), powers)
    return " ".join(f"{name}^{p}" if p != 1 else name for name, p in named if p) or "a number"
