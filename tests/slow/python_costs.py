"""What the Python package costs:
PYTHONPATH=build/python .venv/bin/python tests/slow/python_costs.py

Prints the time to copy 10^6 bodies to NumPy and back beside that of the library's own functions;
what a callback every 100 steps adds at N = 10^5; and the memory after 10^4 simulations that were
made and dropped. Ends with 1 where one of them is too much."""

import gc
import os
import pathlib
import sys
import time

import numpy as np

import octant
from octant._library import check, opened

RING = {"box.size": [1400, 1400, 200]}
wrong = []


def best(work, times=5):
    taken = []
    for _ in range(times):
        began = time.perf_counter()
        work()
        taken.append(time.perf_counter() - began)
    return min(taken)


def expect(what, value, limit, unit):
    print(f"{what}: {value:.3g} {unit} (at most {limit:g})")
    if not value <= limit:
        wrong.append(what)


def copies(n):
    """A million bodies: through Python, and by the library's function alone."""
    random = np.random.default_rng(1)
    sim = octant.Simulation(
        position=random.normal(size=(n, 3)), mass=1 / n, units="nbody", gravity="none",
        integrator={"dt": 0.01},
    )  # fmt: skip
    library = opened()
    room = np.empty((n, 3))
    data = library.ffi.from_buffer(room, require_writable=True)
    pointer, null = sim._core.pointer, library.ffi.NULL
    element = library.lib.OCT_ELEMENT_DOUBLE
    read = best(lambda: sim.bodies.position)
    plain = best(lambda: check(library.lib.oct_sim_read(data, element, pointer, b"position", null)))
    print(f"read {n} positions: {1e3 * read:.1f} ms, by the library alone {1e3 * plain:.1f} ms")
    expect("reading over the library's own", read / plain, 1.5, "times")
    values = sim.bodies.position + 1

    def write():
        sim.bodies.position = values

    wrote = best(write)
    plain = best(
        lambda: check(library.lib.oct_sim_write(pointer, b"position", null, data, element))
    )
    print(f"write {n} positions: {1e3 * wrote:.1f} ms, by the library alone {1e3 * plain:.1f} ms")
    expect("writing over the library's own", wrote / plain, 1.5, "times")


def callbacks(steps):
    """A callback every 100 steps of a ring, in turns with runs that have none."""
    sim = octant.Simulation("saturn-ring", set=RING)
    print(f"a ring of {sim.n} spheres, {steps} steps")
    sim.run(steps=steps)
    times = {True: [], False: []}
    for turn in range(6):
        call = sim.call(lambda s: s.steps, steps=100) if turn % 2 else None
        began = time.perf_counter()
        sim.run(steps=steps)
        times[turn % 2 == 1].append(time.perf_counter() - began)
        if call:
            sim.cancel(call)
    with_calls, without = min(times[True]), min(times[False])
    expect("a callback every 100 steps", 100 * (with_calls / without - 1), 2, "%")


def memory(many):
    """Simulations made and dropped."""

    def resident():
        pages = int(pathlib.Path("/proc/self/statm").read_text().split()[1])
        return pages * os.sysconf("SC_PAGE_SIZE")

    sizes = []
    for i in range(many):
        sim = octant.Simulation("two-body")
        sim.step()
        del sim
        if (i + 1) % (many // 5) == 0:
            gc.collect()
            sizes.append(resident())
    print("memory after each fifth:", ", ".join(f"{size / 1e6:.1f} MB" for size in sizes))
    expect("growth over the last fifth", (sizes[-1] - sizes[-2]) / (many // 5), 100, "bytes each")


if __name__ == "__main__":
    copies(10**6)
    callbacks(200)
    memory(10**4)
    if wrong:
        sys.exit(f"too much: {', '.join(wrong)}")
