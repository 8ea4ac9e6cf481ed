"""Exchange with REBOUND: its simulations and archives in, bodies out."""

from __future__ import annotations

import math
import os
from typing import Any, Union

import numpy as np

from ._errors import InputError
from .simulation import Simulation

Path = Union[str, "os.PathLike[str]"]
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


def _found(source: Any, snapshot: int) -> Any:
    """A simulation of REBOUND's: itself, or one of an archive."""
    rebound = _rebound()
    if isinstance(source, (str, os.PathLike)):
        try:
            source = rebound.Simulationarchive(os.fspath(source))
        except (RuntimeError, ValueError) as error:
            raise InputError(f"'{os.fspath(source)}' is no archive of REBOUND's: {error}") from None
    if isinstance(source, rebound.Simulationarchive):
        try:
            source = source[snapshot]
        except (AttributeError, IndexError, TypeError):
            raise InputError(
                f"there is no snapshot {snapshot!r} in an archive of {len(source)}"
            ) from None
    if not isinstance(source, rebound.Simulation):
        raise InputError(f"a {type(source).__name__} is no simulation or archive of REBOUND's")
    return source


def _sizes(source: Any) -> tuple[float, float, float] | None:
    """REBOUND's units in SI; None where it has none."""
    units = _rebound().units
    named = source.units
    if named["length"] is None:
        return None
    return (
        units.lengths_SI[named["length"]],
        units.masses_SI[named["mass"]],
        units.times_SI[named["time"]],
    )


def from_rebound(source: Any, snapshot: int = -1, **keys: Any) -> Simulation:
    """A simulation of the particles of a ``rebound.Simulation``, or of one in an archive (a file or
    a ``rebound.Simulationarchive``), the last unless ``snapshot`` says which.

    Its G, softening, step and shearing box come along, and its integrator where Octant has it, else
    a leapfrog; with WHFast all particles are one system, the first its star. With units the numbers
    become those of ``units: solar``, with REBOUND's own G. The time begins at 0. What functions do
    there (forces, restitution) is for keywords to say, which go over all of it: ``from_rebound(r,
    gravity="tree", collisions={...})``.
    """
    source = _found(source, snapshot)
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
    if method == "wh" and (source.softening or source.gravity == "tree"):
        method = "leapfrog"
    scene["integrator"] = {"method": method, "dt": abs(source.dt) * time}
    tree = source.gravity == "tree"
    scene["gravity"] = {"method": "tree" if tree else "direct"}
    scene["gravity"]["softening"] = source.softening * length
    if tree:
        scene["gravity"]["theta"] = math.sqrt(source.opening_angle2)
    if method == "wh":  # one system, whose first body is the star, here as there
        arrays["system"] = np.ones(source.N, np.uint32)
        scene["gravity"] = {"method": "systems"}
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


def to_rebound(sim: Simulation, archive: Path | None = None) -> Any:
    """The bodies as a new ``rebound.Simulation``, with time, step, G, units, softening, opening
    angle and box, and its integrator where REBOUND has it. It is also appended to a
    Simulationarchive where one is named; with `Simulation.call` at every so much time.
    """
    other = _rebound().Simulation()
    units, bodies = sim.units, sim.bodies
    length = mass = time = 1.0
    if units.physical:
        other.units = ("m", "s", "kg")
        length, mass, time = units.length, units.mass, units.time
    other.G = units.G * length**3 / mass / time**2
    other.t, other.dt = sim.time * time, sim.dt * time
    _set_methods(other, sim._values(), length, time)
    if other.gravity == "tree" and other.root_size <= 0:  # REBOUND's trees have a finite root
        other.root_size = 4 * length * (np.abs(bodies.position).max() or 1)
    columns = [bodies.mass, bodies.radius, *bodies.position.T, *bodies.velocity.T]
    factors = [mass, *[length] * 4, *[length / time] * 3]
    for m, r, x, y, z, vx, vy, vz in np.transpose(columns) * factors:
        other.add(m=m, r=r, x=x, y=y, z=z, vx=vx, vy=vy, vz=vz)
    if archive is not None:
        other.save_to_file(os.fspath(archive))
    return other


def _set_methods(other: Any, scene: dict[str, Any], length: float, time: float) -> None:
    """Gives REBOUND's simulation what the scene says of methods and of the box."""
    named = {ours: theirs for theirs, ours in INTEGRATORS.items()}
    other.integrator = named.get(scene["integrator"]["method"], "leapfrog")
    gravity = scene["gravity"]
    other.gravity = {"none": "none", "tree": "tree"}.get(gravity["method"], "basic")
    other.softening = float(gravity.get("softening", 0)) * length
    if other.gravity == "tree":
        other.opening_angle2 = float(gravity["theta"]) ** 2
    box = scene["box"]
    if box["boundary"] == "shear":
        other.OMEGA = float(box["omega"]) / time
    if box["boundary"] in ("shear", "periodic"):
        sizes = [float(size) * length for size in box["size"]]
        counts = [size / min(sizes) for size in sizes]
        if any(abs(count - round(count)) > 1e-9 * count for count in counts):
            raise InputError(
                f"REBOUND's boxes are made of equal cubes; box.size {box['size']} is not"
            )
        other.root_size = min(sizes)
        other.N_root_x, other.N_root_y, other.N_root_z = (round(count) for count in counts)
        other.N_ghost_x, other.N_ghost_y, other.N_ghost_z = box["ghosts"]
        other.boundary = box["boundary"]


def _rebound() -> Any:
    try:
        import rebound
    except ImportError:
        raise ImportError("REBOUND is not installed: pip install rebound") from None
    return rebound
