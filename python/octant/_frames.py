"""Bodies as a frame of the viewer's, which its page draws: docs/viewer.md has every byte."""

from __future__ import annotations

import struct
from typing import TYPE_CHECKING

import numpy as np

from ._errors import InputError
from ._sheet import SHEAR, boundary, lag

if TYPE_CHECKING:
    from .simulation import Simulation

HEADER_BYTES = 192
FINEST = 65534  # places have 16 bits
COLOURS = ("none", "type", "speed", "mass", "radius", "potential", "id")
PLAIN, LINEAR, LOGARITHMIC = 0, 1, 2
OWN_BOX = 2


def _extent(position: np.ndarray, around: dict) -> tuple[np.ndarray, np.ndarray]:
    """Corners of what is shown: the box, or a little more than where bodies are."""
    if around["box"]:
        half = 0.5 * np.array(around["box"])
        return -half, half
    low, high = position.min(axis=0), position.max(axis=0)
    # One body alone has no extent; it is in the middle then.
    margin = 1e-3 * float((high - low).max()) or max(float(np.abs(position).max()), 1.0)
    return low - margin, high + margin


def _image(around: dict, time: float) -> tuple[float, float, float]:
    """Where the image of the box in +x is."""
    if not around["box"]:
        return 0.0, 0.0, 0.0
    width, length = around["box"][:2]
    return width, lag(width, length, around["omega"], time), 0.0


def _values(sim: Simulation, colour: str, chosen: np.ndarray) -> tuple[np.ndarray, int]:
    """What colours stand for, and whether its bytes are values themselves or a scale."""
    bodies = sim.bodies
    if colour == "none":
        return np.zeros(len(chosen)), PLAIN
    if colour == "id":
        return (bodies.id[chosen] * np.uint64(97)) % np.uint64(256), PLAIN
    if colour == "type":
        return bodies.type[chosen], PLAIN
    if colour == "speed":
        velocity = bodies.velocity[chosen]
        velocity[:, 1] += SHEAR * boundary(sim)["omega"] * bodies.position[chosen, 0]
        return np.linalg.norm(velocity, axis=1), LINEAR
    return getattr(bodies, colour)[chosen], LINEAR


def _scaled(values: np.ndarray, scale: int) -> tuple[np.ndarray, float, float, int]:
    """Bytes of the values, and their range."""
    if scale == PLAIN or not len(values):
        return values.astype(np.uint8), 0.0, 0.0, scale
    low, high = (float(x) for x in np.quantile(values, (0.01, 0.99)))
    if low > 0 and high > 100 * low:
        scale, values = LOGARITHMIC, np.log(np.maximum(values, low))
        part = (values - np.log(low)) / np.log(high / low)
    else:
        part = (values - low) / (high - low) if high > low else np.full(len(values), 0.5)
    return np.rint(255 * np.clip(part, 0, 1)).astype(np.uint8), low, high, scale


def cut(sim: Simulation, sequence: int, colour: str, most: int) -> bytes:
    """A frame of a simulation's bodies, every so many of them where there are more than `most`."""
    if colour not in COLOURS:
        raise InputError(f"'{colour}' is no colour; expected {', '.join(COLOURS)}")
    position, radius = sim.bodies.position, sim.bodies.radius
    total, around = len(position), boundary(sim)
    stride = max(1, -(-total // most))
    chosen = np.arange(0, total, stride)
    low, high = _extent(position, around) if total else (np.zeros(3), np.ones(3))
    cells = np.rint((position[chosen] - low) / (high - low) * FINEST)
    inside = ((cells >= 0) & (cells <= FINEST)).all(axis=1)
    unit = float(radius.max(initial=0)) / FINEST
    places = np.zeros((len(chosen), 4), "<u2")
    places[:, :3] = np.clip(cells, 0, FINEST)
    if unit > 0:
        sizes = np.rint(radius[chosen] / unit)
        places[:, 3] = np.where(radius[chosen] > 0, np.maximum(sizes, 1), 0)
    places[~inside] = (FINEST + 1, 0, 0, 0)
    values, scale = _values(sim, colour, chosen)
    shades, bottom, top, scale = _scaled(values, scale)
    payload = places.tobytes() + shades.tobytes()
    payload += bytes(-len(payload) % 8)
    header = struct.pack(
        "<4sHHQQdIIQ3d3dddd4BIII3d",
        b"OCTF", 1, HEADER_BYTES, sequence, sim.steps, sim.time, len(chosen), stride, total,
        *low, *high, unit, bottom, top, COLOURS.index(colour), scale,
        OWN_BOX if around["box"] else 0, 0, len(payload), 1, 0, *_image(around, sim.time),
    )  # fmt: skip
    return header.ljust(HEADER_BYTES, b"\0") + payload
