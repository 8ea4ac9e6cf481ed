"""A progress bar in terminals and notebooks."""

from __future__ import annotations

import sys
import time
from typing import Any

WIDTH = 30
QUIET_S = 0.5  # what is over sooner shows none
INTERVAL_S = 0.1


def in_notebook() -> bool:
    """Whether this runs in a notebook's kernel."""
    shell = sys.modules.get("IPython")
    try:
        return type(shell.get_ipython()).__name__ == "ZMQInteractiveShell" if shell else False
    except AttributeError:
        return False


class Bar:
    """Shows how far something is. ``wanted`` None: where somebody can see it."""

    def __init__(self, wanted: bool | None, label: str) -> None:
        self._notebook = in_notebook()
        terminal = sys.stderr is not None and sys.stderr.isatty()
        self._shown = (self._notebook or terminal) if wanted is None else wanted
        self._label = label
        self._begun = self._last = time.monotonic()
        self._display: Any = None
        self._drawn = False

    def show(self, share: float, words: str) -> None:
        """Draws it, not too often."""
        now = time.monotonic()
        if not self._shown or now - self._begun < QUIET_S or now - self._last < INTERVAL_S:
            return
        self._last = now
        share = min(max(share, 0.0), 1.0)
        left = (now - self._begun) * (1 - share) / share if share > 0 else float("inf")
        words = f"{words}, {_duration(left)} left" if share > 0 else words
        if self._notebook:
            self._show_html(share, words)
        else:
            full = round(WIDTH * share)
            bar = "#" * full + "." * (WIDTH - full)
            sys.stderr.write(f"\r\x1b[K{self._label} [{bar}] {100 * share:3.0f} % {words}")
            sys.stderr.flush()
        self._drawn = True

    def _show_html(self, share: float, words: str) -> None:
        from html import escape

        from IPython.display import HTML, display

        page = HTML(
            f"{escape(self._label)} <progress max='1' value='{share:.4f}'></progress> "
            f"{100 * share:.0f} % {escape(words)}"
        )
        if self._display is None:
            self._display = display(page, display_id=True)
        else:
            self._display.update(page)

    def clear(self) -> None:
        """Takes it away."""
        if not self._drawn:
            return
        if self._notebook:
            from IPython.display import HTML

            self._display.update(HTML(""))
        else:
            sys.stderr.write("\r\x1b[K")
            sys.stderr.flush()


def _duration(seconds: float) -> str:
    if seconds < 100:
        return f"{seconds:.0f} s"
    if seconds < 6000:
        return f"{seconds / 60:.0f} min"
    return f"{seconds / 3600:.1f} h"
