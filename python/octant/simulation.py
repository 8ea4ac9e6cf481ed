"""Simulations: bodies on a device, and all that moves them."""

from __future__ import annotations

import math
import os
import pathlib
import tempfile
import time as clock
import weakref
from collections.abc import Iterator, Mapping, Sequence
from typing import TYPE_CHECKING, Any, Callable, Union

import numpy as np

from . import _making, _run, _search
from ._arrays import Column, GivenBodies, columns_of, id_array
from ._core import Core, callbacks
from ._devices import Device, Queue
from ._errors import InputError
from ._library import check, encode, opened, out_of, sized, text
from ._progress import Bar
from ._sections import Sections, section_assignments, sections
from ._table import Record, Table, measures
from ._units import Units
from ._values import as_text, mapping, whole
from .bodies import Bodies
from .scene import Scene, Source, resolved_values

if TYPE_CHECKING:
    from .viewing import Viewer
    from .widget import View

Path = Union[str, "os.PathLike[str]"]
BURST_S = 0.1  # steps are taken for about so long between looks for Ctrl-C
EXISTING = {
    "refuse": "OCT_RUN_REFUSE",
    "continue": "OCT_RUN_CONTINUE",
    "replace": "OCT_RUN_REPLACE",
}


class Simulation(Sections):
    """A simulation of a scene, or of arrays.

    ``scene`` is a file, a built-in scene's name, YAML, a dict or an `octant.Scene`; keywords are
    its sections and top keys: ``Simulation("plummer", gravity="tree", seed=2)``, and ``set`` has
    single values: ``set={"models.0.plummer.n": 4096}``. Columns of bodies among the keywords, or a
    dict of them as ``bodies``, are arrays to start from, and the scene has no models then:
    ``Simulation(position=x, velocity=v, mass=m, units="nbody", ...)``.

    ``device`` is an index, a part of a name, ``"cpu"`` or ``"gpu"``; ``precision`` is ``"auto"``,
    ``"single"``, ``"mixed"`` or ``"double"``. The scene's sections are attributes, which may be
    changed between steps: ``sim.gravity.theta = 0.4``. What the library notes goes to the logger
    ``octant``.
    """

    _core: Core
    _known: dict[str, Any] | None
    _known_columns: dict[str, Column] | None

    def __init__(
        self,
        scene: Source = None,
        *,
        bodies: Mapping[str, Any] | None = None,
        device: None | int | str | Device = None,
        precision: str = "auto",
        progress: bool | None = None,
        **keys: Any,
    ) -> None:
        library = opened()
        standard = columns_of(library.ffi.NULL)
        arrays = dict(mapping("bodies", bodies))
        arrays.update({name: keys.pop(name) for name in list(keys) if name in standard})
        made = scene if isinstance(scene, Scene) and not keys else Scene(scene, **keys)
        given = _making.given(made, arrays) if arrays else None
        options = sized(
            "oct_sim_options",
            precision=_making.precision(precision),
            bodies=given.struct if given else library.ffi.NULL,
            log=callbacks().log,
            progress=callbacks().trust,
        )
        core = Core(Queue(_making.choice(device)))
        options.log_context = core.handle
        bar = Bar(progress, "first use: self-test")
        core.on_trust = lambda done, all_: bar.show(done / max(all_, 1), f"{done} of {all_}")
        out = library.ffi.new("oct_sim **")
        try:
            with core.lock:
                status = library.lib.oct_sim_create_with(
                    out, core.queue.pointer, made._live(), options
                )
                check(status)
        finally:
            bar.clear()
            core.on_trust = None
        core.pointer = out[0]
        core.raise_pending()
        self._adopt(core)

    def _adopt(self, core: Core) -> None:
        self._core = core
        self._calls: list[_run.Call] = []
        self._in_run = False
        self._onlookers: weakref.WeakSet[Any] = weakref.WeakSet()  # widgets, which look at runs
        self._units = self._read_units()
        self._forget()

    @classmethod
    def restore(
        cls,
        checkpoint: Path,
        scene: Source = None,
        *,
        device: None | int | str | Device = None,
        **keys: Any,
    ) -> Simulation:
        """Continues from a checkpoint, to the same bits as if never stopped.

        With a scene, or keywords that change the checkpoint's own, it goes on with that one; what
        a state does not survive is refused.
        """
        library = opened()
        core = Core(Queue(_making.choice(device)))
        out = library.ffi.new("oct_sim **")
        changed: Any = library.ffi.NULL
        if scene is not None or keys:
            found = _making.scene_of(checkpoint) if scene is None else scene
            made = Scene(found, **keys)
            changed = made._live()
        check(library.lib.oct_sim_resume(out, core.queue.pointer, encode(checkpoint), changed))
        core.pointer = out[0]
        library.lib.oct_sim_set_log(core.pointer, callbacks().log, core.handle)
        sim = cls.__new__(cls)
        sim._adopt(core)
        return sim

    # What it is

    @property
    def bodies(self) -> Bodies:
        """The bodies, as NumPy arrays by column."""
        return Bodies(self)

    @property
    def n(self) -> int:
        """How many bodies there are, without removed ones."""
        with self._core as pointer:
            check(opened().lib.oct_sim_wait(pointer))
            return self._count()

    @property
    def time(self) -> float:
        """The simulated time, in the units of the scene."""
        with self._core as pointer:
            return opened().lib.oct_sim_time(pointer)

    @property
    def steps(self) -> int:
        """The steps taken since the start of the scene."""
        with self._core as pointer:
            return opened().lib.oct_sim_steps(pointer)

    @property
    def dt(self) -> float:
        """The length of a step."""
        with self._core as pointer:
            return opened().lib.oct_sim_dt(pointer)

    @property
    def units(self) -> Units:
        """The units of the scene: sizes in SI, G, and astropy's units of dimensions."""
        return self._units

    @property
    def precision(self) -> str:
        """``"single"``, ``"mixed"`` or ``"double"``."""
        library = opened()
        with self._core as pointer:
            return text(library.lib.oct_precision_name(library.lib.oct_sim_precision(pointer)))

    @property
    def device(self) -> Device:
        """What it runs on."""
        with self._core:
            return self._core.queue.describe()

    @property
    def state_hash(self) -> str:
        """16 hexadecimal digits, equal for equal bits of the state."""
        library = opened()
        out = library.ffi.new("uint64_t *")
        with self._core as pointer:
            check(library.lib.oct_sim_hash(out, pointer))
        return f"{out[0]:016x}"

    @property
    def identity(self) -> str:
        """The name of its run, 32 hexadecimal digits, as its files have it."""
        with self._core as pointer:
            return text(opened().lib.oct_sim_identity(pointer))

    @property
    def scene_text(self) -> str:
        """The scene as resolved, YAML; what was changed on the way is in comments."""
        with self._core as pointer:
            return text(opened().lib.oct_sim_scene(pointer))

    @property
    def scene(self) -> Scene:
        """A copy of the scene, as resolved."""
        return Scene(self.scene_text)

    def quantity(self, name: str) -> Any:
        """``"time"``, ``"dt"``, a measurement or a column of the bodies with its unit (astropy)."""
        if name in ("time", "dt"):
            return getattr(self, name) * self.units.unit(0, 0, 1)
        if name in self._columns():
            return self.bodies.quantity(name)
        return self.measure().quantity(name)

    def parse_time(self, value: Any) -> float:
        """A time as scenes write it, ``"10 yr"`` or ``"4 orbit"``, a quantity or a number."""
        library = opened()
        if isinstance(value, str):
            out = library.ffi.new("double *")
            with self._core as pointer:
                check(library.lib.oct_sim_parse_time(out, pointer, encode(value)))
            return out[0]
        number = self.units.value(value, 0, 0, 1)
        try:
            return float(number)
        except (TypeError, ValueError):
            raise InputError(
                f"{value!r} is no time; expected a number, '10 yr' or a quantity"
            ) from None

    # Moving on

    def step(self, steps: int = 1) -> None:
        """Takes steps. Ctrl-C comes between two of them and leaves the state whole."""
        library = opened()
        left, burst = whole("steps", steps), 1
        with self._core as pointer:
            self._check_idle()
            while left > 0 and not self._core.ending:
                taken = min(left, burst)
                began = clock.monotonic()
                check(library.lib.oct_sim_step(pointer, taken))
                left -= taken
                if left > 0:
                    check(library.lib.oct_sim_wait(pointer))
                    spent = max(clock.monotonic() - began, 1e-6)
                    burst = max(1, min(2 * burst, int(taken * BURST_S / spent)))

    def run(
        self,
        until: Any = None,
        *,
        steps: int | None = None,
        out: Path | None = None,
        existing: str = "refuse",
        average: Any = None,
        progress: bool | None = None,
    ) -> Table:
        """Runs to a time, for so many steps, or to the scene's own end.

        With a folder ``out`` it leaves there what ``octant run`` does: diagnostics, snapshots,
        checkpoints, a report; ``existing`` says what becomes of a run that is there already:
        ``"refuse"``, ``"continue"`` or ``"replace"``. Returns the rows that were measured, one each
        ``output.diagnostics`` and the last. Ctrl-C ends it between steps (with a checkpoint in the
        folder) and raises ``KeyboardInterrupt``; `call` has functions called on the way.
        """
        if existing not in EXISTING:
            raise InputError(f"existing='{existing}'; expected one of {', '.join(EXISTING)}")
        if until is not None and steps is not None:
            raise InputError("say one of until and steps")
        members: dict[str, Any] = {
            "existing": getattr(opened().lib, EXISTING[existing]),
            "out": None if out is None else encode(out),
            "average": None if average is None else self.parse_time(average),
        }
        if steps is not None:
            members["steps"] = self.steps + whole("steps", steps, 1)
        if until is not None:
            members["until"] = self.parse_time(until)
            if not 0 < members["until"] < math.inf:
                raise InputError(f"until={until!r} is no time to run to; expected one after 0")
        return self._start(members, progress)

    def _start(
        self,
        members: dict[str, Any],
        progress: bool | None,
        viewer: Any = None,
        fresh: bool = True,
    ) -> Table:
        options, kept = _run.options_for(**members)
        with self._core:
            self._check_idle()
            if fresh:  # a run of another thread's may have been told to end before it begins
                self._core.stop[0] = 0
            self._in_run = True
            try:
                return _run.Run(self, progress, viewer).start(options)
            finally:
                self._in_run = False
                del kept

    def records(
        self, every: Any = None, *, until: Any = None, steps: int | None = None
    ) -> Iterator[Record]:
        """Measures now and each interval up to the end: ``for record in sim.records(0.1): ...``

        ``every`` is a number of steps (an int) or a time; without it that of the scene's
        ``output.diagnostics``. The end is a time, so many steps, or the scene's ``run.until``.
        """
        if every is None:
            every = float(self._values()["output"]["diagnostics"])
            if every == 0:
                raise InputError("the scene has no output.diagnostics: say every=")
        by_step = isinstance(every, (int, np.integer)) and not isinstance(every, bool)
        interval = int(every) if by_step else self.parse_time(every)
        if not 0 < interval < math.inf:
            raise InputError(f"every={every!r} is no interval; expected more than 0")
        end = math.inf
        if steps is None:
            end = self.parse_time(self._until() if until is None else until)
        last = self.steps + whole("steps", steps) if steps is not None else math.inf
        return self._records(interval, by_step, end, last)

    def _records(self, interval: float, by_step: bool, end: float, last: float) -> Iterator[Record]:
        start, index = self.time, 0
        yield self.measure()
        while True:
            left = min(last - self.steps, (end - self.time) / self.dt - _run.NEAR)
            if left <= 0:
                return
            index += 1
            wanted = interval
            if not by_step:
                wanted = (start + index * interval - self.time) / self.dt - _run.NEAR
            self.step(max(1, math.ceil(min(wanted, left))))
            yield self.measure()

    def call(
        self,
        function: Callable[[Simulation], Any],
        *,
        steps: int | None = None,
        time: Any = None,
        at: Any = None,
    ) -> _run.Call:
        """Has a function called in runs, with the simulation: each so many steps, each so much
        time, or at moments. It may look at all and change bodies and settings; False ends the run.
        """
        call = _run.make_call(self, function, steps, time, at)
        self._calls.append(call)
        return call

    def cancel(self, call: _run.Call) -> None:
        """Has a function of `call` called no more."""
        self._calls = [other for other in self._calls if other is not call]

    # Measuring

    def measure(self) -> Record:
        """All measurements now: energies, momenta and whatever suits the scene."""
        library = opened()
        with self._core as pointer:
            table = Table(measures(library.lib.oct_sim_columns(pointer)), self.units)
            values = np.empty(table.width)
            check(library.lib.oct_sim_measure(out_of("double[]", values), pointer))
            return table.add(self.steps, self.time, values)

    def neighbours(self, k: int) -> tuple[np.ndarray, np.ndarray]:
        """The k nearest neighbours of each body: indices and distances, nearest first."""
        return _search.neighbours(self, k)

    def densities(self, k: int = 32) -> np.ndarray:
        """Densities: the mass of the k - 1 nearest neighbours over the sphere of the k-th."""
        return _search.densities(self, k)

    def touching(self) -> np.ndarray:
        """Pairs of bodies that touch, as indices, each pair once."""
        return _search.touching(self)

    # Changing

    def add(self, **columns: Any) -> np.ndarray:
        """Adds bodies: ``sim.add(position=x, velocity=v, mass=m)``. Returns their ids."""
        arrays = {
            name: np.atleast_2d(value) if name in ("position", "velocity", "spin") else value
            for name, value in columns.items()
            if value is not None
        }
        with self._core as pointer:
            users = {name: c for name, c in self._columns().items() if c.unit is not None}
            given = GivenBodies(arrays, users, self.units)
            check(opened().lib.oct_sim_add(pointer, given.struct))
        return given.arrays["id"].copy()

    def remove(self, which: Bodies | Sequence[int] | np.ndarray | int) -> None:
        """Takes bodies out: a selection of ``sim.bodies``, or ids."""
        chosen = which.id if isinstance(which, Bodies) else which
        ids = id_array(chosen)
        library = opened()
        with self._core as pointer:
            data = library.ffi.from_buffer("uint64_t[]", ids)
            check(library.lib.oct_sim_remove(pointer, data, len(ids)))

    def set(self, **changes: Any) -> None:
        """Changes settings together, all of them or none: ``sim.set(gravity={"theta": 0.4})``."""
        pairs: list[tuple[str, str]] = []
        for name, value in changes.items():
            if name not in sections():
                raise InputError(self._no_attribute(name))
            pairs += section_assignments(name, value)
        self._assign_all(pairs)

    def can_set(self, key: str) -> bool:
        """Whether a key of the scene may be changed now: ``"gravity.theta"``."""
        with self._core as pointer:
            return bool(opened().lib.oct_sim_can_set(pointer, encode(key)))

    # Files

    def checkpoint(self, path: Path) -> None:
        """Writes the state, from which `restore` goes on to the same bits."""
        with self._core as pointer:
            check(opened().lib.oct_sim_checkpoint(pointer, encode(path)))

    def snapshot(self, path: Path) -> None:
        """Writes the bodies: HDF5, or CSV where the path ends in .csv."""
        with self._core as pointer:
            check(opened().lib.oct_sim_snapshot(pointer, encode(path)))

    def render(self, path: Path, **options: Any) -> None:
        """Draws the bodies: PNG, SVG or PDF by the path's ending. Options are those of the
        library's ``oct_render_options``: width, height, mode, map, extent, azimuth, elevation.
        """
        from ._pictures import render

        render(self, path, options)

    def view(self, *, port: int = 0, paused: bool = False) -> Viewer:
        """Shows the simulation in a browser while it runs on, in a thread of its own.

        Returns the viewer, which has the address to open (``url``), shows itself in a notebook, and
        ends with ``close()``; the simulation may be used again then.
        """
        from .viewing import Viewer

        return Viewer(self, port, paused)

    def widget(self, **options: Any) -> View:
        """Shows the simulation in a notebook, to turn and to run (``octant.widget.View``): options
        are ``colour`` (a column), ``height`` and those of its look.
        """
        from .widget import View

        return View(self, **options)

    # Its end

    def close(self) -> None:
        """Gives the simulation and its device back; done by itself when nothing refers to it."""
        if self._core.pointer is not None:
            with self._core:
                if self._in_run:
                    raise InputError("a call cannot close the simulation; False ends the run")
                self._core.close()

    def __enter__(self) -> Simulation:
        return self

    def __exit__(self, *_: Any) -> None:
        self.close()

    def __reduce__(self) -> Any:
        with tempfile.TemporaryDirectory(prefix="octant-") as folder:
            path = pathlib.Path(folder, "state.hdf5")
            self.checkpoint(path)
            return _unpickle, (path.read_bytes(), self._core.queue.choice)

    def __repr__(self) -> str:
        if self._core.pointer is None:
            return "<octant.Simulation, closed>"
        title = self._values()["title"]
        return (
            f"<octant.Simulation {title!r}: {self.n} bodies, step {self.steps}, time {self.time:g}>"
        )

    def _repr_html_(self) -> str:
        from ._html import page

        return page(self)

    # Inside

    def _count(self) -> int:
        return opened().lib.oct_sim_count(self._core.pointer)

    def _size(self) -> int:
        check(opened().lib.oct_sim_wait(self._core.pointer))
        return opened().lib.oct_sim_size(self._core.pointer)

    def _read_units(self) -> Units:
        with self._core as pointer:
            struct = opened().lib.oct_sim_units(pointer)
            return Units.of(struct, text(struct.name))

    def _columns(self) -> dict[str, Column]:
        if self._known_columns is None:
            with self._core as pointer:
                self._known_columns = columns_of(pointer)
        return self._known_columns

    def _selection(self, places: np.ndarray | None) -> Any:
        ffi = opened().ffi
        if places is None:
            return ffi.NULL
        indices = np.ascontiguousarray(places, np.uint32)
        self._kept = ffi.from_buffer("uint32_t[]", indices)
        return ffi.new("oct_selection *", {"n": len(indices), "list": self._kept})

    def _read(self, column: Column, places: np.ndarray | None) -> np.ndarray:
        n = self._size() if places is None else len(places)
        array = np.empty(column.shape(n), column.dtype)
        check(
            opened().lib.oct_sim_read(
                opened().ffi.from_buffer(array, require_writable=True),
                column.element,
                self._core.pointer,
                encode(column.name),
                self._selection(places),
            )
        )
        return array

    def _check_idle(self) -> None:
        if self._in_run:
            raise InputError("the simulation is in a run already, which takes the steps")

    def _until(self) -> float:
        until = self._values().get("run", {}).get("until")
        if until is None:
            raise InputError("the scene has no run.until: say until= or steps=")
        return float(until)

    def _forget(self) -> None:
        """What was kept about a scene that may be another one now."""
        self._known = None
        self._known_columns = None

    def _values(self) -> dict[str, Any]:
        if self._known is None:
            self._known = resolved_values(self.scene_text)
        return self._known

    def _assign(self, key: str, value: Any) -> None:
        self._assign_all([(key, as_text(value))])

    def _assign_all(self, pairs: Any) -> None:
        library = opened()
        lines = [library.ffi.new("char[]", encode(f"{key}={value}")) for key, value in pairs]
        array = library.ffi.new("char *[]", lines)
        with self._core as pointer:
            try:
                check(library.lib.oct_sim_set_all(pointer, array, len(lines)))
            finally:
                self._forget()


def _unpickle(data: bytes, device: str | None) -> Simulation:
    with tempfile.TemporaryDirectory(prefix="octant-") as folder:
        path = pathlib.Path(folder, "state.hdf5")
        path.write_bytes(data)
        return Simulation.restore(path, device=device)
