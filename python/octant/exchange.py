"""Exchange with REBOUND: its simulations and archives in, bodies out."""

from __future__ import annotations

import math
import os
from typing import Any

import numpy as np

from ._errors import InputError
from .simulation import Simulation

# What REBOUND calls them, and Octant. What is not here starts as a leapfrog.
INTEGRATORS = {"leapfrog": "leapfrog", "sei": "sei", "whfast": "wh"}


def _arrays(source: Any) -> dict[str, np.ndarray]:
    n = source.N
    arrays = {"position": np.empty((n, 3)), "velocity": np.empty((n, 3))}
    arrays.update(mass=np.empty(n), radius=np.empty(n))
    source.serialize_particle_data(
        xyz=arrays["position"], vxvyvz=arrays["velocity"], m=arrays["mass"], r=arrays["radius"]
    )
    active = source.N_active
    if 0 <= active < n and arrays["mass"][active:].any():
        raise InputError("REBOUND's test particles have masses: set them to 0, or N_active to -1")
    return arrays


def _sizes(source: Any) -> tuple[float, float, float] | None:
    """REBOUND's units in SI; None where it has none."""
    from rebound import units

    named = source.units
    if named["length"] is None:
        return None
    return (
        units.lengths_SI[named["length"]],
        units.masses_SI[named["mass"]],
        units.times_SI[named["time"]],
    )


def from_rebound(source: Any, **keys: Any) -> Simulation:
    """A simulation of the particles of a ``rebound.Simulation``, or of the last one in an archive.

    Its G, softening, step and shearing box come along, and its integrator where Octant has it, else
    a leapfrog. With units the numbers become those of ``units: solar``, with REBOUND's own G. The
    time begins at 0. What functions do there (forces, restitution) is for keywords to say, which go
    over all of it: ``from_rebound(r, gravity="tree", collisions={...})``.
    """
    if isinstance(source, (str, os.PathLike)):
        import rebound

        source = rebound.Simulation(os.fspath(source))
    arrays, sizes = _arrays(source), _sizes(source)
    length = mass = time = 1.0
    scene: dict[str, Any] = {"units": "nbody"}
    if sizes is not None:
        from ._library import opened

        own = opened().lib.oct_units_find(b"solar")
        length, mass, time = sizes[0] / own.length, sizes[1] / own.mass, sizes[2] / own.time
        scene["units"] = "solar"
    factors = {"position": length, "velocity": length / time, "mass": mass, "radius": length}
    arrays = {name: array * factors[name] for name, array in arrays.items()}
    method = INTEGRATORS.get(str(source.integrator), "leapfrog")
    scene["integrator"] = {"method": method, "dt": abs(source.dt) * time}
    tree = source.gravity == "tree"
    scene["gravity"] = {"method": "tree" if tree else "direct"}
    scene["gravity"]["softening"] = source.softening * length
    if tree:
        scene["gravity"]["theta"] = math.sqrt(source.opening_angle2)
    if source.gravity == "none" or source.G == 0:
        scene["gravity"] = {"method": "none"}
    else:
        scene["G"] = source.G * length**3 / mass / time**2
    if source.boundary == "shear":
        counts = (source.N_root_x, source.N_root_y, source.N_root_z)
        scene["box"] = {
            "boundary": "shear",
            "size": [source.root_size * length * max(count, 1) for count in counts],
            "ghosts": [source.N_ghost_x, source.N_ghost_y, source.N_ghost_z],
            "omega": source.OMEGA / time,
            "beyond": "nothing",
        }
    known = {key: keys.pop(key) for key in ("device", "precision", "progress") if key in keys}
    from .scene import Scene

    return Simulation(Scene(scene, **keys), bodies=arrays, **known)


def to_rebound(sim: Simulation) -> Any:
    """The bodies as a new ``rebound.Simulation``, with time, step, G and units."""
    import rebound

    other = rebound.Simulation()
    bodies = sim.bodies
    columns = [bodies.mass, bodies.radius, *bodies.position.T, *bodies.velocity.T]
    factors = [1.0] * 8
    other.G, other.t, other.dt = sim.units.G, sim.time, sim.dt
    if sim.units.physical:
        other.units = ("m", "s", "kg")
        units, speed = sim.units, sim.units.length / sim.units.time
        factors = [units.mass, *[units.length] * 4, *[speed] * 3]
        other.G = units.G * units.length**3 / units.mass / units.time**2
        other.t, other.dt = sim.time * units.time, sim.dt * units.time
    for m, r, x, y, z, vx, vy, vz in np.transpose(columns) * factors:
        other.add(m=m, r=r, x=x, y=y, z=z, vx=vx, vy=vy, vz=vz)
    return other
