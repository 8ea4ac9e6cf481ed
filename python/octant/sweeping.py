"""Scans: one scene with many values, side by side on a device, resumable, in one table."""

from __future__ import annotations

import csv
import json
import math
import os
import pathlib
import re
from collections.abc import Mapping, Sequence
from typing import Any, Callable

import numpy as np

from . import _making
from ._core import Core, keep
from ._devices import Queue
from ._errors import InputError
from ._library import check, encode, opened, sized, taken_text
from ._progress import Bar
from ._values import as_text, mapping, plain, whole
from .scene import Scene, Source
from .simulation import EXISTING, Simulation

PLAN = "sweep.yaml"  # what a folder with a sweep has
BATCH = {None: "OCT_SWEEP_BATCH_AUTO", True: "OCT_SWEEP_BATCH_ON", False: "OCT_SWEEP_BATCH_OFF"}
WHOLE = {"member", "seed", "step", "n"}
MOST = 2**31 - 1
RAISED = 1  # what is returned where more was raised than a function could say


class Sweep:
    """The members of a scan: a row each, with what was varied and what was measured at its end.

    ``sweep["dispersion_x"]`` is a column as a NumPy array, NaN where one has failed; ``failures``
    has the sentences of those by their numbers.
    """

    def __init__(self, vary: Sequence[str], rows: Sequence[dict[str, Any]]) -> None:
        self.vary = list(vary)
        self.rows = list(rows)

    @property
    def names(self) -> list[str]:
        """The columns: the member's number, what was varied, the seed, then what was measured."""
        found: dict[str, None] = {}
        for row in self.rows:
            found.update(dict.fromkeys(row))
        return list(found)

    @property
    def failures(self) -> dict[int, str]:
        """What went wrong, by the numbers of the members."""
        return {row["member"]: row["failure"] for row in self.rows if row["failure"]}

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
        return f"<sweep of {len(self)} members over {', '.join(self.vary)}{failed}>"

    def _repr_html_(self) -> str:
        return self.to_pandas()._repr_html_()


def sweep(
    scene: Source,
    vary: Mapping[str, Sequence[Any]],
    *,
    seeds: int = 1,
    until: Any = None,
    steps: int = 0,
    average: Any = None,
    out: str | os.PathLike[str] | None = None,
    table_only: bool = False,
    workers: int = 0,
    batch: bool | None = None,
    measure: Callable[[Simulation], Mapping[str, Any]] | None = None,
    plot: str | None = None,
    progress: bool | None = None,
    device: int | str | None = None,
    precision: str = "auto",
    **keys: Any,
) -> Sweep:
    """Runs a scene with every combination of values, and each of these with several seeds.

    ``vary`` has keys of the scene with their values, in a list or as ``octant sweep`` takes them:
    ``{"models.0.ring.optical_depth": "0.1:1.5:6", "collisions.restitution": [0.3, "bridges"]}``. So
    many ``workers`` run at a time, as many as suit the device where it is 0; with ``batch`` they
    share launches, which is for small members and is done on GPUs where it is None. A row has the
    last measurements of a member, means over the time ``average`` where it is given, and the
    numbers that ``measure`` returns of its simulation. A member that fails has its sentence in the
    row, and the others go on.

    With a folder ``out`` it leaves there what ``octant sweep`` does. The same call goes on with a
    sweep that was ended (by Ctrl-C, too): what is done is not done again.
    """
    seeds = whole("seeds", seeds, 1, MOST)
    vary = mapping("vary", vary)
    base = Scene(scene, **keys)
    if until is not None:
        base.set("run.until", until)
    members: dict[str, Any] = {
        "out": out,
        "existing": EXISTING["refuse"],
        "table_only": bool(table_only),
        "workers": whole("workers", workers, most=MOST),
        "precision": _making.precision(precision),
        "steps": whole("steps", steps),
        "average": None if average is None else str(plain(average)),
        "plot": plot,
        "batch": BATCH[None if batch is None else bool(batch)],
    }
    if out is not None and (pathlib.Path(out) / PLAN).exists():
        members["existing"] = EXISTING["continue"]
    for name in ("existing", "batch"):
        members[name] = getattr(opened().lib, members[name])
    work = _Work(Queue(_making.choice(device)), measure, progress)
    try:
        return work.run(base, vary, seeds, members)
    finally:
        work.close()


def _text(value: Any) -> str:
    """A value as the command line has it."""
    given = plain(value)
    simple = isinstance(given, str) and re.fullmatch(r"[\w.+/ -]+", given)
    return given if simple else as_text(given)


class _Lent(Core):
    """A simulation that belongs to the library, while a function looks at it."""

    def close(self) -> None:
        self.pointer = None


