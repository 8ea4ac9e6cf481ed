"""Wakes in a sheared sheet: the autocorrelation of the surface density, and its pitch angle."""

from __future__ import annotations

from typing import Any, NamedTuple

import numpy as np

from ._errors import InputError
from ._sheet import boundary, lag

CELLS_A_SCALE = 3
MOST_CELLS = 1024
FWHM = np.sqrt(8 * np.log(2))  # of a Gaussian, over its standard deviation


class Correlation(NamedTuple):
    """The autocorrelation of a surface density, 1 at no lag, and what follows from it."""

    x: np.ndarray
    y: np.ndarray
    values: np.ndarray  # by x, then y
    density: np.ndarray  # over its mean, in the same cells about the middle of the box
    angle: float
    amplitude: float
    scale: float


class _Sheet(NamedTuple):
    size: tuple[float, float]
    lag: float  # by how much the image in +x is moved in y


def _sheet(source: Any) -> _Sheet:
    """The box of a simulation or of a file."""
    if hasattr(source, "info"):
        size, orbit = source.info["box"], source.info["orbit"]
        omega = 2 * np.pi / orbit if orbit > 0 else 0.0
    else:
        box = boundary(source)
        size, omega = box["box"], box["omega"]
    if not omega:
        raise InputError("wakes are those of a sheared sheet; this has no box that shears")
    width, length = float(size[0]), float(size[1])
    return _Sheet((width, length), lag(width, length, omega, source.time))


def _cells(side: float, scale: float) -> int:
    cells = 32
    while cells < MOST_CELLS and cells < CELLS_A_SCALE * side / scale:
        cells *= 2
    return cells


def correlate(source: Any, columns: Any, scale: float | None) -> Correlation:
    """The autocorrelation of the density seen with a resolution, `scale`: a full width at half
    maximum. Without one it is what the library measures with."""
    sheet = _sheet(source)
    mass = columns.mass if columns.mass.any() else np.ones(len(columns.mass))
    if scale is None:
        measured = source.measure() if hasattr(source, "measure") else {}
        if "wake_scale" not in measured:
            raise InputError("say with which resolution: scale=, a length")
        scale = measured["wake_scale"]
    if not 0 < scale < min(sheet.size):
        raise InputError(f"scale={scale!r} is no resolution; expected a length less than the box")
    cells = [_cells(side, scale) for side in sheet.size]
    edges = [np.linspace(-side / 2, side / 2, n + 1) for side, n in zip(sheet.size, cells)]
    places = [columns.position[:, k] for k in (0, 1)]
    density = np.histogram2d(*places, edges, weights=mass)[0]
    shot = float((mass**2).sum() / mass.sum() ** 2)
    return _correlation(density / density.mean(), sheet, scale, shot)


def _correlation(density: np.ndarray, sheet: _Sheet, scale: float, shot: float) -> Correlation:
    """By Fourier's transform; modes along y are turned back by the shear of the images first, so
    that the sheet is periodic in x, and lags are turned forth by it at the end."""
    steps = [side / n for side, n in zip(sheet.size, density.shape)]
    modes = [2 * np.pi * np.fft.fftfreq(n, step) for n, step in zip(density.shape, steps)]
    lags = [np.fft.fftfreq(n, 1 / n) * step for n, step in zip(density.shape, steps)]
    slope = sheet.lag / sheet.size[0]
    column = (np.arange(density.shape[0])[:, None] + 0.5) * steps[0]
    turn = np.exp(1j * modes[1] * slope * column)
    waves = np.fft.fft(np.fft.fft(density, axis=1) * turn, axis=0)
    power = np.abs(waves) ** 2 / density.size**2
    power -= shot  # what bodies of these masses have where chance alone has put them
    power[0, 0] = 0
    # A mode of the turned sheet has the wave number kx - slope ky in the sheet itself.
    square = (modes[0][:, None] - slope * modes[1]) ** 2 + modes[1] ** 2
    blur = np.exp(-square * (scale / FWHM) ** 2 / 2)
    seen = np.fft.ifft(np.fft.ifft(waves * blur, axis=0) / turn, axis=1).real
    power *= blur**2
    rows = np.fft.ifft(power, axis=0) * np.exp(-1j * modes[1] * slope * lags[0][:, None])
    values = np.fft.ifft(rows, axis=1).real * density.size
    angle = _pitch(values, lags, min(sheet.size) / 2)
    amplitude = float(np.sqrt(max(values[0, 0], 0)))
    return Correlation(
        np.fft.fftshift(lags[0]),
        np.fft.fftshift(lags[1]),
        np.fft.fftshift(values / (values[0, 0] or 1)),
        seen,
        angle,
        amplitude,
        float(scale),
    )


def _pitch(values: np.ndarray, lags: list[np.ndarray], reach: float) -> float:
    """The direction of the longer axis of the peak, by second moments of the lags around 0 where
    the correlation is above half of it, in degrees from the orbit's, positive when trailing."""
    x, y = np.meshgrid(*lags, indexing="ij")
    above = (values > values[0, 0] / 2) & (np.hypot(x, y) < reach)
    peak = np.zeros_like(above)
    peak[0, 0] = True
    while True:  # grows from the middle to all that is connected to it
        grown = peak.copy()
        for axis in (0, 1):
            for way in (1, -1):
                grown |= np.roll(peak, way, axis)
        grown &= above
        if (grown == peak).all():
            break
        peak = grown
    weight = np.where(peak, values - values[0, 0] / 2, 0)
    xx, xy, yy = (float((weight * a * b).sum()) for a, b in ((x, x), (x, y), (y, y)))
    return float(np.degrees(0.5 * np.arctan2(-2 * xy, yy - xx)))
