"""Exchange with AMUSE: particle sets in and out, with their units and keys."""

from __future__ import annotations

from typing import Any

import numpy as np

from ._errors import InputError
from ._library import encode, opened
from ._quantities import is_quantity, number_of
from ._units import Units
from .simulation import Simulation

SPEED = (1, 0, -1)
NEEDED = {
    "mass": (0, 1, 0),
    "x": (1, 0, 0),
    "y": (1, 0, 0),
    "z": (1, 0, 0),
    "vx": SPEED,
    "vy": SPEED,
    "vz": SPEED,
}
NEAR_M = 3e15  # 0.1 pc: what reaches farther is in galactic units


def _present(particles: Any) -> dict[str, Any]:
    """The attributes that bodies are made of; says which are missing."""
    missing = [name for name in NEEDED if not hasattr(particles, name)]
    if missing:
        raise InputError(
            f"the particles have no {', '.join(missing)}; expected {', '.join(NEEDED)}, and radius "
            "where they have one"
        )
    found = {name: getattr(particles, name) for name in NEEDED}
    if hasattr(particles, "radius"):
        found["radius"] = particles.radius
    return found


def _units_of(place: Any, wanted: str | None) -> Units:
    """The units that numbers are wanted in: those that are named, or what suits the places."""
    name = wanted or "nbody"
    if wanted is None and is_quantity(place):
        try:
            number_of(place, (1, 0, 0), False)
        except InputError:
            reach = np.abs(np.asarray(number_of(place, (1, 0, 0), True)))
            name = "solar" if reach.max(initial=0) < NEAR_M else "galactic"
    struct = opened().lib.oct_units_find(encode(name))
    if struct == opened().ffi.NULL:
        raise InputError(f"there are no units '{name}'; expected si, nbody, solar or galactic")
    return Units.of(struct, name)


def from_amuse(particles: Any, *, units: str | None = None, **keys: Any) -> Simulation:
    """A simulation of a particle set of AMUSE's, or of anything that has mass, x, y, z, vx, vy and
    vz, and radius, as arrays with units.

    Numbers of AMUSE's nbody_system, or plain ones, become a simulation in ``nbody`` units; others
    one in ``solar`` units, or in ``galactic`` ones where particles are 0.1 pc away or farther;
    ``units`` says which instead. AMUSE's keys are the ids, so that what `to_amuse` returns can be
    copied to the set by a channel. Keywords are the scene: ``from_amuse(stars, gravity="tree",
    integrator={"dt": 0.01 | units.Myr})``.
    """
    columns = _present(particles)
    system = _units_of(columns["x"], units)
    numbers = {}
    for name, value in columns.items():
        powers = NEEDED.get(name, (1, 0, 0))
        try:
            numbers[name] = np.asarray(system.value(value, *powers), float)
        except InputError as error:
            raise InputError(f"{name}: {error}") from None
    arrays = {
        "position": np.stack([numbers[name] for name in ("x", "y", "z")], axis=-1),
        "velocity": np.stack([numbers[name] for name in ("vx", "vy", "vz")], axis=-1),
        "mass": numbers["mass"],
    }
    if "radius" in numbers:
        arrays["radius"] = numbers["radius"]
    if hasattr(particles, "key"):
        arrays["id"] = np.asarray(particles.key, np.uint64)
    return Simulation(bodies=arrays, units=system.name, **keys)


def to_amuse(sim: Simulation) -> Any:
    """The bodies as a particle set of AMUSE's: mass, position, velocity and radius, in SI or in
    nbody_system, with the ids as keys."""
    try:
        from amuse.datamodel import Particles
        from amuse.units import nbody_system, units
    except ImportError:
        raise ImportError("AMUSE is not installed: pip install amuse-framework") from None
    bodies, system = sim.bodies, sim.units
    if system.physical:
        length, mass, speed = units.m, units.kg, units.m / units.s
        factors = (system.length, system.mass, system.length / system.time)
    else:
        length, mass, speed = nbody_system.length, nbody_system.mass, nbody_system.speed
        factors = (1.0, 1.0, 1.0)
    particles = Particles(keys=bodies.id)
    particles.mass = mass.new_quantity(bodies.mass * factors[1])
    particles.position = length.new_quantity(bodies.position * factors[0])
    particles.velocity = speed.new_quantity(bodies.velocity * factors[2])
    particles.radius = length.new_quantity(bodies.radius * factors[0])
    return particles
