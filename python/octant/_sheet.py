"""The box of a simulation, and where its images are in a sheet that shears."""

from __future__ import annotations

import math
from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    from .simulation import Simulation

SHEAR = 1.5  # of a Keplerian sheet, over omega


def boundary(sim: Simulation) -> dict[str, Any]:
    """The box: its name, sides (None where it is open), ghosts and angular speed."""
    box = sim._values()["box"]
    size = box.get("size") if box["boundary"] != "open" else None
    return {
        "name": box["boundary"],
        "box": [float(side) for side in size] if size else None,
        "ghosts": box.get("ghosts") or [0, 0, 0],
        "omega": float(box.get("omega") or 0),
    }


def lag(width: float, length: float, omega: float, time: float) -> float:
    """By how much the image of the box in +x is moved in y."""
    return -math.fmod(SHEAR * omega * width * time, length)
