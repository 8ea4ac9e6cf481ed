"""Figures with matplotlib: bodies, surface density, wakes, profiles, measurements over time.

Each function takes ``ax``, matplotlib's axes to draw into, or makes a figure, and returns the axes.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, Any, Union

import numpy as np

from ._arrays import columns_of
from ._errors import InputError
from ._library import opened
from ._units import SYMBOLS

if TYPE_CHECKING:
    from ._table import Table
    from ._wakes import Correlation
    from .reading import File
    from .simulation import Simulation
    from .sweeping import Sweep

    Source = Union[Simulation, File]

AXES = "xyz"


def _axes(ax: Any, many: int = 1) -> Any:
    if ax is not None:
        return ax
    try:
        from matplotlib import pyplot
    except ImportError:
        raise ImportError("figures need matplotlib: pip install 'octant[plot]'") from None
    size = None if many == 1 else (6.0 * many, 4.8)
    return pyplot.subplots(1, many, figsize=size, layout="constrained")[1]


def _columns(source: Source) -> Any:
    return getattr(source, "bodies", source)


def _plane(plane: str) -> tuple[int, int]:
    if len(plane) != 2 or plane[0] == plane[1] or not set(plane) <= set(AXES):
        raise InputError(f"'{plane}' is no plane; expected two of x, y and z, such as 'xy'")
    return AXES.index(plane[0]), AXES.index(plane[1])


def _label(source: Source, name: str, powers: tuple[int, int, int]) -> str:
    """A name with its unit."""
    units = source.units
    if not units.physical or powers == (0, 0, 0):
        return name
    bases = SYMBOLS.get(units.name)
    if bases is None:
        return name
    if units.name == "galactic" and powers != (0, 0, 1):
        length, mass, time = powers  # kpc and km/s are read more easily than a time of both
        bases, powers = (bases[0], bases[1], "km/s"), (length + time, mass, -time)
    parts = [b if p == 1 else f"{_grouped(b)}$^{{{p}}}$" for b, p in zip(bases, powers) if p]
    parts.sort(key=lambda part: "^{-" in part)
    return f"{name} [{' '.join(parts)}]"


def _grouped(unit: str) -> str:
    return f"({unit})" if "/" in unit else unit


def _column_label(source: Source, name: str) -> str:
    """The name of a column with its unit; one that a scene declares has its name alone."""
    column = columns_of(opened().ffi.NULL).get(name)
    return _label(source, name, column.dimension) if column else name


def _measure_label(table: Table, name: str) -> str:
    """The name of a measurement with its unit."""
    measure = table._places[name][1]
    if measure.unit in ("deg", "yr"):
        return f"{name} [{measure.unit}]"
    return _label(table, name, measure.dimension)  # type: ignore[arg-type]


def _symbol(source: Source, base: int) -> str:
    """The unit of length, mass or time; empty where there is none."""
    return SYMBOLS.get(source.units.name, ("", "", ""))[base]


def _frame(ax: Any, source: Source, i: int, j: int) -> None:
    ax.set_xlabel(_label(source, AXES[i], (1, 0, 0)))
    ax.set_ylabel(_label(source, AXES[j], (1, 0, 0)))
    ax.set_aspect("equal")
    ax.set_title(f"time {source.time:.4g} {_symbol(source, 2)}")


def bodies(
    source: Source, plane: str = "xy", *, color: Any = None, ax: Any = None, **options: Any
) -> Any:
    """Bodies seen along an axis: those with radii as discs of their size, others as points.

    ``color`` is a column by name, an array, or matplotlib's. Options go to the collection or to
    ``scatter``.
    """
    from matplotlib.collections import EllipseCollection

    ax = _axes(ax)
    i, j = _plane(plane)
    columns = _columns(source)
    points = columns.position[:, [i, j]]
    radius = columns.radius
    label = ""
    if isinstance(color, str) and color in dir(columns):
        label = _column_label(source, color)
        color = getattr(columns, color)
        color = np.linalg.norm(color, axis=1) if color.ndim == 2 else color
    values = color if isinstance(color, np.ndarray) else None
    if radius.any():
        size = 2 * radius
        options.setdefault("facecolors", None if values is not None else color or "0.3")
        discs = EllipseCollection(
            size, size, np.zeros(len(size)), units="xy", offsets=points,
            offset_transform=ax.transData, array=values, **options,
        )  # fmt: skip
        ax.add_collection(discs)
        ax.update_datalim(np.concatenate([points - radius.max(), points + radius.max()]))
        ax.autoscale_view()
        drawn = discs
    else:
        options.setdefault("s", 2)
        options.setdefault("linewidths", 0)
        drawn = ax.scatter(*points.T, c="0.2" if color is None else color, **options)
    if values is not None:
        ax.figure.colorbar(drawn, ax=ax, label=label)
    _frame(ax, source, i, j)
    return ax


def surface_density(
    source: Source,
    plane: str = "xy",
    *,
    bins: int = 200,
    extent: Any = None,
    log: bool = True,
    ax: Any = None,
    **options: Any,
) -> Any:
    """Mass in a column through the bodies, on a grid; ``extent`` is the half-width shown."""
    from matplotlib.colors import LogNorm

    ax = _axes(ax)
    i, j = _plane(plane)
    columns = _columns(source)
    x, y = columns.position[:, i], columns.position[:, j]
    if extent is None:
        limits = [(x.min(), x.max()), (y.min(), y.max())]
    else:
        limits = [(-extent, extent)] * 2
    mass, edges_x, edges_y = np.histogram2d(x, y, bins, limits, weights=columns.mass)
    density = mass / np.outer(np.diff(edges_x), np.diff(edges_y))
    filled = np.ma.masked_equal(density.T, 0)
    if log and filled.count():
        options.setdefault("norm", LogNorm())
    image = ax.pcolormesh(edges_x, edges_y, filled, rasterized=True, **options)
    ax.figure.colorbar(image, ax=ax, label=_label(source, "surface density", (-2, 1, 0)))
    _frame(ax, source, i, j)
    return ax


def autocorrelation(source: Source, scale: float | None = None) -> Correlation:
    """The autocorrelation of the surface density in a sheared sheet: lags ``x`` and ``y``, its
    ``values`` (1 at no lag), and the pitch ``angle`` of the wakes in degrees, positive when they
    trail.

    The density is seen with a resolution, the full width at half maximum ``scale``; a simulation
    that measures wakes has one, which is taken unless another is given.
    """
    from ._wakes import correlate

    return correlate(source, _columns(source), scale)


def wakes(
    source: Source, scale: float | None = None, *, ax: Any = None, **options: Any
) -> tuple[Any, Any]:
    """Wakes in a sheet: the surface density as it is seen with the resolution ``scale``, and beside
    it its autocorrelation with the line at half of the peak and the pitch angle. ``ax`` is a pair
    of axes, and so is what is returned.
    """
    found = autocorrelation(source, scale)
    left, right = _axes(None, 2) if ax is None else ax
    half = [0.5 * (lags[1] - lags[0]) for lags in (found.x, found.y)]
    options.setdefault("vmin", 0)
    image = left.pcolormesh(
        found.x + half[0], found.y + half[1], found.density.T, rasterized=True, **options
    )
    left.figure.colorbar(image, ax=left, label="surface density over its mean")
    image = right.pcolormesh(
        found.x, found.y, found.values.T, cmap="RdBu_r", vmin=-1, vmax=1, rasterized=True
    )
    right.contour(found.x, found.y, found.values.T, [0.5], colors="k", linewidths=0.8)
    right.figure.colorbar(image, ax=right, label="autocorrelation")
    line = np.array([-0.48, 0.48]) * min(np.ptp(found.x), np.ptp(found.y))
    turn = np.radians(found.angle)
    label = f"pitch angle {found.angle:.1f}°"
    right.plot(-line * np.sin(turn), line * np.cos(turn), "k--", linewidth=0.8, label=label)
    for side in (left, right):
        _frame(side, source, 0, 1)
    right.set_xlabel(f"lag in {right.get_xlabel()}")
    right.set_ylabel(f"lag in {right.get_ylabel()}")
    right.set_title(f"resolution {found.scale:.3g} {_symbol(source, 0)}")
    right.legend(loc="upper right")
    return left, right


def radial_profile(
    source: Source, bins: int = 30, *, centre: Any = None, cylindrical: bool = False
) -> tuple[np.ndarray, np.ndarray, np.ndarray]:
    """Density in shells: radii, densities and counts. Shells hold about equal numbers of bodies.

    The centre is that of mass unless it is given. ``cylindrical`` takes rings in the x-y plane, and
    surface densities.
    """
    columns = _columns(source)
    mass, position = columns.mass, columns.position
    if centre is None:
        centre = np.average(position, axis=0, weights=mass if mass.any() else None)
    offset = position - np.asarray(centre)
    radius = np.linalg.norm(offset[:, :2] if cylindrical else offset, axis=1)
    if not 1 <= bins < len(radius):
        raise InputError(f"{bins} shells for {len(radius)} bodies; expected fewer than bodies")
    edges = np.quantile(radius, np.linspace(0, 1, bins + 1))
    inside, _ = np.histogram(radius, edges, weights=mass)
    count, _ = np.histogram(radius, edges)
    power = 2 if cylindrical else 3
    volume = (np.pi if cylindrical else 4 / 3 * np.pi) * np.diff(edges**power)
    middle = ((edges[1:] ** power + edges[:-1] ** power) / 2) ** (1 / power)
    return middle, inside / volume, count


def profile(
    source: Source,
    bins: int = 30,
    *,
    centre: Any = None,
    cylindrical: bool = False,
    ax: Any = None,
    **options: Any,
) -> Any:
    """Density over radius, with the error of counting."""
    ax = _axes(ax)
    r, density, count = radial_profile(source, bins, centre=centre, cylindrical=cylindrical)
    error = density / np.sqrt(np.maximum(count, 1))
    options.setdefault("fmt", ".-")
    ax.errorbar(r, density, error, **options)
    ax.set_xscale("log")
    ax.set_yscale("log")
    ax.set_xlabel(_label(source, "radius", (1, 0, 0)))
    name, powers = ("surface density", (-2, 1, 0)) if cylindrical else ("density", (-3, 1, 0))
    ax.set_ylabel(_label(source, name, powers))
    return ax


def diagnostics(table: Table, *names: str, ax: Any = None, **options: Any) -> Any:
    """Measurements over time; a vector has a line a coordinate. Without names: the energy error."""
    ax = _axes(ax)
    names = names or ("energy_error",)
    for name in names:
        values = table[name]
        if values.ndim == 1:
            ax.plot(table.time, values, label=_measure_label(table, name), **options)
        else:
            for axis, line in zip(AXES, values.T):
                ax.plot(table.time, line, label=f"{name} {axis}", **options)
    ax.set_xlabel(_label(table, "time", (0, 0, 1)))  # type: ignore[arg-type]
    if len(names) == 1:
        ax.set_ylabel(_measure_label(table, names[0]))
    if len(ax.lines) > 1:
        ax.legend()
    return ax


def sweep(
    done: Sweep, x: str, y: str, by: str | None = None, *, ax: Any = None, **options: Any
) -> Any:
    """A column of a sweep over another: means of the seeds with their spread, a line for each value
    of ``by``.
    """
    ax = _axes(ax)
    good = [row for row in done.rows if not row["failure"]]
    options.setdefault("fmt", "o-")
    options.setdefault("capsize", 2)
    for value in sorted({row[by] for row in good}, key=str) if by else [None]:
        rows = [row for row in good if by is None or row[by] == value]
        places = sorted({row[x] for row in rows})
        groups = [np.array([row[y] for row in rows if row[x] == place]) for place in places]
        spread = [group.std(ddof=1) if len(group) > 1 else 0 for group in groups]
        means = [group.mean() for group in groups]
        ax.errorbar(places, means, spread, label=None if by is None else f"{by} {value}", **options)
    ax.set_xlabel(x)
    ax.set_ylabel(y)
    if by:
        ax.legend()
    return ax