class _Work:
    """A sweep on its way, which the library tells what happens."""

    def __init__(self, queue: Queue, measure: Any, progress: bool | None) -> None:
        self.queue, self.function = queue, measure
        self.core = _Lent(queue)
        self.pointer: Any = None
        self.error: BaseException | None = None  # raised in a function that the library called
        self.bar = Bar(progress, "sweep")
        self.handle = opened().ffi.new_handle(self)

    def run(
        self, base: Scene, vary: Mapping[str, Any], seeds: int, members: dict[str, Any]
    ) -> Sweep:
        """Runs all members, and returns their rows."""
        library = opened()
        out = library.ffi.new("oct_sweep **")
        check(library.lib.oct_sweep_create(out, base._live()))
        self.pointer = out[0]
        lists = {key: self.vary(key, values) for key, values in vary.items()}
        check(library.lib.oct_sweep_set_seeds(self.pointer, seeds))
        kept = {k: encode(v) for k, v in members.items() if isinstance(v, (str, os.PathLike))}
        kept = {name: library.ffi.new("char[]", value) for name, value in kept.items()}
        given = {name: value for name, value in members.items() if value is not None}
        options = sized("oct_sweep_options", **{**given, **kept})
        fields = dict(library.ffi.typeof("oct_sweep_options").fields)
        report = library.ffi.callback(fields["report"].type, _report, onerror=_end)
        look = library.ffi.callback(fields["measure"].type, _measure, error=RAISED, onerror=_end)
        options.stop, options.context, options.report = self.core.stop, self.handle, report
        if self.function is not None:
            options.measure = look
        with self.core.lock:
            try:
                status = library.lib.oct_sweep_run(self.pointer, self.queue.pointer, options)
            finally:
                self.bar.clear()
        if self.error is not None:
            raise self.error
        check(status)
        count = library.lib.oct_sweep_count(self.pointer)
        return Sweep(list(vary), [self.row(i, lists) for i in range(count)])

    def vary(self, key: str, values: Any) -> dict[str, Any]:
        """Varies a key; returns its values by their texts."""
        library = opened()
        if isinstance(values, str) and re.search("[:,]", values):
            check(library.lib.oct_sweep_vary(self.pointer, encode(f"{key}={values}")))
            return {}
        if isinstance(values, str) or not hasattr(values, "__iter__"):
            raise InputError(f"{key}: {values!r} is no list of values")
        given = {_text(value): plain(value) for value in values}
        texts = [library.ffi.new("char[]", encode(_text(value))) for value in values]
        array = library.ffi.new("const char *[]", texts)
        check(library.lib.oct_sweep_vary_list(self.pointer, encode(key), array, len(texts)))
        return given

    def row(self, index: int, lists: dict[str, dict[str, Any]]) -> dict[str, Any]:
        """A row of the table, with values as they were given."""
        row = json.loads(taken_text(opened().lib.oct_sweep_row, self.pointer, index))
        for name, value in row.items():
            if name in lists:
                row[name] = lists[name].get(value, _number(value))
            elif value is None:
                row[name] = math.nan
            elif isinstance(value, int) and name not in WHOLE:
                row[name] = float(value)
        return row

    def show(self, record: Any) -> None:
        """Tells how far it is; Ctrl-C comes here."""
        words = f"{record.done + record.failed} of {record.members} members"
        self.bar.show(record.share, words)

    def look(self, member: int, pointer: Any) -> None:
        """Adds what the function finds to a row."""
        library = opened()
        self.core.pointer = pointer
        try:
            sim = Simulation.__new__(Simulation)
            sim._adopt(self.core)
            for name, value in plain(self.function(sim)).items():
                number = float(value)
                check(library.lib.oct_sweep_put(self.pointer, member, encode(name), number))
        finally:
            self.core.pointer = None

    def close(self) -> None:
        """Gives all back."""
        pointer, self.pointer = self.pointer, None
        if pointer is not None:
            opened().lib.oct_sweep_free(pointer)
        self.queue.close()


def _number(text: str) -> Any:
    try:
        return float(text)
    except ValueError:
        return text


def _report(context: Any, record: Any) -> None:
    opened().ffi.from_handle(context).show(record)


def _measure(context: Any, member: int, sim: Any) -> int:
    opened().ffi.from_handle(context).look(member, sim)
    return 0


def _end(kind: Any, error: BaseException, traceback: Any) -> None:
    """Keeps what was raised in one of these, Ctrl-C too, and ends the sweep."""
    keep(kind, error, traceback)
    context = traceback.tb_frame.f_locals.get("context") if traceback else None
    if context is not None:
        opened().ffi.from_handle(context).core.stop[0] = 1
