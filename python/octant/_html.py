"""What a notebook shows of a simulation."""

from __future__ import annotations

import base64
from html import escape
from typing import TYPE_CHECKING, Any

from ._pictures import png
from ._units import SYMBOLS

if TYPE_CHECKING:
    from .simulation import Simulation

DRAWN = 2_000_000  # bodies; of more no picture is drawn unasked


def page(sim: Simulation) -> str:
    """A table of what the simulation is, with a picture of its bodies."""
    if sim._core.pointer is None:
        return "<p>octant.Simulation, closed</p>"
    values = sim._values()
    n, device = sim.n, sim.device
    rows: list[tuple[str, Any]] = [
        ("bodies", f"{n:,}"),
        ("time", f"{sim.time:.6g} {_unit(sim)}, step {sim.steps:,}"),
    ]
    for section in ("gravity", "collisions", "integrator"):
        rows.append((section, _method(values.get(section, {}))))
    box = values.get("box", {})
    rows.append(("box", _method(box, "boundary")))
    forces = [next(iter(entry)) for entry in values.get("forces", [])]
    if forces:
        rows.append(("forces", ", ".join(forces)))
    if values.get("columns"):
        rows.append(("columns", ", ".join(values["columns"])))
    rows.append(("device", f"{device.name}, {sim.precision} precision"))
    cells = "".join(
        f"<tr><th style='text-align:left'>{escape(name)}</th>"
        f"<td style='text-align:left'>{escape(str(value))}</td></tr>"
        for name, value in rows
    )
    title = escape(values["title"] or "octant.Simulation")
    return (
        "<div style='display:flex;gap:1.5em;align-items:flex-start;flex-wrap:wrap'>"
        f"<div><strong>{title}</strong><table>{cells}</table></div>{_picture(sim, n)}</div>"
    )


def _unit(sim: Simulation) -> str:
    """That of time."""
    return SYMBOLS[sim.units.name][2] if sim.units.name in SYMBOLS else "(G = 1)"


def _short(value: Any) -> str:
    return f"{value:.6g}" if isinstance(value, float) else str(value)


def _method(values: dict[str, Any], selector: str = "method") -> str:
    method = str(values.get(selector, ""))
    keys = ("theta", "softening", "restitution", "dt", "size", "omega") if method != "none" else ()
    shown = [f"{key} {_short(values[key])}" for key in keys if values.get(key) not in (None, 0, "")]
    return ", ".join([method, *shown])


def _picture(sim: Simulation, n: int) -> str:
    if not 0 < n <= DRAWN:
        return ""
    mode = "density" if n > 20000 else "particles"
    data = png(sim, width=400, height=334, mode=mode)
    if not data:
        return ""
    source = base64.b64encode(data).decode()
    return f"<img alt='the bodies' width='360' src='data:image/png;base64,{source}'>"
