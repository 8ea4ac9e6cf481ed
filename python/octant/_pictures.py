"""Pictures of bodies by the library's own renderer."""

from __future__ import annotations

import difflib
import os
import pathlib
import tempfile
from collections.abc import Mapping
from typing import TYPE_CHECKING, Any

from ._errors import AbsentError, InputError
from ._library import check, encode, opened, sized

if TYPE_CHECKING:
    from .simulation import Simulation

ENDINGS = (".png", ".svg", ".pdf")


def _fill(struct: Any, options: Mapping[str, Any]) -> list[Any]:
    """Puts options into the library's struct; returns what it points to."""
    ffi = opened().ffi
    fields = dict(ffi.typeof("oct_render_options").fields)
    kept = []
    for name, value in options.items():
        if name not in fields or name == "size":
            near = difflib.get_close_matches(name, fields, 1)
            hint = f"; did you mean '{near[0]}'?" if near else ""
            raise InputError(f"pictures have no option '{name}'{hint}")
        kind = fields[name].type
        try:
            if kind.kind == "pointer":
                value = ffi.new("char[]", encode(value))
                kept.append(value)
            elif kind.cname == "char":
                value = encode(value)
            elif kind.kind == "array":
                value = [float(x) for x in value]
            setattr(struct, name, value)
        except (TypeError, OverflowError, IndexError, ValueError) as error:
            raise InputError(
                f"{name}={options[name]!r} is no value of a picture's option: {error}"
            ) from None
    # Saying where from or from where is enough.
    struct.aimed = struct.aimed or any(k in options for k in ("azimuth", "elevation", "roll"))
    struct.centred = struct.centred or "centre" in options
    struct.lit = struct.lit or "light" in options
    struct.follows = struct.follows or "follow" in options
    return kept


def render(sim: Simulation, path: os.PathLike[str] | str, options: Mapping[str, Any]) -> None:
    """Draws the bodies of a simulation into a file."""
    if pathlib.Path(path).suffix.lower() not in ENDINGS:
        raise InputError(f"a picture is a PNG, SVG or PDF file: '{path}' ends in none of these")
    picture = sized("oct_render_options")
    kept = _fill(picture, options)
    library = opened()
    with tempfile.TemporaryDirectory(prefix="octant-") as folder:
        # The library's own files say what pictures need beside the bodies: units, box and title.
        file = pathlib.Path(folder, "bodies.hdf5")
        try:
            sim.snapshot(file)
        except AbsentError:
            file = file.with_suffix(".csv")
            sim.snapshot(file)
        bodies, info = library.ffi.new("oct_bodies *"), sized("oct_file_info")
        check(library.lib.oct_bodies_read(bodies, info, encode(file), library.ffi.NULL))
        try:
            check(library.lib.oct_render(bodies, info, picture, encode(path)))
        finally:
            library.lib.oct_bodies_clear(bodies)
    del kept


def png(sim: Simulation, **options: Any) -> bytes:
    """The same as the bytes of a PNG file; none where this build has no pictures."""
    if not opened().lib.oct_feature_present(b"png"):
        return b""
    with tempfile.TemporaryDirectory(prefix="octant-") as folder:
        path = pathlib.Path(folder, "picture.png")
        render(sim, path, options)
        return path.read_bytes()
