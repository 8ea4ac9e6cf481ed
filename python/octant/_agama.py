"""Exchange with AGAMA: samples of its models in, places and velocities for it out."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

import numpy as np

from ._errors import InputError
from ._library import opened
from ._units import Units
from .simulation import Simulation

# What AGAMA's units are told in: kpc, km/s and solar masses, in SI.
IN_SI = {"length": 3.0856775814913673e19, "velocity": 1e3, "mass": 1.3271244e20 / 6.6743e-11}
POWERS = {"length": (1, 0, 0), "velocity": (1, 0, -1), "mass": (0, 1, 0)}


def _sizes(units: Mapping[str, Any]) -> tuple[float, float, float]:
    """AGAMA's units of length, velocity and mass in SI."""
    from ._quantities import is_quantity, number_of

    missing = [name for name in IN_SI if name not in units]
    if missing:
        raise InputError(
            f"AGAMA's units have no {', '.join(missing)}; expected length (kpc), velocity (km/s) "
            "and mass (solar masses), as agama.setUnits takes them"
        )
    sizes = []
    for name, si in IN_SI.items():
        value = units[name]
        size = number_of(value, POWERS[name], True) if is_quantity(value) else float(value) * si
        if not 0 < size < np.inf:
            raise InputError(f"AGAMA's unit of {name} is {value}; expected more than 0")
        sizes.append(float(size))
    return sizes[0], sizes[1], sizes[2]


def _taken(sample: Any, mass: Any) -> tuple[np.ndarray, np.ndarray]:
    """Places with velocities, n x 6, and masses."""
    if isinstance(sample, tuple):
        if len(sample) != 2 or mass is not None:
            raise InputError("a sample is a pair: places with velocities (n x 6), and masses (n)")
        sample, mass = sample
    if mass is None:
        raise InputError("the sample has no masses: give the pair that AGAMA's sample() returns")
    table = np.asarray(sample, float)
    if table.ndim != 2 or table.shape[1] != 6:
        raise InputError(f"the sample has the shape {table.shape}; expected (n, 6)")
    masses = np.asarray(mass, float)
    if masses.shape not in ((), (len(table),)):
        raise InputError(f"the masses have the shape {masses.shape}; expected ({len(table)},)")
    return table, np.broadcast_to(masses, len(table))


def from_agama(
    sample: Any, mass: Any = None, *, agama_units: Mapping[str, Any] | None = None, **keys: Any
) -> Simulation:
    """A simulation of a sample of AGAMA's, the pair that ``sample(n)`` returns: places with
    velocities (n x 6) and masses.

    ``agama_units`` is what ``agama.setUnits`` was given, ``dict(length=1, velocity=1, mass=1)`` in
    kpc, km/s and solar masses, or what ``agama.getUnits()`` returns; the simulation is in
    ``galactic`` units then. Without it G is 1, as in AGAMA before its units are set, and the units
    are ``nbody``. Keywords are the scene.
    """
    table, masses = _taken(sample, mass)
    length = speed = weight = 1.0
    keys.setdefault("units", "nbody" if agama_units is None else "galactic")
    if agama_units is not None:
        own = opened().lib.oct_units_find(keys["units"].encode())
        if own == opened().ffi.NULL or not own.physical:
            raise InputError(f"AGAMA's units need physical ones, not units={keys['units']!r}")
        sizes = _sizes(agama_units)
        length, weight = sizes[0] / own.length, sizes[2] / own.mass
        speed = sizes[1] / (own.length / own.time)
    elif keys["units"] != "nbody":
        raise InputError("say which units AGAMA's numbers have: agama_units=agama.getUnits()")
    arrays = {
        "position": table[:, :3] * length,
        "velocity": table[:, 3:] * speed,
        "mass": masses * weight,
    }
    return Simulation(bodies=arrays, **keys)


def to_agama(
    sim: Simulation, agama_units: Mapping[str, Any] | None = None
) -> tuple[np.ndarray, np.ndarray]:
    """Places with velocities (n x 6) and masses, the pair that AGAMA's ``sample(n)`` returns.

    In the units that AGAMA was given, by default kpc, km/s and solar masses; of a simulation in
    ``nbody`` units the numbers as they are.
    """
    units: Units = sim.units
    bodies = sim.bodies
    length = speed = weight = 1.0
    if units.physical:
        sizes = _sizes(agama_units or dict.fromkeys(IN_SI, 1))
        length, weight = units.length / sizes[0], units.mass / sizes[2]
        speed = units.length / units.time / sizes[1]
    elif agama_units is not None:
        raise InputError("the simulation has units nbody, whose numbers are in no units of AGAMA's")
    return np.hstack([bodies.position * length, bodies.velocity * speed]), bodies.mass * weight
