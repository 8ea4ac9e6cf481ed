"""A simulation in a browser, by the library's own viewer."""

from __future__ import annotations

import threading
from typing import TYPE_CHECKING, Any

from ._errors import Error
from ._library import check, opened, sized, text
from ._values import whole

if TYPE_CHECKING:
    from .simulation import Simulation

ENDLESS = 2**60  # steps


class Viewer:
    """A page that shows a simulation, which runs in a thread of its own until it is closed."""

    def __init__(self, sim: Simulation, port: int, paused: bool) -> None:
        library = opened()
        port = whole("port", port, most=65535)
        self._sim = sim
        self._error: BaseException | None = None
        out = library.ffi.new("oct_viewer **")
        with sim._core:
            sim._check_idle()
            sim._core.stop[0] = 0
            options = sized("oct_viewer_options", port=port, paused=paused, stop=sim._core.stop)
            check(library.lib.oct_viewer_open(out, options))
            sim._core.viewer = out[0]
            members = {"steps": sim.steps + ENDLESS}
            self.url = text(library.lib.oct_viewer_url(out[0]))
        self._begun = threading.Event()
        self._thread = threading.Thread(target=self._work, args=(members,), daemon=True)
        self._thread.start()
        self._begun.wait()

    def _work(self, members: dict[str, Any]) -> None:
        try:
            with self._sim._core:
                self._begun.set()
                try:
                    self._sim._start(members, False, self._sim._core.viewer, fresh=False)
                finally:
                    self._sim._core.close_viewer()
        except Error as error:
            self._error = error
        finally:
            self._begun.set()

    @property
    def running(self) -> bool:
        """Whether it is still there: who looks at the page may end it, too."""
        return self._thread.is_alive()

    def close(self) -> None:
        """Ends the page and the run; raises what the run has failed with."""
        if self.running:
            self._sim._core.stop[0] = 1
            self._thread.join()
        error, self._error = self._error, None
        if error is not None:
            raise error

    def __enter__(self) -> Viewer:
        return self

    def __exit__(self, *_: object) -> None:
        self.close()

    def __del__(self) -> None:
        try:
            self.close()
        except Exception:  # nobody is left to tell
            pass

    def __repr__(self) -> str:
        return f"<octant viewer at {self.url}>" if self.running else "<octant viewer, ended>"

    def _repr_html_(self) -> str:
        if not self.running:
            return "<p>octant viewer, ended</p>"
        return f"<iframe src='{self.url}' width='100%' height='640' style='border:0'></iframe>"
