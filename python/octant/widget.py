"""A simulation in a Jupyter notebook, drawn by the viewer's own renderer.

Bodies go to the page as the notebook's messages do, so that it works wherever notebooks do, also
with the kernel on another machine: ``pip install 'octant[notebook]'``.
"""

from __future__ import annotations

import threading
import time
from typing import Any

try:
    import anywidget
    import traitlets
except ImportError:
    raise ImportError("widgets need anywidget: pip install 'octant[notebook]'") from None

from . import _frames
from ._bundle import bundle
from ._errors import Error
from ._library import FOLDER
from ._sheet import boundary
from ._units import SYMBOLS
from .simulation import Simulation

MOST = 200_000  # bodies in a frame, 1.8 MB
INTERVAL_S = 0.1  # between two frames of a run
SHARE = 0.03  # of the time of a run, at most, for frames
ENDLESS = 2**60  # steps


def _about(sim: Simulation) -> dict[str, Any]:
    """What the page says beside the bodies."""
    units = sim.units
    length, mass, when = SYMBOLS.get(units.name, ("", "", ""))
    return {
        "title": sim._values()["title"],
        "boundary": boundary(sim),
        "units": {
            "name": units.name,
            "physical": units.physical,
            "length": length,
            "mass": mass,
            "time": when,
            "si": [units.length, units.mass, units.time],
        },
    }


class View(anywidget.AnyWidget):
    """A simulation to look at and to turn: drag turns, Shift moves, the wheel zooms.

    It follows runs as they go, and `update` shows what was changed besides. The button ▶ runs the
    simulation in a thread of its own until ⏸ ends that; others get an `octant.BusyError` meanwhile.
    ``look`` has ``mode`` (points, spheres or density), ``size``, ``brightness``, ``map``, ``grid``,
    ``box``, ``axes``, ``ghosts`` and ``ortho``.
    """

    frame = traitlets.Bytes().tag(sync=True)
    about = traitlets.Dict().tag(sync=True)
    look = traitlets.Dict().tag(sync=True)
    height = traitlets.Int(480).tag(sync=True)
    running = traitlets.Bool(False).tag(sync=True)

    def __init__(self, sim: Simulation, *, colour: str = "speed", height: int = 480, **look: Any):
        self._sim, self._colour = sim, colour
        self._sequence, self._next = 0, 0.0
        self._thread: threading.Thread | None = None
        self._error: BaseException | None = None
        if "mode" not in look:
            solid = boundary(sim)["box"] and sim.bodies.radius.any()
            look["mode"] = "spheres" if solid else "points"
        shown = {"frame": self._cut(), "about": _about(sim), "look": look, "height": height}
        esm = bundle(FOLDER / "widget.js", FOLDER / "page")
        super().__init__(_esm=esm, **shown)
        self.on_msg(self._hear)
        sim._onlookers.add(self)

    def _cut(self) -> bytes:
        self._sequence += 1
        return _frames.cut(self._sim, self._sequence, self._colour, MOST)

    def update(self) -> None:
        """Shows the bodies as they are now."""
        self.frame = self._cut()

    def glance(self) -> None:
        """Called in runs: shows the bodies, not too often."""
        now = time.monotonic()
        if now < self._next:
            return
        self.update()
        after = time.monotonic()
        self._next = after + max(INTERVAL_S, (after - now) / SHARE)

    def _hear(self, _: Any, content: Any, buffers: Any = None) -> None:
        """What the page asks for."""
        asked = content.get("ask") if isinstance(content, dict) else None
        if asked == "play":
            self.play()
        elif asked == "pause":
            self.pause()

    def play(self) -> None:
        """Runs the simulation in a thread of its own, until `pause`."""
        if self._thread is not None and self._thread.is_alive():
            return
        with self._sim._core:
            self._sim._check_idle()
            self._sim._core.stop[0] = 0
        begun = threading.Event()
        self._thread = threading.Thread(target=self._work, args=(begun,), daemon=True)
        self.running = True
        self._thread.start()
        begun.wait()

    def _work(self, begun: threading.Event) -> None:
        try:
            with self._sim._core:
                begun.set()
                self._sim._start({"steps": self._sim.steps + ENDLESS}, False, fresh=False)
                self.update()
        except Error as error:
            self._error = error
        finally:
            begun.set()
            self.running = False

    def pause(self) -> None:
        """Ends what `play` began; raises what the run has failed with."""
        if self._thread is not None:
            self._sim._core.stop[0] = 1
            self._thread.join()
            self._thread = None
        error, self._error = self._error, None
        if error is not None:
            raise error
