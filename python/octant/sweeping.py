"""Scans: one scene with many values, side by side on a device, resumable, in one table."""

from __future__ import annotations

import concurrent.futures
import csv
import itertools
import json
import os
import pathlib
import threading
from collections.abc import Mapping, Sequence
from typing import Any, Callable

import numpy as np

from ._errors import Error, InputError
from ._progress import Bar
from ._values import plain
from .scene import Scene, Source
from .simulation import Simulation

PLAN, TABLE = "sweep.json", "sweep.csv"


class Sweep:
    """The runs of a scan: a row each, with what was varied and what was measured at its end.

    ``sweep["dispersion_x"]`` is a column as a NumPy array, NaN where a run has failed; ``failures``
    has the sentences of those by their numbers.
    """

    def __init__(self, vary: Sequence[str], rows: Sequence[dict[str, Any]]) -> None:
        self.vary = list(vary)
        self.rows = sorted(rows, key=lambda row: row["run"])

    @property
    def names(self) -> list[str]:
        """The columns: the run's number, the seed, what was varied, then what was measured."""
        found: dict[str, None] = {}
        for row in self.rows:
            found.update(dict.fromkeys(row))
        return list(found)

    @property
    def failures(self) -> dict[int, str]:
        """What went wrong, by the numbers of the runs."""
        return {row["run"]: row["failure"] for row in self.rows if row["failure"]}

    def __getitem__(self, name: str) -> np.ndarray:
        if name not in self.names:
            raise InputError(f"the sweep has no column '{name}'; it has {', '.join(self.names)}")
        return np.array([row.get(name, np.nan) for row in self.rows])

    def __len__(self) -> int:
        return len(self.rows)

    def to_pandas(self) -> Any:
        """The rows as a pandas table."""
        import pandas

        return pandas.DataFrame(self.rows, columns=self.names)

    def to_csv(self, path: str | os.PathLike[str]) -> None:
        """Writes the table, whole or not at all."""
        path = pathlib.Path(path)
        temporary = path.with_name(f"{path.name}.{os.getpid()}")
        with temporary.open("w", newline="", encoding="utf-8") as file:
            writer = csv.DictWriter(file, self.names)
            writer.writeheader()
            writer.writerows(self.rows)
        temporary.replace(path)

    def __repr__(self) -> str:
        failed = f", {len(self.failures)} failed" if self.failures else ""
        return f"<sweep of {len(self)} runs over {', '.join(self.vary)}{failed}>"

    def _repr_html_(self) -> str:
        return self.to_pandas()._repr_html_()


def sweep(
    scene: Source,
    vary: Mapping[str, Sequence[Any]],
    *,
    seeds: int = 1,
    until: Any = None,
    average: Any = None,
    out: str | os.PathLike[str] | None = None,
    workers: int = 4,
    measure: Callable[[Simulation], Mapping[str, Any]] | None = None,
    progress: bool | None = None,
    device: int | str | None = None,
    precision: str = "auto",
    **keys: Any,
) -> Sweep:
    """Runs a scene with every combination of values, and each of these with several seeds.

    ``vary`` has keys of the scene with their values: ``{"models.0.ring.optical_depth": [0.1, 0.5],
    "collisions.restitution": [0.3, "bridges"]}``. So many ``workers`` run at a time, with
    simulations that share the device. A row has the last measurements of a run, means over the time
    ``average`` where it is given, and what ``measure`` returns of the simulation. A run that fails
    has its sentence in the row, and the others go on.

    With a folder ``out`` each run has a folder in it, and the table is there as sweep.csv. The same
    call goes on with a sweep that was ended (by Ctrl-C, too): what is done is not done again.
    """
    if workers != int(workers) or workers < 1 or seeds != int(seeds) or seeds < 1:
        raise InputError("workers and seeds are whole numbers of 1 or more")
    base = Scene(scene, **keys)
    points = _points(base, vary, seeds)
    work = _Work(base.text, until, average, measure, device, precision)
    if out is not None:
        work.open(pathlib.Path(out), base.text, points)
    bar = Bar(progress, "sweep")
    pool = concurrent.futures.ThreadPoolExecutor(int(workers), thread_name_prefix="octant-sweep")
    try:
        left = [pool.submit(work.run, number, point) for number, point in enumerate(points)]
        waiting = set(left)
        while waiting:
            _, waiting = concurrent.futures.wait(waiting, timeout=0.2)
            done = len(left) - len(waiting)
            bar.show(done / len(left), f"{done} of {len(left)} runs")
        for future in left:
            future.result()
    except BaseException:
        work.stop()
        raise
    finally:
        pool.shutdown(cancel_futures=True)
        bar.clear()
    return Sweep(list(vary), list(work.rows.values()))


