"""What the Python package costs:
PYTHONPATH=build/python .venv/bin/python tests/slow/python_costs.py

Prints the time to copy 10^6 bodies to NumPy and back beside that of the library's own functions;
what a callback every 100 steps adds at N = 10^5; and the memory after 10^4 simulations that were
made and dropped. Ends with 1 where one of them is too much."""

import gc
import os
import pathlib
import pickle
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


def callbacks(steps, rounds):
    """A callback every 100 steps of a ring, beside runs that have none: all of them from one state,
    since a step of a ring takes longer and longer, and in turns that favour neither."""
    library = opened()

    def run(state, calls):
        sim = pickle.loads(state)
        if calls:
            sim.call(lambda s: s.steps, steps=100)
        before = library.lib.oct_device_worked(sim._core.queue.pointer)
        wall, own = time.perf_counter(), time.process_time()
        sim.run(steps=steps)
        taken = time.perf_counter() - wall, time.process_time() - own
        after = library.lib.oct_device_worked(sim._core.queue.pointer)
        sim.close()
        return *taken, after.launches - before.launches, after.waits - before.waits

    sim = octant.Simulation("saturn-ring", set=RING)
    print(f"a ring of {sim.n} spheres, {steps} steps")
    sim.run(steps=20)
    state = pickle.dumps(sim)
    sim.close()
    rows = {True: [], False: []}
    for turn in [False, True, True, False] * rounds:
        rows[turn].append(run(state, turn))
    for turn, found in rows.items():
        wall, own, launches, waits = np.median(found, axis=0)
        words = "a callback every 100" if turn else "no callback"
        print(f"{words}: {wall:.2f} s, {own:.2f} s of CPU, {launches:g} launches, {waits:g} waits")
    ratios = np.array(rows[True])[:, :2] / np.array(rows[False])[:, :2]
    wall, own = 100 * (np.median(ratios, axis=0) - 1)
    spread = 100 * np.ptp(ratios[:, 0])
    print(f"on the wall {wall:+.2f} % (ratios differ by {spread:.1f} %), of CPU {own:+.2f} %")
    # Beside other work the wall tells nothing; where a GPU works the CPU waits: both are the same.
    expect("a callback every 100 steps", own, 2, "%")


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
    callbacks(200, 4)
    memory(10**4)
    if wrong:
        sys.exit(f"too much: {', '.join(wrong)}")
