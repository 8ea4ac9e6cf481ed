"""Units: those of a simulation as astropy's, and numbers that come with units."""

from __future__ import annotations

from typing import Any, NamedTuple

from ._errors import InputError
from ._quantities import is_quantity, number_of


class Units(NamedTuple):
    """A system of units: one of length, mass and time in SI, and G in them."""

    name: str
    physical: bool
    length: float
    mass: float
    time: float
    G: float

    @classmethod
    def of(cls, struct: Any, name: str) -> Units:
        """From the library's struct."""
        return cls(name, struct.physical, struct.length, struct.mass, struct.time, struct.G)

    def unit(self, length: int, mass: int, time: int) -> Any:
        """astropy's unit of a dimension, given by its powers."""
        units = _astropy_units()
        if not self.physical or (length, mass, time) == (0, 0, 0):
            return units.dimensionless_unscaled
        named = _NAMED.get(self.name)
        if named is not None:
            bases = [units.Unit(text) for text in named]
        else:
            sizes = (self.length, self.mass, self.time)
            bases = [units.Unit(size * units.Unit(si)) for size, si in zip(sizes, ("m", "kg", "s"))]
        unit = bases[0] ** length * bases[1] ** mass * bases[2] ** time
        return units.Unit(unit)

    def value(self, quantity: Any, length: int, mass: int, time: int) -> Any:
        """The number of a quantity in these units; plain numbers are in them already."""
        if not is_quantity(quantity):
            return quantity
        number = number_of(quantity, (length, mass, time), self.physical)
        if not self.physical:
            return number
        return number / (self.length**length * self.mass**mass * self.time**time)


# How a reader knows them: length, mass and time.
SYMBOLS = {
    "si": ("m", "kg", "s"),
    "solar": ("AU", "Earth masses", "d"),
    "galactic": ("kpc", "10¹⁰ solar masses", "kpc/(km/s)"),
}
# As astropy spells the library's systems; sizes agree to the digits that constants have.
_NAMED = {"si": ("m", "kg", "s"), "solar": ("AU", "earthMass", "day")}


def _astropy_units() -> Any:
    try:
        from astropy import units
    except ImportError:
        raise ImportError(
            "quantities need astropy, which is not installed: pip install astropy"
        ) from None
    return units


def si_text(unit: Any) -> str:
    """An SI unit as scenes write it: 'kg/m^2'."""
    above, below = "", ""
    for base, power in zip(unit.bases, unit.powers):
        name, whole = base.to_string(), int(power)
        if name == "rad":
            continue
        if name not in ("m", "kg", "s") or whole != power:
            raise InputError(f"a scene has no unit '{unit}'; it has lengths, masses and times")
        power_text = f"^{abs(whole)}" if abs(whole) != 1 else ""
        if whole > 0:
            above += f" {name}{power_text}"
        else:
            below += f"/{name}{power_text}"
    return (above.strip() + below).strip()