def _points(base: Scene, vary: Mapping[str, Sequence[Any]], seeds: int) -> list[dict[str, Any]]:
    lists = []
    for key, values in vary.items():
        if isinstance(values, str) or not hasattr(values, "__iter__"):
            raise InputError(f"{key}: {values!r} is no list of values")
        lists.append([(key, plain(value)) for value in values])
    first = base.get("seed")
    return [
        dict(values, seed=first + i) for values in itertools.product(*lists) for i in range(seeds)
    ]


class _Work:
    """The runs of a sweep, for its threads."""

    def __init__(
        self, scene: str, until: Any, average: Any, measure: Any, device: Any, precision: str
    ) -> None:
        self.scene, self.until, self.average = scene, until, average
        self.measure, self.device, self.precision = measure, device, precision
        self.rows: dict[int, dict[str, Any]] = {}
        self.folder: pathlib.Path | None = None
        self.lock = threading.Lock()
        self.stopping = False
        self.active: set[Simulation] = set()

    def open(self, folder: pathlib.Path, scene: str, points: list[dict[str, Any]]) -> None:
        """Takes a folder, or goes on with the same sweep in it."""
        plan = {"scene": scene, "runs": points, "until": plain(self.until or 0)}
        folder.mkdir(parents=True, exist_ok=True)
        file = folder / PLAN
        if not file.exists():
            file.write_text(json.dumps(plan, indent=1))
        elif json.loads(file.read_text()) != json.loads(json.dumps(plan)):
            raise InputError(f"'{folder}' has another sweep; choose another folder or remove it")
        self.folder = folder

    def stop(self) -> None:
        """Ends what runs, with a checkpoint where there are folders."""
        with self.lock:
            self.stopping = True
            for sim in self.active:
                sim._core.stop[0] = 1

    def run(self, number: int, point: dict[str, Any]) -> None:
        """One of the runs."""
        row: dict[str, Any] = {"run": number, **point, "failure": ""}
        place = self.folder / f"{number:04d}" if self.folder else None
        finished = place / "row.json" if place else None
        if finished is not None and finished.exists():
            self.finish(json.loads(finished.read_text()))
            return
        try:
            measured = self.simulate(point, place)
        except Error as error:
            row["failure"] = str(error)
        else:
            if measured is None:
                return
            row.update(measured)
            if finished is not None:
                finished.write_text(json.dumps(row))
        self.finish(row)

    def simulate(self, point: dict[str, Any], place: Any) -> dict[str, Any] | None:
        """What was measured at the end of a run; None where it was stopped."""
        checkpoint = place / "checkpoint.hdf5" if place else None
        resumed = checkpoint is not None and checkpoint.exists()
        if checkpoint is not None and resumed:
            sim = Simulation.restore(checkpoint, device=self.device)
        else:
            sim = Simulation(
                self.scene, set=point, device=self.device, precision=self.precision, progress=False
            )
        with sim:
            with self.lock:
                if self.stopping:
                    return None
                self.active.add(sim)
            # A run that was told to end before it began ends at its first step.
            sim.call(lambda _: not self.stopping, steps=1000)
            try:
                table = sim.run(
                    self.until, out=place, average=self.average, progress=False,
                    existing="continue" if resumed else "refuse",
                )  # fmt: skip
            finally:
                with self.lock:
                    self.active.discard(sim)
            if self.stopping:
                return None
            found: dict[str, Any] = {"steps": sim.steps, "time": sim.time, "n": sim.n}
            for name, value in (table._rows[-1] if len(table) else sim.measure()).items():
                found.update(_flat(name, value))
            found.update(plain(self.measure(sim)) if self.measure else {})
            found["state_hash"] = sim.state_hash
            return found

    def finish(self, row: dict[str, Any]) -> None:
        """Puts a row into the table."""
        with self.lock:
            self.rows[row["run"]] = row
            if self.folder:
                Sweep([], list(self.rows.values())).to_csv(self.folder / TABLE)


def _flat(name: str, value: Any) -> dict[str, float]:
    if isinstance(value, float):
        return {name: value}
    return {f"{name}_{axis}": float(x) for axis, x in zip("xyz", value)}
