"""Running: the library's loop, watched from Python for Ctrl-C, progress and callbacks."""

from __future__ import annotations

import dataclasses
import math
from typing import TYPE_CHECKING, Any, Callable

import numpy as np

from ._core import keep
from ._errors import InputError
from ._library import check, encode, opened, sized
from ._progress import Bar
from ._table import Table, measures
from ._values import whole

if TYPE_CHECKING:
    from .simulation import Simulation

RAISED = 1  # what is returned where more was raised than a function could say: refused
NEAR = 1e-6  # of a step: a time that is missed by less is reached


@dataclasses.dataclass(eq=False)
class Call:
    """A function that is called in runs: at steps, or at times."""

    function: Callable[[Simulation], Any]
    steps: int | None = None
    interval: float | None = None
    times: tuple[float, ...] = ()
    next_time: float = math.inf
    last_step: int = -1

    def begin(self, time: float) -> None:
        """Finds the first time to come at the start of a run."""
        if self.interval is not None:
            self.next_time = math.ceil(time / self.interval - NEAR) * self.interval
        elif self.times:
            self.next_time = next((t for t in self.times if t >= time), math.inf)

    def due(self, step: int, time: float, dt: float) -> bool:
        """Whether it is to be called now."""
        if self.steps is not None:
            return step % self.steps == 0 and step != self.last_step
        return time >= self.next_time - NEAR * dt

    def done(self, step: int, time: float, dt: float) -> None:
        """It was called."""
        self.last_step = step
        if self.interval is not None:
            self.next_time = (math.floor(time / self.interval + NEAR) + 1) * self.interval
        elif self.times:
            later = (t for t in self.times if t > time + NEAR * dt)
            self.next_time = next(later, math.inf)

    def steps_left(self, step: int, time: float, dt: float) -> float:
        """How many steps may be taken before the next time."""
        if self.steps is not None:
            return self.steps - step % self.steps
        if math.isinf(self.next_time):
            return math.inf
        return max(1, math.ceil((self.next_time - time) / dt - NEAR))


def make_call(sim: Simulation, function: Any, steps: Any, time: Any, at: Any) -> Call:
    """Checks what ``Simulation.call`` is given."""
    if not callable(function):
        raise InputError(f"a {type(function).__name__} cannot be called; expected a function")
    if sum(x is not None for x in (steps, time, at)) != 1:
        raise InputError("say when: one of steps=, time= and at=")
    if steps is not None:
        return Call(function, steps=whole("steps", steps, 1))
    if time is not None:
        interval = sim.parse_time(time)
        if not 0 < interval < math.inf:
            raise InputError(f"time={time} is no interval; expected more than 0")
        return Call(function, interval=interval)
    moments = [at] if isinstance(at, str) or not np.iterable(at) else at
    times = sorted(sim.parse_time(t) for t in moments)
    if not times or not np.isfinite(times).all():
        raise InputError(f"at={at!r} is no moment, and no list of some")
    return Call(function, times=tuple(times))


class Run:
    """A run on its way, which the library tells what happens."""

    def __init__(self, sim: Simulation, progress: bool | None, viewer: Any = None) -> None:
        self.sim = sim
        self.viewer = viewer  # the library's, which looks first
        self.error: BaseException | None = None  # raised in a function that the library called
        self.ended = False  # by a call
        self.table: Table | None = None
        self.bar = Bar(progress, "octant")
        self.handle = opened().ffi.new_handle(self)

    def start(self, options: Any) -> Table:
        """Runs to the end that the options name."""
        library = opened()
        core = self.sim._core
        with core as pointer:
            columns = library.lib.oct_sim_columns(pointer)
            self.table = Table(measures(columns), self.sim.units)
            time = library.lib.oct_sim_time(pointer)
            for call in self.sim._calls:
                call.begin(time)
            options.stop = core.stop
            options.context = options.attendant = self.handle
            options.report, options.attend = _functions()
            try:
                status = library.lib.oct_run(pointer, options)
            finally:
                self.bar.clear()
                self.sim._forget()
            if self.error is not None:
                raise self.error
            core.raise_pending()
            check(status)
        return self.table

    def report(self, record: Any) -> None:
        """Keeps a row that was measured."""
        if not record.measured or self.table is None:
            return
        if len(self.table) and self.table._rows[-1].step == record.step:
            return
        data = opened().ffi.buffer(record.values, 8 * self.table.width)
        self.table.add(record.step, record.time, np.frombuffer(data).copy())

    def attend(self, record: Any) -> int:
        """Calls what is due; says how many steps may follow, 0: none."""
        share = record.step / record.steps if record.steps else 0
        words = f"step {record.step}, {record.steps_per_s:.3g} steps/s"
        self.bar.show(share, words)
        for onlooker in list(self.sim._onlookers):
            onlooker.glance()
        left = math.inf
        for call in list(self.sim._calls):
            step, time, dt = record.step, record.time, self.sim.dt
            if call.due(step, time, dt):
                call.done(step, time, dt)
                self.ended = call.function(self.sim) is False or self.ended
            left = min(left, call.steps_left(step, time, dt))
        # A call that changed settings is followed by another look, which must not go on.
        if self.ended or self.error is not None or self.sim._core.error is not None:
            return 0
        return 2**64 - 1 if math.isinf(left) else int(left)


def options_for(**members: Any) -> tuple[Any, list[Any]]:
    """The library's options of a run, and what they point to."""
    ffi, kept = opened().ffi, []
    options = sized("oct_run_options")
    for name, value in members.items():
        if isinstance(value, (str, bytes)) or hasattr(value, "__fspath__"):
            value = ffi.new("char[]", encode(value))
            kept.append(value)
        if value is not None:
            setattr(options, name, value)
    return options, kept


_made: tuple[Any, Any] | None = None


def _functions() -> tuple[Any, Any]:
    """The two functions that the library calls in a run."""
    global _made
    if _made is None:
        ffi = opened().ffi
        fields = {name: field.type for name, field in ffi.typeof("oct_run_options").fields}
        _made = (
            ffi.callback(fields["report"], _report, onerror=keep),
            ffi.callback(fields["attend"], _attend, error=RAISED, onerror=keep),
        )
    return _made


def _report(context: Any, record: Any) -> None:
    opened().ffi.from_handle(context).report(record)


def _attend(context: Any, sim: Any, record: Any, steps: Any) -> int:
    run = opened().ffi.from_handle(context)
    if run.viewer is not None:
        check(opened().lib.oct_viewer_attend(run.viewer, sim, record, steps))
    most = steps[0]
    steps[0] = 0  # whatever is raised in a call, Ctrl-C too, ends the run
    steps[0] = min(most, run.attend(record))
    return 0
