"""Who is near whom: searches over all bodies, by the tree on the device."""

from __future__ import annotations

from typing import TYPE_CHECKING

import numpy as np

from ._library import check, opened, out_of
from ._values import whole

if TYPE_CHECKING:
    from .simulation import Simulation

MOST_NEIGHBOURS = 64


def neighbours(sim: Simulation, k: int) -> tuple[np.ndarray, np.ndarray]:
    """Indices and distances of the k nearest neighbours of each body."""
    library = opened()
    with sim._core as pointer:
        check(library.lib.oct_sim_wait(pointer))
        index = np.empty((sim._count(), whole("k", k, 1, MOST_NEIGHBOURS)), np.uint32)
        distance = np.empty(index.shape)
        found = (out_of("uint32_t[]", index), out_of("double[]", distance))
        check(library.lib.oct_neighbours(*found, pointer, int(k)))
    return index, distance


def densities(sim: Simulation, k: int) -> np.ndarray:
    """Densities by the k nearest neighbours of each body."""
    library = opened()
    with sim._core as pointer:
        check(library.lib.oct_sim_wait(pointer))
        density = np.empty(sim._count())
        k = whole("k", k, 1, MOST_NEIGHBOURS)
        check(library.lib.oct_densities(out_of("double[]", density), pointer, k))
    return density


def touching(sim: Simulation) -> np.ndarray:
    """Pairs of bodies that touch."""
    library = opened()
    pairs, n = library.ffi.new("uint32_t(**)[2]"), library.ffi.new("size_t *")
    with sim._core as pointer:
        check(library.lib.oct_touching(pairs, n, pointer))
        try:
            if n[0] == 0:
                return np.empty((0, 2), np.uint32)
            data = library.ffi.buffer(pairs[0], 8 * n[0])
            return np.frombuffer(data, np.uint32).reshape(-1, 2).copy()
        finally:
            library.lib.oct_touching_free(pairs[0])
